import { foldAll } from '../events/fold-run.ts';
import { placeEvents } from '../events/place-events.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/** Derives the events of an append from the state they follow. */
export type ChooseEvents = (state: RunState) => readonly NewEvent[];

interface Pending {
  readonly choose: ChooseEvents;
  readonly isOptional: boolean;
  events: readonly RunEvent[];
  /** The state after them. */
  state: RunState;
  readonly outcome: PromiseWithResolvers<void>;
  isAwaited: boolean;
}

/** The appends to one run that are not on disk yet, in order, and the states before and after each of them. */
export class PendingAppends {
  readonly #now: () => number;
  #stored: RunState;
  #queue: Pending[] = [];

  /** @param now milliseconds since 1970 */
  constructor(stored: RunState, now: () => number) {
    this.#stored = stored;
    this.#now = now;
  }

  /** The state on disk. */
  get stored(): RunState {
    return this.#stored;
  }

  /** The state on disk once nothing is pending. */
  get latest(): RunState {
    return this.#queue.at(-1)?.state ?? this.#stored;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /**
   * Adds the events that `choose` derives from the latest state. Calls it again if other events turn out to be on disk.
   *
   * @param options.isOptional whether nothing later depends on the events, so that they can be left out if they no longer
   *   fit
   * @returns the events with their positions
   * @throws whatever `choose` and the fold throw; then nothing is added
   */
  add(choose: ChooseEvents, { isOptional = false } = {}): readonly RunEvent[] {
    const placed = this.#place(this.latest, choose);
    if (placed.events.length === 0) return [];
    const outcome = Promise.withResolvers<void>();
    outcome.promise.catch(() => undefined); // not every append is awaited
    this.#queue.push({ choose, isOptional, ...placed, outcome, isAwaited: false });
    return placed.events;
  }

  /** Resolves once everything that is pending now is on disk. */
  async settled(): Promise<void> {
    const last = this.#queue.at(-1);
    if (!last) return;
    last.isAwaited = true;
    await last.outcome.promise;
  }

  /** Whether anyone waits for a pending append. */
  get isAwaited(): boolean {
    return this.#queue.some((pending) => pending.isAwaited);
  }

  /** Everything that is pending, as one append. Call `commit` once it is on disk. */
  batch(): Batch {
    const entries = [...this.#queue];
    return {
      events: entries.flatMap(({ events }) => events),
      state: this.latest,
      commit: () => {
        this.#queue = this.#queue.slice(entries.length);
        this.#stored = entries.at(-1)?.state ?? this.#stored;
      },
      resolve: () => {
        for (const { outcome } of entries) outcome.resolve();
      },
      reject: (reason) => {
        for (const { outcome } of entries) outcome.reject(reason);
      },
    };
  }

  /**
   * Inserts events that another process has appended. Pending events are chosen again and follow them.
   *
   * @throws what `choose` and the fold throw for an append that is not optional; call `drop` then
   */
  insert(events: readonly RunEvent[]): void {
    this.#stored = foldAll(this.#stored, events);
    let before = this.#stored;
    const kept: Pending[] = [];
    for (const pending of this.#queue) {
      try {
        const placed = this.#place(before, pending.choose);
        if (placed.events.length === 0) pending.outcome.resolve();
        else kept.push({ ...pending, ...placed });
        before = placed.state;
      } catch (error) {
        if (!pending.isOptional) throw error;
        pending.outcome.reject(error);
      }
    }
    this.#queue = kept;
  }

  /** Drops everything that is pending, so that the stored state is the latest again. */
  drop(reason: unknown): void {
    const pending = this.#queue;
    this.#queue = [];
    for (const { outcome } of pending) outcome.reject(reason);
  }

  #place(before: RunState, choose: ChooseEvents): { events: readonly RunEvent[]; state: RunState } {
    const events = placeEvents(before, choose(before), this.#now());
    return { events, state: foldAll(before, events) };
  }
}

/** Pending appends on their way to the disk. */
export interface Batch {
  readonly events: readonly RunEvent[];
  /** The state after them. */
  readonly state: RunState;
  /** Makes the events part of the stored state. */
  commit(): void;
  /** Resolves the waits for them. */
  resolve(): void;
  reject(reason: unknown): void;
}
