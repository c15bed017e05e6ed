import type { RunDelta } from '../events/delta.ts';
import { foldAll } from '../events/fold-run.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import type { RunLog } from './run-log.ts';

/**
 * A run's log in memory: for simulations, tests and measurements, where nothing needs to outlive the process. Appends
 * are taken in the order of the calls, as in every log.
 */
export class MemoryLog implements RunLog {
  readonly events: RunEvent[] = [];
  readonly deltas: RunDelta[] = [];
  readonly #clock: () => number;
  readonly #waiting = new Set<() => void>();
  #state: RunState;

  /** @param options.events the beginning of the log: what a resumed run starts from */
  constructor(options: { runId?: string; events?: readonly RunEvent[]; clock?: () => number } = {}) {
    const runId = options.events?.[0]?.run_id ?? options.runId ?? 'run';
    this.#clock = options.clock ?? Date.now;
    this.events.push(...(options.events ?? []));
    this.#state = foldAll(emptyRunState(runId), this.events);
  }

  get state(): RunState {
    return this.#state;
  }

  async append(events: readonly NewEvent[]): Promise<RunState> {
    const at = this.#clock();
    const numbered = events.map(
      (event, index): RunEvent => ({
        ...event,
        run_id: this.#state.runId,
        seq: this.#state.seq + index + 1,
        at,
      }),
    );
    // Folded before anything is kept: events that the fold refuses leave the log as it was.
    this.#state = foldAll(this.#state, numbered);
    this.events.push(...numbered);
    for (const wake of [...this.#waiting]) wake();
    return this.#state;
  }

  delta(delta: RunDelta): void {
    this.deltas.push(delta);
  }

  changed(seq: number, signal: AbortSignal): Promise<void> {
    if (this.#state.seq > seq || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
