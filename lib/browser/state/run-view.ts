import type { StoreApi } from 'zustand/vanilla';
import type { PromptHistory } from '../../events/prompt-history.ts';
import type { RunState } from '../../events/run-state.ts';
import type { Timeline } from '../../events/timeline.ts';
import type { Connection } from './connection.ts';
import type { Live } from './live-text.ts';

/** The page's view of one run: folds of the same log. */
export interface RunView extends PromptHistory {
  readonly run: RunState;
  readonly timeline: Timeline;
  readonly connection: Connection;
}

/** A run to be shown, wherever it comes from. */
export interface RunSource {
  readonly view: StoreApi<RunView>;
  /** Separate from the view, so that streamed text only re-renders the open rows. */
  readonly live: StoreApi<Live>;
}
