/** Fewer stays than this are not enough for a useful median. */
const LEAST_STAYS = 3;
/** Older stays say less about the next ones. */
const STAYS_KEPT = 10;

/** Groups work that is expected to occupy a slot for about the same time. */
export type StayKind = string;

/** The entries ahead in the queue. `kind: undefined` marks one that is endless. */
export interface Line {
  readonly inside: readonly { readonly kind: StayKind | undefined; readonly forMs: number }[];
  readonly ahead: readonly { readonly kind: StayKind | undefined }[];
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
 * Estimates the wait for a slot in milliseconds. Each waiting entry is assumed to take the median stay of its kind; each
 * active one, the median of the stays longer than its own so far.
 *
 * @returns `undefined` without enough data: fewer than three stays of a kind, an endless run ahead, or an active entry
 * that has already outlasted all earlier stays
 */
export function expectedWaitMs({ inside, ahead }: Line, recent: RecentStays): number | undefined {
  const freeIn = inside.map(({ kind, forMs }) => remainingMs(recent.of(kind), forMs));
  for (const { kind } of ahead) {
    const next = freeIn.indexOf(Math.min(...freeIn));
    freeIn[next] = (freeIn[next] ?? 0) + remainingMs(recent.of(kind), 0);
  }
  const wait = Math.min(...freeIn);
  return Number.isFinite(wait) ? wait : undefined;
}

function remainingMs(stays: readonly number[], forMs: number): number {
  if (stays.length < LEAST_STAYS) return Number.POSITIVE_INFINITY;
  const longer = stays.filter((ms) => ms > forMs).sort((a, b) => a - b);
  const middle = longer[longer.length >> 1];
  return middle === undefined ? Number.POSITIVE_INFINITY : middle - forMs;
}
