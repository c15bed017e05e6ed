import { type CallTime, TIME_KINDS, type TimeKind, type TimeTotals, totalTimes } from './series.ts';

/** The time of one iteration of a run: its calls, one after another. */
interface IterationTime {
  readonly totals: TimeTotals;
  /** In milliseconds. */
  readonly length: number;
  readonly segments: readonly { readonly kind: TimeKind; readonly length: number }[];
}

/** The same iteration of two runs, side by side on one axis. */
export interface AlignedTime {
  /** From 1; 0 for what precedes the first iteration. */
  readonly position: number;
  /** Where both begin, in milliseconds from the beginning of the axis. */
  readonly start: number;
  /** As long as the longer of the two. */
  readonly length: number;
  /** Missing if the run has fewer iterations. */
  readonly a?: IterationTime;
  readonly b?: IterationTime;
}

/**
 * Puts the iterations of two runs below each other: the first with the first, and so on, each beginning where the longer
 * one before it ended. Pure.
 */
export function alignTimes(a: readonly CallTime[], b: readonly CallTime[]): AlignedTime[] {
  const left = byIteration(a);
  const right = byIteration(b);
  const aligned: AlignedTime[] = [];
  let start = 0;
  const last = Math.max(-1, ...left.keys(), ...right.keys());
  for (let position = 0; position <= last; position += 1) {
    const [one, other] = [left.get(position), right.get(position)];
    const length = Math.max(one?.length ?? 0, other?.length ?? 0);
    if (!one && !other) continue;
    aligned.push({ position, start, length, ...(one && { a: one }), ...(other && { b: other }) });
    start += length;
  }
  return aligned;
}

/** The iterations by their position in the run. */
function byIteration(times: readonly CallTime[]): Map<number, IterationTime> {
  const groups = new Map<number, CallTime[]>();
  let position = 0;
  let before: CallTime | undefined;
  for (const time of times) {
    const same = before?.attempt === time.attempt && before.iteration === time.iteration;
    if (time.call > 0 && !(same && position > 0)) position += 1;
    const group = groups.get(position);
    if (group) group.push(time);
    else groups.set(position, [time]);
    before = time;
  }
  return new Map([...groups].map(([at, group]) => [at, iterationOf(group)]));
}

function iterationOf(group: readonly CallTime[]): IterationTime {
  const totals = totalTimes(group);
  return {
    totals,
    length: TIME_KINDS.reduce((sum, kind) => sum + totals[kind], 0),
    segments: group.flatMap(({ segments }) =>
      segments.map(({ kind, from, to }) => ({ kind, length: to - from })),
    ),
  };
}
