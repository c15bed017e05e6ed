interface Known<T> {
  readonly before: T | undefined;
  /** Of this item and those before it, but for the first of the list. */
  readonly sum: number;
}

/**
 * Adds up the sizes of lists that only ever grow, such as a conversation, at the cost of what is new: the sum up to each
 * item is remembered with it. The first item may be another one each time (a prompt is made anew for each request); an
 * item further back always follows the same items.
 */
export class RunningSum<T extends object> {
  readonly #sizeOf: (item: T) => number;
  readonly #known = new WeakMap<T, Known<T>>();

  /** @param sizeOf asked once for each item but the first */
  constructor(sizeOf: (item: T) => number) {
    this.#sizeOf = sizeOf;
  }

  of(items: readonly T[]): number {
    const [first] = items;
    if (!first) return 0;
    let last = items.length - 1;
    while (last > 0 && this.#sumAt(items, last) === undefined) last -= 1;
    let sum = this.#sumAt(items, last) ?? 0;
    for (let index = last + 1; index < items.length; index += 1) {
      const item = items[index];
      if (!item) continue;
      sum += this.#sizeOf(item);
      this.#known.set(item, { before: previous(items, index), sum });
    }
    return this.#sizeOf(first) + sum;
  }

  #sumAt(items: readonly T[], index: number): number | undefined {
    const item = index > 0 ? items[index] : undefined;
    const known = item && this.#known.get(item);
    return known && known.before === previous(items, index) ? known.sum : undefined;
  }
}

/** The item before, as far as it counts: the first of a list does not. */
function previous<T>(items: readonly T[], index: number): T | undefined {
  return index > 1 ? items[index - 1] : undefined;
}
