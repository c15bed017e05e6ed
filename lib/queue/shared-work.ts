import {
  BEATS_PER_LEASE,
  type FreeRun,
  type HeldRun,
  type SharedRunStore,
} from '../store/shared-run-store.ts';
import { isStoreBusy } from '../store/store-errors.ts';

const LOOK_MS = 1000;
const NO_LIMIT = 1_000_000;
/** When so many runs could not be taken, the places of their model server are taken. */
const MISSES = 3;

export interface SharedWorkOptions {
  store: SharedRunStore;
  /** This process, for people. */
  worker: string;
  /** Runs that one model server works on at a time, whoever holds them. */
  places: number;
  /** The name by which every process knows the model server of a run. */
  hostOf(run: { model: string }): string;
  /** Whether this process could work on a run of this model server at once. */
  hasPlace(host: string): boolean;
  /** A run that was free is this process's own now. */
  take(runId: string, claim: { epoch: number; lastSeq: number }): Promise<void>;
  held(): HeldRun[];
  /** Another worker has taken the run. */
  lost(runId: string): void;
}

/**
 * What a process does for the runs that it shares with others: it takes free ones as long as it has places for them,
 * and prolongs the leases of those it holds. The runs with their leases are the queue (docs/decisions/0022).
 */
export class SharedWork {
  readonly #options: SharedWorkOptions;
  #timers: NodeJS.Timeout[] = [];
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #waiting: FreeRun[] = [];
  #closed = false;

  constructor(options: SharedWorkOptions) {
    this.#options = options;
  }

  start(): void {
    const { store } = this.#options;
    this.#timers = [
      setInterval(() => this.poke(), LOOK_MS).unref(),
      setInterval(() => void this.#beat(), store.leaseMs / BEATS_PER_LEASE).unref(),
    ];
    this.poke();
  }

  /** Looks for work now: a run was made or stopped, or a place became free. */
  poke(): void {
    this.#lookAgain = true;
    if (this.#timers.length === 0 || this.#closed) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#lookAgain) this.poke();
    });
  }

  /** Runs that no process had a place for when this one looked last, in order. */
  get waiting(): readonly string[] {
    return this.#waiting.map(({ id }) => id);
  }

  /** Those of them that wait for this model server. */
  waitingFor(host: string): FreeRun[] {
    return this.#waiting.filter((run) => this.#options.hostOf(run) === host);
  }

  /** Takes nothing more. Leases are prolonged no more either. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    this.#lookAgain = false;
    try {
      const waiting: FreeRun[] = [];
      const misses = new Map<string, number>();
      for (const run of await this.#options.store.free()) {
        if (this.#closed) return;
        const host = this.#options.hostOf(run);
        const missed = misses.get(host) ?? 0;
        if (missed < MISSES && (await this.#tryToTake(run))) continue;
        misses.set(host, missed + 1);
        waiting.push(run);
      }
      this.#waiting = waiting;
    } catch (error) {
      if (!isStoreBusy(error)) console.error('Looking for work failed:', error); // the next look tries again
    }
  }

  /** @returns whether the run waits no more, whoever has it */
  async #tryToTake(run: FreeRun): Promise<boolean> {
    const { store, worker, places, hostOf, hasPlace, take } = this.#options;
    const host = hostOf(run);
    if (!run.stopRequested && !hasPlace(host)) return false;
    const claim = await store.claimFree(run.id, {
      worker,
      host,
      // A run that was stopped has only its end to write.
      places: run.stopRequested ? NO_LIMIT : places,
    });
    if (!claim) return false;
    try {
      await take(run.id, claim);
    } catch (error) {
      // Its lease runs out, and it is taken up again by whoever looks then.
      console.error(`Run ${run.id} could not be taken up:`, error);
    }
    return true;
  }

  async #beat(): Promise<void> {
    try {
      const lost = await this.#options.store.renew(this.#options.held());
      const held = new Set(this.#options.held().map(({ runId }) => runId));
      for (const runId of lost) if (held.has(runId)) this.#options.lost(runId);
    } catch (error) {
      // Whether the runs are still this process's own is decided by the fence of the next append.
      if (!isStoreBusy(error)) console.error('Leases could not be prolonged:', error);
    }
  }
}

/** A run or a place that could not be given back is free once its lease has run out. */
export function leftToItsLease(error: unknown): void {
  console.warn('A run could not be given back and waits for its lease to run out:', error);
}
