import { fault } from '../engine/fault.ts';
import type { RunLog } from '../engine/run-log.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunDelta } from '../events/delta.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { LiveDeltas } from '../feed/live-deltas.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import { growthOf } from '../store/growth-of.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { type RunStore, StaleEpochError } from '../store/run-store.ts';
import { isSeqConflict } from '../store/store-errors.ts';
import { steadyNow } from '../util/steady-clock.ts';
import { type ChooseEvents, PendingAppends } from './pending-appends.ts';

/** Events kept in memory for live viewers; older ones are read from the store. */
const RECENT_EVENTS = 256;

/**
 * Pause between two transactions that nothing waits for, in milliseconds. Each transaction costs an fsync and wakes two
 * threads; viewers of a fast run get events at this interval.
 */
const WRITE_PAUSE_MS = 10;

type LogStore = Pick<RunStore, 'read' | 'append'>;

/**
 * The log of a run that this process works on. Appended events are folded immediately and written in the background, as
 * many as have gathered in one transaction (docs/decisions/0038). Viewers see events only when they are on disk.
 */
export class StoredRunLog implements RunLog {
  readonly runId: string;
  readonly epoch: number;
  /** Text in progress, for viewers. */
  readonly texts = new LiveDeltas();
  readonly #store: LogStore;
  readonly #observers: readonly AppendObserver[];
  readonly #onChange: () => void;
  readonly #pending: PendingAppends;
  #recent: RunEvent[] = [];
  /** Deltas after events that are not on disk yet, each with the number of the last event before it. */
  #earlyDeltas: { seq: number; delta: RunDelta }[] = [];
  /** The last access to the store, so that the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();
  #writing: Promise<void> | undefined;
  /** Cancels the write that is planned. */
  #cancelPlan: (() => void) | undefined;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #isBlocked = false;
  #failure = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #closed = new AbortController();

  /**
   * @param options.state the fold of the stored log
   * @param options.recent the last events of the stored log; default: none, so that viewers read them from the store
   * @param options.observers receive the events of each append before viewers do
   * @param options.onChange called when viewers have something new to see
   */
  constructor(options: {
    store: LogStore;
    state: RunState;
    epoch: number;
    recent?: readonly RunEvent[];
    observers?: readonly AppendObserver[];
    onChange: () => void;
  }) {
    this.runId = options.state.runId;
    this.epoch = options.epoch;
    this.#store = options.store;
    this.#pending = new PendingAppends(options.state, steadyNow);
    this.#recent = [...(options.recent ?? [])];
    this.#observers = options.observers ?? [];
    this.#onChange = options.onChange;
  }

  get state(): RunState {
    return this.#pending.latest;
  }

  /** The fold of what is on disk, which is all that others than the run's worker may see. */
  get stored(): RunState {
    return this.#pending.stored;
  }

  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  append(events: readonly NewEvent[]): RunState {
    this.#add(() => events);
    return this.state;
  }

