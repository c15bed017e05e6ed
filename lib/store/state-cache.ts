import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';

/**
 * Folded logs of the runs that were written to last, so that a summary costs one step of the fold. It holds nothing
 * that the log does not: what is missing or behind is folded from there.
 */
export class StateCache {
  readonly #states = new Map<string, RunState>();
  readonly #capacity: number;
  readonly #read: (runId: string, afterSeq: number) => RunEvent[];

  constructor(read: (runId: string, afterSeq: number) => RunEvent[], { capacity = 64 } = {}) {
    this.#read = read;
    this.#capacity = capacity;
  }

  /** The newest state that is at hand: of a run that is not, the empty one. */
  last(runId: string): RunState {
    return this.#states.get(runId) ?? emptyRunState(runId);
  }

  /** The state of a run at its event `seq`. */
  at(runId: string, seq: number): RunState {
    const base = this.last(runId);
    return base.seq === seq ? base : foldAll(base, this.#read(runId, base.seq));
  }

  drop(runId: string): void {
    this.#states.delete(runId);
  }

  /** To be called once the events are committed. */
  keep(state: RunState): void {
    this.#states.delete(state.runId);
    if (state.phase === 'ended') return;
    this.#states.set(state.runId, state);
    const oldest = this.#states.keys().next().value;
    if (this.#states.size > this.#capacity && oldest !== undefined) this.#states.delete(oldest);
  }
}
