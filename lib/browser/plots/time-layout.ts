import {
  type CallTime,
  TIME_KINDS,
  type TimeKind,
  type TimeSegment,
  type TimeTotals,
  totalTimes,
} from './series.ts';

/** Waits are shortened to this length on request, in milliseconds. */
export const SHORT_WAIT_MS = 1000;

/** A segment with its place on the time axis of a plot, in milliseconds from its beginning. */
interface PlacedSegment extends TimeSegment {
  readonly start: number;
  readonly end: number;
}

/** One row of a waterfall: a call, or consecutive calls where there are more than fit. */
export interface WaterfallRow {
  readonly first: CallTime;
  readonly last: CallTime;
  readonly calls: number;
  readonly totals: TimeTotals;
  readonly segments: readonly PlacedSegment[];
  readonly start: number;
  readonly end: number;
}

/**
 * Places calls on a time axis, at most `maxRows` rows of them. Rows of several calls show the sum of each kind. Pure.
 *
 * @param options.longestWaitMs longer waits are drawn as this long
 */
export function layOutTimes(
  times: readonly CallTime[],
  { maxRows, longestWaitMs = Number.POSITIVE_INFINITY }: { maxRows: number; longestWaitMs?: number },
): { rows: WaterfallRow[]; length: number } {
  const size = Math.max(1, Math.ceil(times.length / Math.max(1, maxRows)));
  const rows: WaterfallRow[] = [];
  let at = 0;
  for (let index = 0; index < times.length; index += size) {
    const group = times.slice(index, index + size);
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last) continue;
    const start = at;
    const segments: PlacedSegment[] = [];
    for (const segment of size === 1 ? first.segments : summed(group, longestWaitMs)) {
      const length = lengthOf(segment, size === 1 ? longestWaitMs : Number.POSITIVE_INFINITY);
      segments.push({ ...segment, start: at, end: at + length });
      at += length;
    }
    rows.push({ first, last, calls: group.length, totals: totalTimes(group), segments, start, end: at });
  }
  return { rows, length: at };
}

function lengthOf({ kind, from, to }: TimeSegment, longestWaitMs: number): number {
  return kind === 'waiting' ? Math.min(to - from, longestWaitMs) : to - from;
}

/** One segment per kind, as long as all of them. */
function summed(group: readonly CallTime[], longestWaitMs: number): TimeSegment[] {
  const [first] = group;
  if (!first) return [];
  const lengths = new Map<TimeKind, number>();
  for (const { segments } of group) {
    for (const segment of segments) {
      lengths.set(segment.kind, (lengths.get(segment.kind) ?? 0) + lengthOf(segment, longestWaitMs));
    }
  }
  let from = first.from;
  return TIME_KINDS.flatMap((kind) => {
    const length = lengths.get(kind) ?? 0;
    if (length === 0) return [];
    const segment = { kind, from, to: from + length, seq: first.seq };
    from += length;
    return [segment];
  });
}

/** A bin of a time strip: the share of each kind, together 1. */
export interface TimeBin {
  readonly shares: TimeTotals;
  /** The first event in it. */
  readonly seq: number;
}

/** Divides the time of a run into bins of equal length, so that a strip of any run has as many parts. Pure. */
export function timeBins(times: readonly CallTime[], count: number): TimeBin[] {
  const { rows, length } = layOutTimes(times, { maxRows: times.length });
  if (length === 0 || count < 1) return [];
  const width = length / count;
  const bins = Array.from({ length: count }, () => ({ shares: emptyTotals(), seq: 0 }));
  for (const { segments } of rows) {
    for (const { kind, start, end, seq } of segments) {
      const last = Math.min(count - 1, Math.ceil(end / width) - 1);
      for (let index = Math.floor(start / width); index <= last; index += 1) {
        const bin = bins[index];
        if (!bin) continue;
        const inside = Math.min(end, (index + 1) * width) - Math.max(start, index * width);
        if (inside <= 0) continue;
        bin.shares[kind] += inside / width;
        if (bin.seq === 0) bin.seq = seq;
      }
    }
  }
  return bins;
}

function emptyTotals(): Record<TimeKind, number> {
  return { load: 0, prompt: 0, thinking: 0, writing: 0, model: 0, tool: 0, waiting: 0 };
}
