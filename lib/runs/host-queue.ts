interface Waiting {
  readonly runId: string;
  enter(release: () => void): void;
}

/**
 * The line before one model server: so many runs work with it at a time, the others wait in the order they came. A
 * local machine holds one model in memory; two runs would make each other slow.
 */
export class HostQueue {
  readonly #limit: number;
  readonly #onMove: () => void;
  readonly #inside = new Set<string>();
  #waiting: Waiting[] = [];
  #entries = 0;

  /** @param options.onMove called when anyone's place changed */
  constructor(options: { limit: number; onMove: () => void }) {
    this.#limit = options.limit;
    this.#onMove = options.onMove;
  }

  /**
   * Resolves when it is the run's turn, with the function that gives the place back; or at once after `leave`.
   *
   * @param options.again the run had a place before and goes to the head of the line
   */
  enter(runId: string, options: { again?: boolean } = {}): Promise<() => void> {
    return new Promise((resolve) => {
      const waiting = { runId, enter: resolve };
      if (options.again) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#advance();
    });
  }

  /** How often a place was given so far. */
  get entries(): number {
    return this.#entries;
  }

  /** Lets a waiting run go without a place: it was stopped and only has its end to write. */
  leave(runId: string): void {
    const found = this.#waiting.find((waiting) => waiting.runId === runId);
    if (!found) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== found);
    found.enter(() => undefined);
    this.#onMove();
  }

  /** The runs before this one: those at work, then those that wait ahead of it; `undefined` when it does not wait. */
  ahead(runId: string): string[] | undefined {
    const index = this.#waiting.findIndex((waiting) => waiting.runId === runId);
    if (index < 0) return undefined;
    return [...this.#inside, ...this.#waiting.slice(0, index).map((waiting) => waiting.runId)];
  }

  /** The place in the line, from 1. */
  position(runId: string): number | undefined {
    const index = this.#waiting.findIndex((waiting) => waiting.runId === runId);
    return index < 0 ? undefined : index + 1;
  }

  get waiting(): readonly string[] {
    return this.#waiting.map((waiting) => waiting.runId);
  }

  /** Those that have a place. */
  get inside(): readonly string[] {
    return [...this.#inside];
  }

  get active(): number {
    return this.#inside.size;
  }

  #advance(): void {
    while (this.#inside.size < this.#limit) {
      const next = this.#waiting.shift();
      if (!next) break;
      this.#inside.add(next.runId);
      this.#entries++;
      let inside = true;
      next.enter(() => {
        if (!inside) return;
        inside = false;
        this.#inside.delete(next.runId);
        this.#advance();
      });
    }
    this.#onMove();
  }
}
