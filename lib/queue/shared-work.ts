import { BEATS_PER_LEASE, type FreeRun, type HeldRun, type RunLeases } from '../store/leases.ts';
import { isStoreBusy } from '../store/store-errors.ts';
import type { WaitingRuns } from './waiting-runs.ts';

const LOOK_MS = 1000;
/** After this many failed claims, assume that all slots of the model server are taken. */
const MISSES = 3;

export interface SharedWorkOptions {
  store: RunLeases;
  /** A display name for this process. */
  worker: string;
  /** Concurrent runs per model server, across all processes. */
  concurrency: number;
  /** The name by which all processes know a run's model server. */
  hostOf(run: { model: string }): string;
  slots: {
    /**
     * Keeps a slot of this process free for a run, if it could start on this model server immediately.
     *
     * @returns a function that gives the slot back if the run did not enter
     */
    reserve(runId: string, host: string): (() => void) | undefined;
  };
  /** Receives the runs for which there was no slot. */
  waiting: WaitingRuns;
  /** The runs that this process works on. */
  runs: {
    held(): HeldRun[];
    /** Called when another worker has taken over the run. */
    lose(runId: string): void;
  };
  runner: {
    /** Called with a free run that this process has claimed. */
    take(runId: string, claim: { epoch: number; lastSeq: number }): Promise<void>;
  };
}

/**
 * Claims free runs while this process has slots for them, and renews the leases of the runs it holds. The runs with their
 * leases are the queue (docs/decisions/0022).
 */
export class SharedWork {
  readonly #options: SharedWorkOptions;
  #timers: NodeJS.Timeout[] = [];
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;

  constructor(options: SharedWorkOptions) {
    this.#options = options;
    options.waiting.onPoke(() => this.#poke());
  }

  start(): void {
    const { store } = this.#options;
    this.#timers = [
      setInterval(() => this.#poke(), LOOK_MS).unref(),
      setInterval(() => void this.#beat(), store.leaseMs / BEATS_PER_LEASE).unref(),
    ];
    this.#poke();
  }

  #poke(): void {
    this.#lookAgain = true;
    if (this.#timers.length === 0 || this.#closed) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#lookAgain) this.#poke();
    });
  }

  /** Stops claiming runs and renewing leases. */
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
        // Its lease expired, because the process was suspended or the database did not answer: the next beat decides.
        if (this.#options.runs.held().some(({ runId }) => runId === run.id)) continue;
        const host = this.#options.hostOf(run);
        const missed = misses.get(host) ?? 0;
        if ((missed < MISSES || !needsSlot(run)) && (await this.#tryToTake(run))) continue;
        misses.set(host, missed + 1);
        waiting.push(run);
      }
      this.#options.waiting.replace(waiting);
    } catch (error) {
      if (!isStoreBusy(error)) console.error('Looking for work failed:', error); // the next look tries again
    }
  }

  /** @returns whether the run no longer waits, whichever process has it */
  async #tryToTake(run: FreeRun): Promise<boolean> {
    const { store, worker, concurrency, slots, hostOf, runner } = this.#options;
    const host = hostOf(run);
    // A claim takes one of the slots that all processes share. A check that entered here meanwhile would wait for that
    // one, and the run for the check.
    const giveBack = needsSlot(run) ? slots.reserve(run.id, host) : () => undefined;
    if (!giveBack) return false;
    try {
      const claim = await store.claimFree(run.id, {
        worker,
        ...(needsSlot(run) && { host }),
        slots: concurrency,
      });
      if (!claim) return false;
      await runner.take(run.id, claim).catch((error: unknown) => {
        // Its lease expires, and another look claims it again.
        console.error(`Run ${run.id} could not be claimed:`, error);
      });
      return true;
    } finally {
      giveBack();
    }
  }

  async #beat(): Promise<void> {
    try {
      const { store, runs } = this.#options;
      const before = runs.held().map(({ runId, epoch }) => ({ runId, epoch }));
      const lost = new Set(await store.renew(before));
      // A run may have been released meanwhile, and claimed again.
      const isHeld = ({ runId, epoch }: HeldRun) =>
        runs.held().some((held) => held.runId === runId && held.epoch === epoch);
      for (const run of before) if (lost.has(run.runId) && isHeld(run)) runs.lose(run.runId);
    } catch (error) {
      // The fence of the next append decides whether this process still holds the runs.
      if (!isStoreBusy(error)) console.error('Could not renew leases:', error);
    }
  }
}

/** A stopped run only has to write its end. */
function needsSlot(run: FreeRun): boolean {
  return run.needsSlot && !run.stopRequested;
}

/** Reports a failed release. It needs no retry, because the lease expires. */
export function warnNotReleased(error: unknown): void {
  console.warn(
    'Could not release a run, slot or experiment; it stays leased until the lease expires:',
    error,
  );
}
