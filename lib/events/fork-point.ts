import { foldRun } from './fold-run.ts';
import type { RunEvent } from './registry.ts';
import { emptyRunState, type RunState } from './run-state.ts';

/** Where a run is to be forked, as a person says it. */
export type ForkPlaceWords =
  | { seq: number }
  | { before_iteration: number; attempt?: number }
  | { before_cycle: number }
  | { before_call: string }
  | { end: true };

/** A place in a log: its last event, and where the run stands after it. */
export interface ForkStand {
  readonly state: RunState;
  readonly last: RunEvent;
}

/** Looks for a place in a log whose events are taken one after the other. */
export class ForkFinder {
  readonly #place: ForkPlaceWords;
  readonly #empty: RunState;
  #now: ForkStand | undefined;
  #before: ForkStand | undefined;
  #found: ForkStand | undefined;
  #settled = false;

  constructor(runId: string, place: ForkPlaceWords) {
    this.#empty = emptyRunState(runId);
    this.#place = place;
  }

  /** The place, as far as the log was taken; `undefined` when there is none. */
  get found(): ForkStand | undefined {
    return this.#found;
  }

  /** Whether no further event changes what was found. */
  get settled(): boolean {
    return this.#settled;
  }

  take(event: RunEvent): void {
    if (this.#settled) return;
    const before = this.#now;
    const now = { state: foldRun(before?.state ?? this.#empty, event), last: event };
    const place = this.#place;
    if ('seq' in place) {
      if (event.seq === place.seq) this.#settle(now);
    } else if ('end' in place) {
      // The last event after which nothing is under way.
      if (forkProblem(now.state, event) === undefined) this.#found = now;
    } else if ('before_call' in place) {
      const { before_call: callId } = place;
      if ('call_id' in event && event.call_id === callId) this.#settle(before);
      // A call that was never begun is still asked for by its reply.
      else if (event.type === 'reply.parsed' && event.calls.some(({ call_id }) => call_id === callId))
        this.#found ??= now;
    } else if ('before_cycle' in place) {
      if (event.type === 'cycle.started' && event.cycle === place.before_cycle) this.#found = before;
    } else if (
      event.type === 'iteration.started' &&
      event.iteration === place.before_iteration &&
      (place.attempt === undefined || event.attempt === place.attempt)
    ) {
      // The look at the budget belongs to the iteration that it opens.
      this.#found = before?.last.type === 'budget.checked' ? this.#before : before;
    }
    this.#before = before;
    this.#now = now;
  }

  #settle(found: ForkStand | undefined): void {
    this.#found = found;
    this.#settled = true;
  }
}

/**
 * Why a run cannot be forked where its log stands at this state, as the end of a sentence; `undefined` when it can: then
 * nothing is under way there, and what comes next is decided from the fold alone.
 */
export function forkProblem(state: RunState, last: RunEvent): string | undefined {
  if (state.seq === 0 || !state.config) return 'has not begun there';
  if (state.ended) return 'has ended there';
  if (state.openCall || last.type === 'model-call.ended') return 'waits there for a reply of the model';
  if (state.phase === 'loading') return 'is loading its model there';
  if (state.phase === 'verifying') return 'is being checked there';
  if (state.reply?.calls.some(({ status }) => status === 'running')) return 'has an open tool call there';
  if (Object.values(state.approvals).some(({ decided }) => !decided)) return 'waits there for an approval';
  return undefined;
}
