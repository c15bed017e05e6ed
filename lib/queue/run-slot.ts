import type { RunConfig } from '../events/config.ts';
import type { RunDelta } from '../events/delta.ts';
import { kindOf } from '../events/modes.ts';
import type { RunState } from '../events/run-state.ts';
import type { HeldRun, RunLeases, SlotLeases } from '../store/leases.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { fullName, isSameModel } from '../util/model-name.ts';
import type { StayKind } from './expected-wait.ts';
import type { HostQueue } from './host-queue.ts';
import type { WaitingRuns } from './waiting-runs.ts';

/** Polling interval for a slot that another process may have released. */
export const SLOT_POLL_MS = 500;

/** A run that this process holds, as seen in its log. */
interface QueuedRun extends Readonly<HeldRun> {
  readonly state: RunState;
  /** Resolves when there is an event after `seq`, or when the signal aborts. */
  changed(seq: number, signal: AbortSignal): Promise<void>;
  /** Sends viewers a delta, which is not stored. */
  delta(delta: RunDelta): void;
}

/** Slots shared by several processes. */
export interface SharedSlots {
  store: SlotLeases & Pick<RunLeases, 'leaseMs'>;
  waiting: WaitingRuns;
}

/** The runs that this process holds. */
export interface QueuedRuns {
  get(runId: string): QueuedRun | undefined;
}

export interface RunSlotOptions {
  log: QueuedRun;
  config: RunConfig;
  /** The model server. */
  host: string;
  /** The queue of that server. */
  queue: HostQueue;
  /** Concurrent runs per model server. */
  concurrency: number;
  /** How long an endless run keeps its slot while only endless runs with other models wait, in milliseconds. */
  stretchMs: number;
  shared: SharedSlots | undefined;
  /** Aborted when the server shuts down. */
  closing: AbortSignal;
  /** Aborted when this process releases the run. */
  signal: AbortSignal;
  /** Releases the run, so that it queues behind the runs that no process holds. */
  giveUp(): void;
  runs: QueuedRuns;
}

/** One run's slot at its model server, which it can yield to others. */
export class RunSlot {
  readonly #options: RunSlotOptions;
  #release: () => void = () => undefined;
  #held = false;
  /** How many slots the queue had granted when the run left its own; `undefined` if it never had one. */
  #entriesAtLeave: number | undefined;
  #since = performance.now();
  #givenUp = false;

  constructor(options: RunSlotOptions) {
    this.#options = options;
  }

  /** Whether the run was released in favor of others. */
  get givenUp(): boolean {
    return this.#givenUp;
  }

  /** Resolves when it is the run's turn. */
  async enter(): Promise<void> {
    const { queue, log, config } = this.#options;
    this.#release = await queue.enter(log.runId, { kind: stayKind(config) });
    this.#held = true;
    this.#since = performance.now();
  }

  /** Releases the slot at the end of the run's work. */
  release(): void {
    this.#release();
  }

  /** Releases the slot until `take`, because the run waits for a person. */
  async leave(): Promise<void> {
    const { queue, shared } = this.#options;
    if (!this.#held) return;
    this.#entriesAtLeave = queue.entries;
    await this.#leave();
    shared?.waiting.poke();
  }

  /**
   * Waits for a slot, unless the run has one: at the head of the queue if it had one before. A stopped run gets none,
   * because it only has to write its end.
   *
   * @param until ends the wait, after which the run has no slot
   * @returns whether others may have used the model server since the run left its slot; `undefined` if it has one
   * @throws the reason of `until`
   */
  async take(until?: AbortSignal): Promise<boolean | undefined> {
    const { queue, shared, signal, log } = this.#options;
    until?.throwIfAborted();
    if (this.#held || signal.aborted || log.state.stop) return undefined;
    const entries = this.#entriesAtLeave;
    await this.#take({ again: entries !== undefined, until });
    this.#since = performance.now();
    // Requests by other processes are not visible here, so assume there were some.
    return entries !== undefined && (shared !== undefined || queue.entries > entries + 1);
  }

  /**
   * Yields to waiting runs. An endless run would block them forever, so it yields after each turn, or less often where
   * every switch would reload a model.
   *
   * @returns whether others had the slot
   */
  async yieldToOthers(): Promise<boolean> {
    const { config, queue, host, shared, stretchMs } = this.#options;
    if (!isEndless(config)) return false;
    const justCame = performance.now() - this.#since < stretchMs;
    const awaited = shared?.waiting.waitingFor(host) ?? [];
    const allNeedLoads = awaited.every(({ model, endless }) => endless && !isSameModel(model, config.model));
    if (awaited.length > 0 && !(justCame && allNeedLoads)) {
      this.#givenUp = true;
      this.#options.giveUp();
      return true;
    }
    if (queue.waiting.length === 0 || (justCame && this.#allInLineNeedLoads())) return false;
    await this.#leave();
    await this.#take({ again: false });
    this.#since = performance.now();
    return true;
  }

  async #leave(): Promise<void> {
    const { shared, log, closing } = this.#options;
    this.#release();
    this.#held = false;
    if (shared)
      await retryWhileBusy(() => shared.store.yieldSlot(log), {
        subject: `Run ${log.runId}`,
        signal: closing,
      });
  }

  async #take({ again, until }: { again: boolean; until?: AbortSignal | undefined }): Promise<void> {
    const { queue, log, config } = this.#options;
    const giveUp = () => queue.leave(log.runId);
    until?.addEventListener('abort', giveUp, { once: true });
    this.#release = await queue.enter(log.runId, { again, kind: stayKind(config) });
    until?.removeEventListener('abort', giveUp);
    this.#held = true;
    await this.#takeShared(until);
    if (!until?.aborted) return;
    await this.#leave();
    throw until.reason;
  }

  async #takeShared(until: AbortSignal | undefined): Promise<void> {
    const { shared, log, host, concurrency, signal, closing } = this.#options;
    if (!shared) return;
    const over = until ? AbortSignal.any([signal, until]) : signal;
    const take = () => shared.store.retakeSlot(log, { host, slots: concurrency });
    while (!over.aborted && !log.state.stop) {
      if (await retryWhileBusy(take, { subject: `Run ${log.runId}`, signal: closing })) break;
      await log.changed(log.state.seq, AbortSignal.any([over, AbortSignal.timeout(SLOT_POLL_MS)]));
    }
  }

  /** Whether all waiting runs are endless and would each need their model loaded first. */
  #allInLineNeedLoads(): boolean {
    const { queue, config, runs } = this.#options;
    return queue.waiting.every((runId) => {
      const waiting = runs.get(runId)?.state.config;
      if (waiting === undefined || !isEndless(waiting)) return false;
      return !isSameModel(waiting.model, config.model) || waiting.window_tokens !== config.window_tokens;
    });
  }
}

/** Groups runs that are expected to occupy a slot for about the same time; `undefined` for endless ones. */
function stayKind(config: RunConfig): StayKind | undefined {
  return isEndless(config) ? undefined : `${kindOf(config)} ${fullName(config.model)}`;
}

/** Whether the run has no iteration limit. */
function isEndless({ max_iterations }: RunConfig): boolean {
  return max_iterations === 0;
}
