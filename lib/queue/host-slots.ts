import { setTimeout as delay } from 'node:timers/promises';
import type { RunSummary } from '../api/run-summary.ts';
import type { RunConfig } from '../events/config.ts';
import { PHASES_WITHOUT_MODEL } from '../events/run-phase.ts';
import { BEATS_PER_LEASE } from '../store/leases.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { HostQueue } from './host-queue.ts';
import { type QueuedRuns, RunSlot, type RunSlotOptions, type SharedSlots, SLOT_POLL_MS } from './run-slot.ts';
import { warnNotReleased } from './shared-work.ts';

/** How long an endless run keeps its slot if each switch reloads a model. */
const STRETCH_MS = 30_000;

export interface HostSlotsOptions {
  /** Names this process among all that share the store. */
  processId: string;
  /** Concurrent runs per model server. */
  concurrency: number;
  /**
   * How long an endless run keeps its slot while only endless runs with other models wait, in milliseconds. Default:
   * 30,000.
   */
  stretchMs?: number;
  /** A monotonic clock in milliseconds, for the estimates. Default: the system's. */
  clock?: () => number;
  /** The model server of a run. */
  hostOf(config: Pick<RunConfig, 'model'>): string;
  runs: QueuedRuns;
  /** Aborted when the server shuts down. */
  closing: AbortSignal;
  /** Set where several processes share the runs. */
  shared?: SharedSlots & {
    /** The name by which all processes know a run's model server. */
    hostOf(run: { model: string }): string;
  };
}

/**
 * Uses of a slot other than runs: a model check, a benchmark case, a rating, or a model call that a person sends again.
 */
export type SlotPurpose = 'check' | 'benchmark' | 'rerun' | 'rating';

/** A use of a model server outside of runs, or its wait for one. */
interface SlotUse {
  purpose: SlotPurpose;
  model: string;
  host: string;
}

/** A use of a model outside of runs. */
export interface SlotRequest {
  /** Unique among all runs and uses of this process. */
  id: string;
  purpose: SlotPurpose;
  model: string;
  signal: AbortSignal;
}

/** The slots of all model servers and the queues for them. Where processes share the runs, they share the slots too. */
export class HostSlots {
  readonly #options: HostSlotsOptions;
  readonly #queues = new Map<string, HostQueue>();
  readonly #uses = new Map<string, SlotUse>();

  constructor(options: HostSlotsOptions) {
    this.#options = options;
  }

