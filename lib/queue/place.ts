import type { RunConfig } from '../events/config.ts';
import type { StoredRunLog } from '../runs/stored-run-log.ts';
import type { FreeRun, SharedRunStore } from '../store/shared-run-store.ts';
import { whenNotBusy } from '../store/when-not-busy.ts';
import type { StayKind } from './expected-wait.ts';
import type { HostQueue } from './host-queue.ts';

/** How often who waits for a place looks whether other processes have left one. */
export const PLACE_LOOK_MS = 500;

/** What a place is where several processes share the runs. */
export interface SharedPlaces {
  store: SharedRunStore;
  /** Runs that wait for this model server in nobody's hands. */
  waitingFor(host: string): readonly FreeRun[];
  /** A place became free. */
  poke(): void;
}

export interface PlaceOptions {
  log: StoredRunLog;
  config: RunConfig;
  /** The model server. */
  host: string;
  /** The line before it. */
  queue: HostQueue;
  /** Runs that one model server works on at a time. */
  concurrency: number;
  /** How long an endless run keeps its place while only endless runs wait that need another model, in milliseconds. */
  stretchMs: number;
  shared: SharedPlaces | undefined;
  /** The server stops. */
  closing: AbortSignal;
  /** The run is let go of. */
  signal: AbortSignal;
  /** Lets go of the run, so that it waits behind those that are nobody's yet. */
  giveUp(): void;
  /** Of a run that waits in this process. */
  configOf(runId: string): RunConfig | undefined;
}

/** The place of one run at its model server, which it may leave to others for a while. */
export class Place {
  readonly #options: PlaceOptions;
  #release: () => void = () => undefined;
  #since = performance.now();
  #givenUp = false;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** The run was let go of in favour of others. */
  get givenUp(): boolean {
    return this.#givenUp;
  }

  /** Resolves when it is the run's turn. */
  async enter(): Promise<void> {
    const { queue, log, config } = this.#options;
    this.#release = await queue.enter(log.runId, { kind: stayKind(config) });
    this.#since = performance.now();
  }

  /** Gives the place back. */
  release(): void {
    this.#release();
  }

  /**
   * What has no end of its own would keep everybody waiting for ever: it works turn by turn, or a while at a time where each
   * change would cost a load of the model.
   *
   * @returns whether others had the place
   */
  async letOthersPass(): Promise<boolean> {
    const { config, queue, host, shared, stretchMs } = this.#options;
    if (!isEndless(config)) return false;
    const justCame = performance.now() - this.#since < stretchMs;
    const awaited = shared?.waitingFor(host) ?? [];
    const allNeedLoads = awaited.every(({ model, endless }) => endless && model !== config.model);
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

  /** Gives the place away until `wait` resolves. Returns whether others had it. */
  async without(wait: () => Promise<void>): Promise<boolean> {
    const { queue, shared, signal, log } = this.#options;
    await this.#leave();
    shared?.poke();
    const { entries } = queue;
    await wait();
    // What other processes had the server do is not known here.
    const othersEntered = shared !== undefined || queue.entries > entries;
    // A run that was stopped only has its end to write.
    if (signal.aborted || log.state.stop) return othersEntered;
    await this.#take({ again: true });
    return othersEntered;
  }

  async #leave(): Promise<void> {
    const { shared, log, closing } = this.#options;
    this.#release();
    if (shared) await whenNotBusy(() => shared.store.leavePlace(log), { runId: log.runId, signal: closing });
  }

  async #take(options: { again: boolean }): Promise<void> {
    const { queue, shared, log, config, host, concurrency, signal, closing } = this.#options;
    this.#release = await queue.enter(log.runId, { ...options, kind: stayKind(config) });
    if (!shared) return;
    const take = () => shared.store.takePlace(log, { host, places: concurrency });
    while (!signal.aborted && !log.state.stop) {
      if (await whenNotBusy(take, { runId: log.runId, signal: closing })) break;
      await log.changed(log.state.seq, AbortSignal.any([signal, AbortSignal.timeout(PLACE_LOOK_MS)]));
    }
  }

  /** Whether those that wait are endless runs of which each would have its model loaded first. */
  #allInLineNeedLoads(): boolean {
    const { queue, config, configOf } = this.#options;
    return queue.waiting.every((runId) => {
      const waiting = configOf(runId);
      const loadsAnew = waiting?.model !== config.model || waiting.window_tokens !== config.window_tokens;
      return waiting !== undefined && isEndless(waiting) && loadsAnew;
    });
  }
}

/** Runs that are taken to need a place for about as long as each other; `undefined` for those without an end of their own. */
function stayKind(config: RunConfig): StayKind | undefined {
  const { mode, agentic, model } = config;
  return isEndless(config) ? undefined : `${agentic ? mode : 'prompt'} ${model}`;
}

/** Whether a run has no end of its own. */
function isEndless({ max_iterations }: RunConfig): boolean {
  return max_iterations === 0;
}
