import { foldRun } from './fold-run.ts';
import type { RunEvent } from './registry.ts';
import { emptyRunState, type RunState } from './run-state.ts';

/** Where to fork a run, as given in a request. */
export type ForkTarget =
  | { seq: number }
  | { before_iteration: number; attempt?: number }
  | { before_cycle: number }
  | { before_call: string }
  | { end: true };

/** A position in a log: its last event and the run's state after it. */
export interface LogPosition {
  readonly state: RunState;
  readonly last: RunEvent;
}

/** Finds a position in a log that is read event by event. */
export class ForkFinder {
  readonly #target: ForkTarget;
  readonly #empty: RunState;
  #now: LogPosition | undefined;
  #before: LogPosition | undefined;
  #found: LogPosition | undefined;
  #settled = false;

  constructor(runId: string, target: ForkTarget) {
    this.#empty = emptyRunState(runId);
    this.#target = target;
  }

  /** The position found so far; `undefined` if there is none. */
  get found(): LogPosition | undefined {
    return this.#found;
  }

  /** Whether further events cannot change the result. */
  get settled(): boolean {
    return this.#settled;
  }

  take(event: RunEvent): void {
    if (this.#settled) return;
    const before = this.#now;
    const now = { state: foldRun(before?.state ?? this.#empty, event), last: event };
    const target = this.#target;
    if ('seq' in target) {
      if (event.seq === target.seq) this.#settle(now);
    } else if ('end' in target) {
      // The last event with no open operation. Where a run has ended, nobody decides about its calls any more.
      if (forkProblem(now.state, event) === undefined) this.#found = now;
      else if (event.type === 'run.ended' && before && !isBusy(before)) this.#found = before;
    } else if ('before_call' in target) {
      const { before_call: callId } = target;
      if ('call_id' in event && event.call_id === callId) this.#settle(before);
      // A call that never started is still part of its reply.
      else if (event.type === 'reply.parsed' && event.calls.some(({ call_id }) => call_id === callId))
        this.#found ??= now;
    } else if ('before_cycle' in target) {
      if (event.type === 'cycle.started' && event.cycle === target.before_cycle) this.#found = before;
    } else if (
      event.type === 'iteration.started' &&
      event.iteration === target.before_iteration &&
      (target.attempt === undefined || event.attempt === target.attempt)
    ) {
      // The budget check belongs to the iteration that follows it.
      this.#found = before?.last.type === 'budget.checked' ? this.#before : before;
    }
    this.#before = before;
    this.#now = now;
  }

  #settle(found: LogPosition | undefined): void {
    this.#found = found;
    this.#settled = true;
  }
}

function isBusy({ state, last }: LogPosition): boolean {
  return forkProblem(state, last, { isEnd: true }) !== undefined;
}

/**
 * Why a run cannot be forked at this state, phrased as the end of a sentence; `undefined` if it can. A run can be
 * forked where no operation is open, because the fold alone then decides what comes next.
 *
 * @param options.isEnd whether nothing but the end of the run follows, which leaves approvals undecided
 */
export function forkProblem(
  state: RunState,
  last: RunEvent,
  { isEnd = false }: { isEnd?: boolean } = {},
): string | undefined {
  if (state.seq === 0 || !state.config) return 'has not begun there';
  if (state.ended) return 'has ended there';
  if (state.openCall || last.type === 'model-call.ended') return 'waits there for a reply of the model';
  if (state.phase === 'loading') return 'is loading its model there';
  if (state.phase === 'verifying') return 'is being checked there';
  if (state.reply?.calls.some(({ status }) => status === 'running')) return 'has an open tool call there';
  const isAsking = Object.values(state.approvals).some(({ decided }) => !decided);
  if (isAsking && !isEnd) return 'waits there for an approval';
  return undefined;
}
