import { expectedWaitsMs, RecentStays, type StayKind } from './expected-wait.ts';

interface Waiting {
  readonly runId: string;
  readonly kind: StayKind | undefined;
  enter(release: () => void): void;
}

/** How long estimates are reused, in milliseconds: every change in a long queue requests those of all waiting runs. */
const REUSED_MS = 50;

/**
 * The queue of one model server: a limited number of runs use it at a time, the rest wait in arrival order. A local
 * machine usually holds one model in memory; two runs would slow each other down.
 */
export class HostQueue {
  readonly #limit: number;
  readonly #onMove: () => void;
  readonly #clock: () => number;
  readonly #inside = new Map<string, { kind: StayKind | undefined; since: number }>();
  /** Runs for which a slot is kept free until they enter. */
  readonly #reserved = new Set<string>();
  readonly #stays = new RecentStays();
  #waiting: Waiting[] = [];
  #entries = 0;
  /** The place of each waiting run, from 0, and its estimated wait. Dropped when the queue changes. */
  #places: { at: number; of: Map<string, { index: number; waitMs: number | undefined }> } | undefined;

  /**
   * @param options.onMove called when any queue position changes
   * @param options.clock a monotonic clock in milliseconds. Default: the system's
   */
  constructor(options: { limit: number; onMove: () => void; clock?: () => number }) {
    this.#limit = options.limit;
    this.#onMove = options.onMove;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /**
   * Resolves when it is the run's turn, with a function that releases the slot; or after `leave`, with one that does
   * nothing. A run with a reservation enters at once.
   *
   * @param options.again the run had a slot before and goes to the head of the queue
   * @param options.kind groups runs with similar stays; omitted for an endless run
   */
  enter(runId: string, options: { again?: boolean; kind?: StayKind } = {}): Promise<() => void> {
    return new Promise((resolve) => {
      const waiting = { runId, kind: options.kind, enter: resolve };
      if (this.#reserved.delete(runId) || options.again) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#advance();
    });
  }

  /**
   * Keeps a slot free for a run until it enters, if the run could enter now.
   *
   * @returns a function that gives the slot back if it was not used; `undefined` if none is free
   */
  reserve(runId: string): (() => void) | undefined {
    if (this.#taken + this.#waiting.length >= this.#limit) return undefined;
    this.#reserved.add(runId);
    return () => {
      if (this.#reserved.delete(runId)) this.#advance();
    };
  }

  /** How many slots have been granted so far. */
  get entries(): number {
    return this.#entries;
  }

  /** Removes a waiting run without giving it a slot: it was stopped and only has to write its end. */
  leave(runId: string): void {
    const found = this.#waiting.find((waiting) => waiting.runId === runId);
    if (!found) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== found);
    this.#places = undefined;
    found.enter(() => undefined);
    this.#onMove();
  }

  /** The runs ahead of this one: active first, then waiting; `undefined` if it is not waiting. */
  ahead(runId: string): string[] | undefined {
    const place = this.#placeOf(runId);
    return (
      place && [
        ...this.#inside.keys(),
        ...this.#waiting.slice(0, place.index).map((waiting) => waiting.runId),
      ]
    );
  }

  /** The position in the queue, from 1. */
  position(runId: string): number | undefined {
    const place = this.#placeOf(runId);
    return place && place.index + 1;
  }

  /** The estimated wait in milliseconds, if there is enough data. */
  expectedWaitMs(runId: string): number | undefined {
    return this.#placeOf(runId)?.waitMs;
  }

  #placeOf(runId: string) {
    const now = this.#clock();
    if (!this.#places || now - this.#places.at >= REUSED_MS) {
      const inside = [...this.#inside.values()].map(({ kind, since }) => ({ kind, forMs: now - since }));
      const waits = expectedWaitsMs({ inside, waiting: this.#waiting }, this.#stays);
      const of = new Map(this.#waiting.map((run, index) => [run.runId, { index, waitMs: waits[index] }]));
      this.#places = { at: now, of };
    }
    return this.#places.of.get(runId);
  }

  get waiting(): readonly string[] {
    return this.#waiting.map((waiting) => waiting.runId);
  }

  /** The active entries. */
  get inside(): readonly string[] {
    return [...this.#inside.keys()];
  }

  get #taken(): number {
    return this.#inside.size + this.#reserved.size;
  }

  #advance(): void {
    this.#places = undefined;
    while (this.#taken < this.#limit) {
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
