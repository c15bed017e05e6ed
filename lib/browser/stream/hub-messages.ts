import type { RunDelta } from '../../events/delta.ts';
import type { ConnectionSignal } from '../state/connection.ts';

/** Messages from a tab to the hub. */
export type TabMessage =
  /** Names the lock that the tab holds while it lives, so that the hub notices when it is gone. */
  | { type: 'hello'; lock: string }
  | { type: 'follow'; runId: string; after: number }
  | { type: 'unfollow'; runId: string }
  | { type: 'watch-list'; on: boolean }
  /** The key of this browser's sign-in, for a hub that cannot read it: first of all, and when it has changed. */
  | { type: 'key'; key: string | undefined }
  /** The network is back: do not wait for the next try. */
  | { type: 'wake' }
  | { type: 'bye' };

/** Messages from the hub to a tab. Events and summaries are passed on as JSON and parsed only in the tab. */
export type HubMessage =
  | { type: 'events'; runId: string; events: string[] }
  | { type: 'delta'; runId: string; delta: RunDelta }
  | { type: 'signal'; runId: string; signal: ConnectionSignal }
  | { type: 'runs'; runs: string[] }
  | { type: 'run-deleted'; runId: string }
  | { type: 'list-signal'; signal: ConnectionSignal };
