interface Known<T> {
  readonly before: T | undefined;
  /** The sum up to and including this item, without the first item of the list. */
  readonly sum: number;
}

/**
 * Sums the sizes of lists that only grow, such as a conversation, at the cost of the new items only: the sum up to each
 * item is cached with it. The first item may be replaced at any time (each request builds a new system prompt); every
 * later item must always follow the same items.
 */
export class RunningSum<T extends object> {
  readonly #sizeOf: (item: T) => number;
  readonly #known = new WeakMap<T, Known<T>>();

  /** @param sizeOf called once per item, except the first */
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

/** The preceding item; the first item of a list does not count. */
function previous<T>(items: readonly T[], index: number): T | undefined {
  return index > 1 ? items[index - 1] : undefined;
}
