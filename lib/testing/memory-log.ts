import { setImmediate as turn } from 'node:timers/promises';
import type { RunLog } from '../engine/run-log.ts';
import type { RunDelta } from '../events/delta.ts';
import { foldAll } from '../events/fold-run.ts';
import { placeEvents } from '../events/place-events.ts';
import { type NewEvent, type RunEvent, runEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';

/** An in-memory run log for tests. Appends are applied in call order, as in every log. */
export class MemoryLog implements RunLog {
  readonly events: RunEvent[] = [];
  readonly deltas: RunDelta[] = [];
  readonly #failed = new AbortController().signal;
  readonly #clock: () => number;
  readonly #waiting = new Set<() => void>();
  #state: RunState;

  /** @param options.events the initial log, for resumed runs */
  constructor(options: { runId?: string; events?: readonly RunEvent[]; clock?: () => number } = {}) {
    const runId = options.events?.[0]?.run_id ?? options.runId ?? 'run';
    this.#clock = options.clock ?? Date.now;
    this.events.push(...(options.events ?? []));
    this.#state = foldAll(emptyRunState(runId), this.events);
  }

  get failed(): AbortSignal {
    return this.#failed;
  }

  get state(): RunState {
    return this.#state;
  }

  append(events: readonly NewEvent[]): RunState {
    const at = Math.round(this.#clock());
    const { runId, seq } = this.#state;
    const placed = placeEvents({ runId, seq, updatedAt: at }, events, at);
    for (const event of placed) runEvent.parse(event);
    // Fold first: events that the fold rejects must leave the log unchanged.
    this.#state = foldAll(this.#state, placed);
    this.events.push(...placed);
    for (const wake of [...this.#waiting]) wake();
    return this.#state;
  }

  /** Settles late, as a disk does. */
  async durable(): Promise<void> {
    await turn();
  }

  revert(): void {}

  delta(delta: RunDelta): void {
    this.deltas.push(delta);
  }

  changed(seq: number, signal: AbortSignal): Promise<void> {
    return this.when((state) => state.seq > seq, signal);
  }

  when(condition: (state: RunState) => boolean, signal: AbortSignal): Promise<void> {
    if (condition(this.#state) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        if (!condition(this.#state) && !signal.aborted) return;
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
