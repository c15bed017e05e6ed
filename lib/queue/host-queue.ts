import { expectedWaitMs, RecentStays, type StayKind } from './expected-wait.ts';

interface Waiting {
  readonly runId: string;
  readonly kind: StayKind | undefined;
  enter(release: () => void): void;
}

/**
 * The line before one model server: so many runs work with it at a time, the others wait in the order they came. A
 * local machine holds one model in memory; two runs would make each other slow.
 */
export class HostQueue {
  readonly #limit: number;
  readonly #onMove: () => void;
  readonly #clock: () => number;
  readonly #inside = new Map<string, { kind: StayKind | undefined; since: number }>();
  readonly #stays = new RecentStays();
  #waiting: Waiting[] = [];
  #entries = 0;

  /**
   * @param options.onMove called when anyone's place changed
   * @param options.clock milliseconds that nobody sets. Default: the system's
   */
  constructor(options: { limit: number; onMove: () => void; clock?: () => number }) {
    this.#limit = options.limit;
    this.#onMove = options.onMove;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /**
   * Resolves when it is the run's turn, with the function that gives the place back; or at once after `leave`.
   *
   * @param options.again the run had a place before and goes to the head of the line
   * @param options.kind whose stays are about as long; left out where it has no end of its own
   */
  enter(runId: string, options: { again?: boolean; kind?: StayKind } = {}): Promise<() => void> {
    return new Promise((resolve) => {
      const waiting = { runId, kind: options.kind, enter: resolve };
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
    return [...this.#inside.keys(), ...this.#waiting.slice(0, index).map((waiting) => waiting.runId)];
  }

  /** The place in the line, from 1. */
  position(runId: string): number | undefined {
    const index = this.#waiting.findIndex((waiting) => waiting.runId === runId);
    return index < 0 ? undefined : index + 1;
  }

  /** How long it may take until a waiting run gets its place, in milliseconds, where there is enough to go by. */
  expectedWaitMs(runId: string): number | undefined {
    const index = this.#waiting.findIndex((waiting) => waiting.runId === runId);
    if (index < 0) return undefined;
    const now = this.#clock();
    const inside = [...this.#inside.values()].map(({ kind, since }) => ({ kind, forMs: now - since }));
    return expectedWaitMs({ inside, ahead: this.#waiting.slice(0, index) }, this.#stays);
  }

  get waiting(): readonly string[] {
    return this.#waiting.map((waiting) => waiting.runId);
  }

  /** Those that have a place. */
  get inside(): readonly string[] {
    return [...this.#inside.keys()];
  }

  get active(): number {
    return this.#inside.size;
  }

  #advance(): void {
    while (this.#inside.size < this.#limit) {
      const next = this.#waiting.shift();
      if (!next) break;
      const since = this.#clock();
      this.#inside.set(next.runId, { kind: next.kind, since });
      this.#entries++;
      let inside = true;
      next.enter(() => {
        if (!inside) return;
        inside = false;
        this.#inside.delete(next.runId);
        if (next.kind !== undefined) this.#stays.add(next.kind, this.#clock() - since);
        this.#advance();
      });
    }
    this.#onMove();
  }
}
