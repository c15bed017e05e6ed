/** Lists created by the current pass and not yet shared. */
let ownLists: WeakSet<readonly unknown[]> | undefined;

/**
 * Returns a list with items appended. The original is not modified unless the current pass created it: copying a long
 * conversation for each message would take quadratic time.
 */
export function appended<T>(list: readonly T[], ...items: readonly T[]): readonly T[] {
  if (ownLists?.has(list)) {
    (list as T[]).push(...items);
    return list;
  }
  const copy = [...list, ...items];
  ownLists?.add(copy);
  return copy;
}

/**
 * A computation of which only the last result is kept, so that each step may extend lists created by earlier steps.
 * Lists that existed before the pass are not modified.
 */
export class Pass {
  readonly #lists = new WeakSet<readonly unknown[]>();

  step<T>(work: () => T): T {
    const before = ownLists;
    ownLists = this.#lists;
    try {
      return work();
    } finally {
      ownLists = before;
    }
  }
}
