import { setTimeout as delay } from 'node:timers/promises';
import type { RunConfig } from '../events/config.ts';
import type { StoredRunLog } from '../runs/stored-run-log.ts';
import { BEATS_PER_LEASE } from '../store/shared-run-store.ts';
import { whenNotBusy } from '../store/when-not-busy.ts';
import { HostQueue } from './host-queue.ts';
import { PLACE_LOOK_MS, Place, type PlaceOptions, type SharedPlaces } from './place.ts';
import { leftToItsLease } from './shared-work.ts';

/** How long an endless run works at a time where each change of runs costs a load of the model. */
const STRETCH_MS = 30_000;

export interface PlacesOptions {
  /** This process, for people. */
  worker: string;
  /** Runs that one model server works on at a time. */
  concurrency: number;
  /**
   * How long an endless run keeps its place at a time while only endless runs wait that need another model, in milliseconds.
   * Default: 30,000.
   */
  stretchMs?: number;
  /** Milliseconds that nobody sets, by which waits are estimated. Default: the system's. */
  clock?: () => number;
  /** Which model server a run works with. */
  hostOf(config: Pick<RunConfig, 'model'>): string;
  /** The log of a run that this process has at hand. */
  logOf(runId: string): StoredRunLog | undefined;
  /** The server stops. */
  closing: AbortSignal;
  /** Where several processes share the runs. */
  shared?: SharedPlaces & {
    /** The name by which all of them know a run's model server. */
    hostOf(run: { model: string }): string;
  };
}

/** What works with a model server, or waits for it, and is no run. */
interface Guest {
  model: string;
  host: string;
}

/**
 * The places at the model servers: who works with one, and who waits in line. Where processes share the runs, the places of
 * all of them count together.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #queues = new Map<string, HostQueue>();
  readonly #guests = new Map<string, Guest>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Runs that have a place, and runs that wait for one in this process. */
  get counts(): { active: number; queued: number } {
    const runsAmong = (ids: readonly string[]) => ids.filter((id) => !this.#guests.has(id)).length;
    const queues = [...this.#queues.values()];
    return {
      active: runsAmong(queues.flatMap((queue) => queue.inside)),
      queued: runsAmong(queues.flatMap((queue) => queue.waiting)),
    };
  }

  /** Those that are no run and have a place. */
  get guestsAtWork(): readonly Guest[] {
    const inside = [...this.#queues.values()].flatMap((queue) => queue.inside);
    return inside.flatMap((id) => this.#guests.get(id) ?? []);
  }

  /** Whether a run that came now could be worked on at once. */
  hasFree(host: string): boolean {
    const { active, waiting } = this.#queueFor(host);
    return active + waiting.length < this.#options.concurrency;
  }

  /**
   * The wait of a run or a guest; `undefined` when it does not wait here.
   *
   * @returns its place in the line, from 1, and when its turn may come (milliseconds since 1970), where there is enough to go by
   */
  waitOf(id: string): { position: number; expectedAt: number | undefined } | undefined {
    for (const queue of this.#queues.values()) {
      const position = queue.position(id);
      if (position !== undefined) return { position, expectedAt: this.#expectedAt(queue, id) };
    }
    return undefined;
  }

  /** Lets a run that waits go without a place: it only has its end to write. */
  leave(runId: string): void {
    for (const queue of this.#queues.values()) queue.leave(runId);
  }

  /** Lets all that wait go. */
  leaveAll(): void {
    for (const queue of this.#queues.values()) for (const id of queue.waiting) queue.leave(id);
  }

  /**
   * Resolves when it is the run's turn at its model server.
   *
   * @param run.signal it is let go of
   * @param run.giveUp lets go of it, so that it waits behind those that are nobody's yet
   */
  async enter(run: Pick<PlaceOptions, 'log' | 'config' | 'signal' | 'giveUp'>): Promise<Place> {
    const { shared, concurrency, closing, stretchMs = STRETCH_MS } = this.#options;
    const host = this.#hostNameOf(run.config);
    const place = new Place({
      ...run,
      ...{ host, shared, concurrency, closing, stretchMs },
      queue: this.#queueFor(host),
      configOf: (runId) => this.#options.logOf(runId)?.state.config,
    });
    // Where processes share the runs, a run that was stopped is taken up without a place.
    if (!(shared && run.log.state.stop)) await place.enter();
    return place;
  }

  /**
   * Does something with a model server that is no run: in its turn, as a run that came now would, and in a place that no
   * run has meanwhile.
   *
   * @param guest.signal ends the wait and the work
   * @throws what `work` throws, and the reason of the signal
   */
  async withPlace<T>(
    { id, model, signal }: { id: string; model: string; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const host = this.#hostNameOf({ model });
    const queue = this.#queueFor(host);
    const gone = AbortSignal.any([signal, this.#options.closing]);
    const leave = () => queue.leave(id);
    this.#guests.set(id, { model, host: this.#options.hostOf({ model }) });
    gone.addEventListener('abort', leave, { once: true });
    let release: () => void = () => undefined;
    try {
      gone.throwIfAborted();
      release = await queue.enter(id, { kind: `check ${model}` });
      gone.throwIfAborted();
      return await this.#inSharedPlace({ id, host, signal: gone }, work);
    } finally {
      gone.removeEventListener('abort', leave);
      release();
      this.#guests.delete(id);
      this.#options.shared?.poke();
    }
  }

  /** Where processes share the runs, others leave one place free as long as this lasts. */
  async #inSharedPlace<T>(
    { id, host, signal }: { id: string; host: string; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const shared = this.#options.shared?.store;
    if (!shared) return work(signal);
    const guestId = `${this.#options.worker} ${id}`;
    const claim = { host, places: this.#options.concurrency };
    const over = new AbortController();
    const beat = async () => {
      while (!over.signal.aborted) {
        await delay(shared.leaseMs / BEATS_PER_LEASE, undefined, { signal: over.signal }).catch(
          () => undefined,
        );
        if (!over.signal.aborted) await shared.holdPlace(guestId, claim).catch(leftToItsLease);
      }
    };
    const hold = () => shared.holdPlace(guestId, claim);
    const { closing } = this.#options;
    try {
      while (!(await whenNotBusy(hold, { runId: id, signal: closing })))
        await delay(PLACE_LOOK_MS, undefined, { signal });
      void beat();
      return await work(signal);
    } finally {
      over.abort();
      await shared.dropPlace(guestId).catch(leftToItsLease);
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
      onMove: () => this.#showPlaces(queue),
    });
    this.#queues.set(host, queue);
    return queue;
  }

  #showPlaces(queue: HostQueue): void {
    for (const [index, runId] of queue.waiting.entries()) {
      const expectedAt = this.#expectedAt(queue, runId);
      this.#options.logOf(runId)?.delta({
        type: 'queue',
        position: index + 1,
        ahead: queue.ahead(runId) ?? [],
        ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
      });
    }
  }

  /** Where processes share the runs, most of those that go before are not known here. */
  #expectedAt(queue: HostQueue, id: string): number | undefined {
    const waitMs = this.#options.shared ? undefined : queue.expectedWaitMs(id);
    return waitMs === undefined ? undefined : Math.round(Date.now() + waitMs);
  }
}