  /** How many runs are active, and how many wait in this process. */
  get counts(): { active: number; queued: number } {
    const runsAmong = (ids: readonly string[]) => ids.filter((id) => !this.#uses.has(id)).length;
    const queues = [...this.#queues.values()];
    return {
      active: runsAmong(queues.flatMap((queue) => queue.inside)),
      queued: runsAmong(queues.flatMap((queue) => queue.waiting)),
    };
  }

  /** The uses outside of runs that hold a slot. */
  get activeUses(): readonly SlotUse[] {
    const inside = [...this.#queues.values()].flatMap((queue) => queue.inside);
    return inside.flatMap((id) => this.#uses.get(id) ?? []);
  }

  /**
   * Keeps a slot of this process free while a run is claimed for it.
   *
   * @returns a function that gives the slot back if the run did not enter; `undefined` if a new run could not start now
   */
  reserve(runId: string, host: string): (() => void) | undefined {
    return this.#queueFor(host).reserve(runId);
  }

  /**
   * The wait of a run or another use; `undefined` if it is not waiting here.
   *
   * @returns its position in the queue, from 1, and its estimated start in milliseconds since 1970, if there is enough
   * data
   */
  waitOf(id: string): { position: number; expectedAt: number | undefined } | undefined {
    for (const queue of this.#queues.values()) {
      const position = queue.position(id);
      if (position !== undefined) return { position, expectedAt: this.#expectedAt(queue, id) };
    }
    return undefined;
  }

  /** Adds its position in the queue to a waiting run, whichever process holds it. */
  withPosition(run: RunSummary): RunSummary {
    if (run.phase === 'ended') return run;
    const wait = this.waitOf(run.id);
    if (wait) {
      const { position, expectedAt } = wait;
      const expected = expectedAt === undefined ? {} : { queue_expected_at: expectedAt };
      return { ...run, queue_position: position, ...expected };
    }
    const position = this.#options.shared?.waiting.positionOf(run);
    return position === undefined ? run : { ...run, queue_position: position };
  }

  /** Removes a waiting run without giving it a slot: it only has to write its end. */
  leave(runId: string): void {
    for (const queue of this.#queues.values()) queue.leave(runId);
  }

  /** Empties the queues. */
  leaveAll(): void {
    for (const queue of this.#queues.values()) for (const id of queue.waiting) queue.leave(id);
  }

  /**
   * Resolves when it is the run's turn at its model server. A resumed run that continues with its tools takes a slot
   * only before its next model call.
   *
   * @param run.signal aborted when this process releases the run
   * @param run.giveUp releases the run, so that it queues behind the runs that no process holds
   */
  async enter(run: Pick<RunSlotOptions, 'log' | 'config' | 'signal' | 'giveUp'>): Promise<RunSlot> {
    const { shared, concurrency, closing, runs, stretchMs = STRETCH_MS } = this.#options;
    const host = this.#hostNameOf(run.config);
    const slot = new RunSlot({
      ...run,
      ...{ host, shared, concurrency, closing, stretchMs },
      queue: this.#queueFor(host),
      runs,
    });
    const { stop, phase } = run.log.state;
    // A stopped run only has to write its end.
    if (!stop && !PHASES_WITHOUT_MODEL.includes(phase)) await slot.enter();
    return slot;
  }

  /**
   * Uses a model outside of runs. The use queues like a new run and holds a slot while it works.
   *
   * @param use.signal cancels the wait and the work
   * @throws the error of `work`, or the signal's reason
   */
  async withSlot<T>(
    { id, purpose, model, signal }: SlotRequest,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const host = this.#hostNameOf({ model });
    const queue = this.#queueFor(host);
    const gone = AbortSignal.any([signal, this.#options.closing]);
    const leave = () => queue.leave(id);
    this.#uses.set(id, { purpose, model, host: this.#options.hostOf({ model }) });
    gone.addEventListener('abort', leave, { once: true });
    let release: () => void = () => undefined;
    try {
      gone.throwIfAborted();
      release = await queue.enter(id, { kind: `${purpose} ${model}` });
      gone.throwIfAborted();
      return await this.#inSharedPlace({ id, host, signal: gone }, work);
    } finally {
      gone.removeEventListener('abort', leave);
      release();
      this.#uses.delete(id);
      this.#options.shared?.waiting.poke();
    }
  }

  /** In shared mode, holds a slot in the store while the work runs. */
  async #inSharedPlace<T>(
    { id, host, signal }: { id: string; host: string; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const shared = this.#options.shared?.store;
    if (!shared) return work(signal);
    const useId = `${this.#options.processId} ${id}`;
    const claim = { host, slots: this.#options.concurrency };
    const over = new AbortController();
    const beat = async () => {
      while (!over.signal.aborted) {
        await delay(shared.leaseMs / BEATS_PER_LEASE, undefined, { signal: over.signal }).catch(
          () => undefined,
        );
        if (!over.signal.aborted) await shared.holdSlot(useId, claim).catch(warnNotReleased);
      }
    };
    const hold = () => shared.holdSlot(useId, claim);
    const { closing } = this.#options;
    let beating: Promise<void> | undefined;
    try {
      while (!(await retryWhileBusy(hold, { subject: `Call ${id}`, signal: closing })))
        await delay(SLOT_POLL_MS, undefined, { signal });
      beating = beat();
      return await work(signal);
    } finally {
      over.abort();
      await beating; // a renewal in progress would take the slot again
      await shared.dropSlot(useId).catch(warnNotReleased);
    }
  }

  #hostNameOf(config: Pick<RunConfig, 'model'>): string {
    return this.#options.shared?.hostOf(config) ?? this.#options.hostOf(config);
  }

  #queueFor(host: string): HostQueue {
    const known = this.#queues.get(host);
    if (known) return known;
    const queue = new HostQueue({
      limit: this.#options.concurrency,
      clock: this.#options.clock,
      onMove: () => this.#sendPositions(queue),
    });
    this.#queues.set(host, queue);
    return queue;
  }

  #sendPositions(queue: HostQueue): void {
    for (const [index, runId] of queue.waiting.entries()) {
      const expectedAt = this.#expectedAt(queue, runId);
      this.#options.runs.get(runId)?.delta({
        type: 'queue',
        position: index + 1,
        ahead: queue.ahead(runId) ?? [],
        ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
      });
    }
  }

  /** In shared mode, most of the runs ahead are unknown to this process. */
  #expectedAt(queue: HostQueue, id: string): number | undefined {
    const waitMs = this.#options.shared ? undefined : queue.expectedWaitMs(id);
    return waitMs === undefined ? undefined : Math.round(Date.now() + waitMs);
  }
}
