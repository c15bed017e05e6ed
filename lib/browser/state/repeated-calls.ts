import { type ComparedCall, callsKey } from '../../events/calls-key.ts';
import { kindFacts, kindOf } from '../../events/modes.ts';
import type { RunState } from '../../events/run-state.ts';
import type { TerminationReason } from '../../events/termination.ts';

/** Longest pattern that is looked for, in iterations. */
const MAX_PATTERN = 4;
/** From how many times in a row a pattern counts: twice can be a sensible second look. */
const MIN_TIMES = 3;

/** A sequence of iterations with different calls that the model repeats, such as writing a file and testing it. */
export interface CallPattern {
  /** The tools of one pass, in order. */
  readonly tools: readonly string[];
  /** Iterations in one pass: 2 to 4. */
  readonly length: number;
  /** Complete passes in a row, up to the latest iteration with calls. */
  readonly times: number;
  /** Sequence numbers of the replies of all these passes. */
  readonly seqs: readonly number[];
}

/** The calls of each iteration that requested any, up to the current reply, with the sequence numbers of the replies. */
export interface CallRounds {
  readonly calls: readonly (readonly ComparedCall[])[];
  readonly seqs: readonly number[];
}

export function callRounds(run: RunState): CallRounds {
  const { reply, callHistory: calls, callHistorySeqs: seqs } = run;
  if (!reply || reply.accepted || reply.calls.length === 0) return { calls, seqs };
  return { calls: [...calls, reply.calls], seqs: [...seqs, reply.seq] };
}

/** How many iterations in a row, up to the latest, requested the same list of calls (G6). */
export function identicalRounds({ calls }: CallRounds): number {
  const last = calls.at(-1);
  return last ? repeatsOf(calls, 1) + 1 : 0;
}

/** Ends that have another cause: an answer, or a failed call. */
const OTHER_CAUSES: ReadonlySet<TerminationReason | undefined> = new Set([
  'final_answer',
  'error',
  'timeout',
] as const);

/**
 * The pattern that a run repeats, or repeated until a limit or a person ended it. No guard ends it: only identical lists
 * of calls in a row count as repetition (G9). `undefined` for kinds of runs that repetition does not end either.
 */
export function callPattern(run: RunState): CallPattern | undefined {
  if (OTHER_CAUSES.has(run.result?.termination_reason)) return undefined;
  if (!run.config || !kindFacts(kindOf(run.config)).gauges.includes('repetition')) return undefined;
  const rounds = callRounds(run);
  if (identicalRounds(rounds) >= MIN_TIMES) return undefined;
  const { calls, seqs } = rounds;
  for (let length = 2; length <= MAX_PATTERN; length += 1) {
    const times = Math.floor(repeatsOf(calls, length) / length) + 1;
    if (times < MIN_TIMES) continue;
    const tools = calls.slice(-length).flatMap((round) => round.map(({ name }) => name));
    return { tools, length, times, seqs: seqs.slice(-length * times) };
  }
  return undefined;
}

/** How many of the latest rounds equal the one `distance` before them. */
function repeatsOf(calls: CallRounds['calls'], distance: number): number {
  const keyAt = (index: number) => callsKey(calls[index] ?? []);
  let count = 0;
  for (let index = calls.length - 1; index >= distance; index -= 1) {
    if (keyAt(index) !== keyAt(index - distance)) break;
    count += 1;
  }
  return count;
}
