import { median } from 'd3-array';

/** Fewer stays than this are not enough for a useful median. */
const LEAST_STAYS = 3;
/** Older stays say less about the next ones. */
const STAYS_KEPT = 10;

/** Groups work that is expected to occupy a slot for about the same time. */
export type StayKind = string;

/** The entries of a queue. `kind: undefined` marks one that is endless. */
export interface Line {
  readonly inside: readonly { readonly kind: StayKind | undefined; readonly forMs: number }[];
  readonly waiting: readonly { readonly kind: StayKind | undefined }[];
}

/** The durations of the most recent stays of each kind, in milliseconds. */
export class RecentStays {
  readonly #stays = new Map<StayKind, readonly number[]>();

  add(kind: StayKind, ms: number): void {
    this.#stays.set(kind, [...(this.#stays.get(kind) ?? []), ms].slice(-STAYS_KEPT));
  }

  of(kind: StayKind | undefined): readonly number[] {
    return kind === undefined ? [] : (this.#stays.get(kind) ?? []);
  }
}

/**
 * Estimates how long each waiting entry waits for a slot, in milliseconds. Each entry ahead of it is assumed to take the
 * median stay of its kind; each active one, the median of the stays longer than its own so far.
 *
 * @returns for each waiting entry, `undefined` without enough data: fewer than three stays of a kind, an endless run
 * ahead, or an active entry that has already outlasted all earlier stays
 */
export function expectedWaitsMs({ inside, waiting }: Line, recent: RecentStays): (number | undefined)[] {
  const freeIn = inside.map(({ kind, forMs }) => remainingMs(recent.of(kind), forMs));
  const stays = new Map(
    [...new Set(waiting.map(({ kind }) => kind))].map((kind) => [kind, remainingMs(recent.of(kind), 0)]),
  );
  return waiting.map(({ kind }) => {
    const wait = Math.min(...freeIn);
    freeIn[freeIn.indexOf(wait)] = wait + (stays.get(kind) ?? 0);
    return Number.isFinite(wait) ? wait : undefined;
  });
}

function remainingMs(stays: readonly number[], forMs: number): number {
  if (stays.length < LEAST_STAYS) return Number.POSITIVE_INFINITY;
  const typical = median(stays.filter((ms) => ms > forMs));
  return typical === undefined ? Number.POSITIVE_INFINITY : typical - forMs;
}
