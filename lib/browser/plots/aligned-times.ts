import { type CallTime, TIME_KINDS, type TimeKind, type TimeTotals, totalTimes } from './series.ts';

/** The time of one iteration of a run: its calls, one after another. */
export interface IterationTime {
  readonly totals: TimeTotals;
  /** In milliseconds. */
  readonly length: number;
  readonly segments: readonly { readonly kind: TimeKind; readonly length: number }[];
}

/** The same iteration of several runs on one axis. */
export interface AlignedTime {
  /** From 1; 0 for what precedes the first iteration. */
  readonly position: number;
  /** Its start in all runs, in milliseconds from the start of the axis. */
  readonly start: number;
  /** As long as the longest. */
  readonly length: number;
  /** In the order of the runs; `undefined` for a run that has fewer iterations. */
  readonly runs: readonly (IterationTime | undefined)[];
}

/**
 * Puts the iterations of several runs below each other: the first with the first, and so on, each beginning where the
 * longest one before it ended. Pure.
 */
export function alignTimes(runs: readonly (readonly CallTime[])[]): AlignedTime[] {
  const all = runs.map(byIteration);
  const aligned: AlignedTime[] = [];
  let start = 0;
  const last = all.reduce((most, times) => Math.max(most, ...times.keys()), -1);
  for (let position = 0; position <= last; position += 1) {
    const own = all.map((times) => times.get(position));
    if (own.every((time) => time === undefined)) continue;
    const length = Math.max(...own.map((time) => time?.length ?? 0));
    aligned.push({ position, start, length, runs: own });
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
