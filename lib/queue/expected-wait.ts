/** How much there has to be to go by: a median of fewer would be a guess. */
const LEAST_STAYS = 3;
/** What was long ago says less about what comes next. */
const STAYS_KEPT = 10;

/** Things of one kind that worked with a model server: they are taken to need about as long as each other. */
export type StayKind = string;

/** Who is before somebody in the line. `kind: undefined`: it has no end of its own. */
export interface Line {
  readonly inside: readonly { readonly kind: StayKind | undefined; readonly forMs: number }[];
  readonly ahead: readonly { readonly kind: StayKind | undefined }[];
}

/** How long the last ones of each kind kept their place, in milliseconds. */
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
 * How long it may take until somebody gets a place, in milliseconds: each before them is taken to stay as long as the last of
 * its kind did in the middle, and one at work to need what those did that stayed longer than it has been there.
 *
 * @returns nothing where there is too little to go by: no three stays of a kind yet, something without an end of its own, or
 *   one that has been at work for longer than any before
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