  /**
   * Appends the events that `choose` derives from the latest state, for callers outside the loop, which cannot know what
   * was appended before. An empty list appends nothing. Resolves when they are on disk.
   *
   * @throws {AppError} `store_busy` while another program has the store locked; the caller can retry
   */
  async appendIf(choose: ChooseEvents): Promise<RunState> {
    if (this.#isBlocked) throw storeIsBusy(this.runId);
    this.#add(choose, { isOptional: true });
    await this.durable();
    return this.stored;
  }

  async durable(): Promise<void> {
    this.failed.throwIfAborted();
    if (this.#pending.isEmpty) return;
    this.#write();
    await this.#pending.settled();
  }

  revert(): void {
    if (this.failed.aborted) this.#failure = new AbortController();
  }

  /**
   * Reads events appended by other processes, such as operator actions (docs/decisions/0022).
   *
   * @throws {StaleEpochError} if another worker has claimed the run
   */
  async refresh(): Promise<void> {
    await this.#inTurn(() => this.#catchUp());
  }

  delta(delta: RunDelta): void {
    if (this.#closed.signal.aborted) return;
    const { seq } = this.state;
    if (seq > this.stored.seq) this.#earlyDeltas.push({ seq, delta });
    else if (this.texts.add(delta)) this.#onChange();
  }

  /** Resolves at the next append after `seq`, or when `signal` fires. The caller checks the state either way. */
  changed(seq: number, signal: AbortSignal): Promise<void> {
    return this.#until(() => this.state.seq > seq, signal);
  }

  when(condition: (state: RunState) => boolean, signal: AbortSignal): Promise<void> {
    return this.#until(() => condition(this.state), signal);
  }

  /** Like `changed`, for events that are on disk. */
  storedAfter(seq: number, signal: AbortSignal): Promise<void> {
    return this.#until(() => this.stored.seq > seq, signal);
  }

  /** Stored events after `afterSeq`; `undefined` if they are no longer in memory and must be read from the store. */
  recent(afterSeq: number, limit: number): readonly RunEvent[] | undefined {
    if (afterSeq >= this.stored.seq) return [];
    const first = this.#recent[0]?.seq;
    if (first === undefined || afterSeq + 1 < first) return undefined;
    return this.#recent.slice(afterSeq + 1 - first, afterSeq + 1 - first + limit);
  }

  /** Writes what is pending and accepts no more: the run is left as it is, to be resumed. */
  async close(): Promise<void> {
    this.#closed.abort();
    for (this.#write(); this.#writing; this.#write()) await this.#writing;
  }

  #add(choose: ChooseEvents, options?: { isOptional: boolean }): void {
    this.failed.throwIfAborted();
    if (this.#closed.signal.aborted) {
      throw new AppError({
        code: 'shutting_down',
        message: 'The server is stopping. The run resumes at the next start.',
      });
    }
    const events = this.#pending.add((state) => {
      const chosen = choose(state);
      for (const { type } of chosen) fault(`before:${type}`);
      return chosen;
    }, options);
    if (events.length === 0) return;
    for (const { type } of events) fault(`queued:${type}`);
    this.#planToWrite();
    this.#wake();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined); // the caller handles the error; the next access proceeds
    return turn;
  }

  /**
   * Writes at the end of this turn or later, so that everything the loop appends before its next wait is written
   * together.
   */
  #planToWrite(): void {
    if (this.#cancelPlan) return;
    const pauseMs = this.#wroteAt + WRITE_PAUSE_MS - performance.now();
    if (pauseMs > 0) {
      const timer = setTimeout(() => this.#write(), pauseMs);
      this.#cancelPlan = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(() => this.#write());
      this.#cancelPlan = () => clearImmediate(immediate);
    }
  }

  /** Starts to write what is pending, unless that is under way. */
  #write(): void {
    this.#cancelPlan?.();
    this.#cancelPlan = undefined;
    if (this.#pending.isEmpty) return;
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      do {
        this.#wroteAt = performance.now();
        await this.#inTurn(() => this.#writeBatch());
      } while (this.#pending.isAwaited);
    } catch (error) {
      this.#fail(error);
    }
    this.#writing = undefined; // in the same turn, nothing waited for it
    if (!this.#pending.isEmpty) this.#planToWrite();
  }

  async #writeBatch(): Promise<void> {
    const { events, state, commit, resolve, reject } = this.#pending.batch();
    try {
      await this.#storeDurably(events, state);
    } catch (error) {
      if (isSeqConflict(error) && (await this.#whileBusy(() => this.#catchUp()))) return;
      throw error;
    }
    await this.#notifyObservers(events, state);
    commit();
    try {
      this.#show(events);
      for (const { type } of events) fault(`after:${type}`);
      resolve();
    } catch (error) {
      reject(error);
      throw error;
    }
  }

  async #notifyObservers(events: readonly RunEvent[], { config }: RunState): Promise<void> {
    if (!config) throw new RangeError(`Run ${this.runId} has no configuration`);
    await Promise.all(this.#observers.map((observer) => observer.write(this.runId, events, config.mode)));
  }

  async #storeDurably(events: readonly RunEvent[], state: RunState): Promise<void> {
    const append = { epoch: this.epoch, ...growthOf(events, state) };
    await this.#whileBusy(() => this.#store.append(this.runId, append));
  }

  /** Retries for as long as another program has the store locked, because no event may be lost. */
  async #whileBusy<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await retryWhileBusy(work, {
        subject: `Run ${this.runId}`,
        signal: this.#closed.signal,
        onBusy: () => {
          this.#isBlocked = true;
        },
      });
    } finally {
      this.#isBlocked = false;
    }
  }

  /** @returns whether there were new events */
  async #catchUp(): Promise<boolean> {
    const range = { afterSeq: this.stored.seq, limit: Number.MAX_SAFE_INTEGER };
    const events = await this.#store.read(this.runId, range);
    for (const event of events) {
      const taken = event.type === 'run.started' || event.type === 'run.resumed';
      if (taken && event.epoch > this.epoch) throw new StaleEpochError(this.runId, this.epoch);
    }
    if (events.length === 0) return false;
    try {
      this.#pending.insert(events);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#show(events);
    return true;
  }

  /** Shows viewers events that are on disk. */
  #show(events: readonly RunEvent[]): void {
    this.#recent.push(...events);
    if (this.#recent.length > 2 * RECENT_EVENTS) this.#recent = this.#recent.slice(-RECENT_EVENTS);
    for (const event of events) {
      this.#showDeltasBefore(event.seq);
      this.#endTexts(event);
    }
    this.#showDeltasBefore(this.stored.seq + 1);
    this.#wake();
    this.#onChange();
  }

  #showDeltasBefore(seq: number): void {
    const count = this.#earlyDeltas.findIndex((early) => early.seq >= seq);
    const shown = this.#earlyDeltas.splice(0, count < 0 ? this.#earlyDeltas.length : count);
    for (const { delta } of shown) this.texts.add(delta);
  }

  /** Drops what could not be written, and ends the work on the run. */
  #fail(error: unknown): void {
    this.#earlyDeltas = [];
    this.#failure.abort(error);
    this.#pending.drop(error);
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #until(isReached: () => boolean, signal: AbortSignal): Promise<void> {
    if (isReached() || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (!isReached() && !signal.aborted) return;
      signal.removeEventListener('abort', look);
      this.#waiting.delete(look);
      resolve();
    };
    signal.addEventListener('abort', look);
    this.#waiting.add(look);
    return promise;
  }

  #endTexts(event: RunEvent): void {
    switch (event.type) {
      case 'model-call.ended':
      case 'model-call.failed':
        this.texts.endCall(event.call);
        break;
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        this.texts.endTool(event.call_id);
        this.texts.endNote();
        break;
      case 'run.started':
      case 'run.resumed':
      case 'tool-call.started':
      case 'model.load-started':
      case 'model.loaded':
      case 'server-wait.ended':
      case 'run.ended':
        this.texts.endNote();
        break;
      default:
        break;
    }
  }
}

function storeIsBusy(runId: string): AppError {
  return new AppError({
    code: 'store_busy',
    message: `The store of run ${runId} is locked by another program or does not respond.`,
    hint: 'Try again once it is free.',
  });
}
