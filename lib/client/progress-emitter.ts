import type { RunDelta } from '../events/delta.ts';
import type { ProgressEvent } from '../events/progress.ts';
import {
  emptyProgress,
  type ProgressBody,
  type ProgressState,
  projectDelta,
  projectEvent,
} from '../events/project-progress.ts';
import { EVENT_TYPES, type RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { TextBatcher } from './text-batcher.ts';

export type ProgressListener = (event: ProgressEvent) => void;

/**
 * Sends the progress events of a run to a listener, with sequence numbers and timestamps. Tokens are batched for 50 ms;
 * everything else is sent immediately, after pending tokens (E2, E3). A listener that throws gets no more events, and
 * `onFailure` gets the error; the run is not affected (E12).
 */
export class ProgressEmitter {
  readonly #runId: string;
  readonly #listener: ProgressListener;
  readonly #onFailure: (error: unknown) => void;
  readonly #tokens: TextBatcher<'token' | 'thinking'>;
  #state: ProgressState;
  #seq = 0;
  #iteration = 0;
  #failed = false;

  constructor(
    runId: string,
    { listener, onFailure }: { listener: ProgressListener; onFailure: (error: unknown) => void },
  ) {
    this.#runId = runId;
    this.#listener = listener;
    this.#onFailure = onFailure;
    this.#state = emptyProgress(runId);
    this.#tokens = new TextBatcher((type, text) => {
      this.#emit({ type, text, iteration: this.#iteration }, Date.now());
    });
  }

  /** The state of the run after the events so far. */
  get run(): RunState {
    return this.#state.run;
  }

  /** @param silent updates the state without calling the listener */
  event(event: RunEvent, { silent = false } = {}): void {
    if (!EVENT_TYPES.has(event.type)) {
      // From a server of a later version. It cannot be folded, only counted.
      this.#state = { ...this.#state, run: { ...this.#state.run, seq: event.seq } };
      return;
    }
    const { state, progress } = projectEvent(this.#state, event);
    this.#state = state;
    if (silent) return;
    for (const body of progress) {
      if (body.type === 'token' || body.type === 'thinking') this.#push(body);
      else this.#flushThen(body, event.at);
    }
    this.#tokens.flush();
  }

  /** Adds text that the model is writing. */
  delta(delta: RunDelta): void {
    const { state, progress } = projectDelta(this.#state, delta);
    this.#state = state;
    for (const body of progress) {
      if (body.type === 'token' || body.type === 'thinking') this.#push(body);
    }
  }

  /** Sends pending tokens. */
  flush(): void {
    this.#tokens.flush();
  }

  #push({ type, text, iteration }: Extract<ProgressBody, { type: 'token' | 'thinking' }>): void {
    this.#iteration = iteration;
    this.#tokens.push(type, text);
  }

  #flushThen(body: ProgressBody, at: number): void {
    this.#tokens.flush();
    this.#emit(body, at);
  }

  #emit(body: ProgressBody, timestamp: number): void {
    if (this.#failed) return;
    this.#seq += 1;
    try {
      this.#listener({ ...body, run_id: this.#runId, seq: this.#seq, timestamp });
    } catch (error) {
      this.#failed = true;
      this.#onFailure(error);
    }
  }
}
