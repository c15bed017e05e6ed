import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { NewRun } from '../api/create-run.ts';
import type { HealthReply, ModelsReply } from '../api/replies.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { RunLoopOutcome } from '../engine/run-loop.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent, RunEventType } from '../events/registry.ts';
import { emptyRunState, type OperatorMessage } from '../events/run-state.ts';
import { type ApprovalRequest, decideApproval } from '../policies/approval.ts';
import { queuedMessages } from '../policies/operator-messages.ts';
import { freeBytes } from '../store/data-directory.ts';
import type { RunStore } from '../store/run-store.ts';
import { RunEndedError, RunNotFoundError, StorageFullError } from '../store/store-errors.ts';
import { fault } from '../util/fault.ts';
import { endedByError } from './end-run.ts';
import { HostQueue } from './host-queue.ts';
import { type FeedSource, RunFeed } from './run-feed.ts';
import { newRunId } from './run-id.ts';
import { StoredRunLog } from './stored-run-log.ts';
import { whenNotBusy } from './when-not-busy.ts';

/** Works a run off, from wherever its log stands, until it has ended or `signal` fires (the server stops). */
export type ExecuteRun = (run: {
  log: StoredRunLog;
  config: RunConfig;
  signal: AbortSignal;
  /** Gives the run's place at the model server to others that wait; resolves to `true` when it has it again. */
  letOthersPass: () => Promise<boolean>;
}) => Promise<RunLoopOutcome>;

export interface RunServiceOptions {
  store: RunStore;
  dataDir: string;
  /** Runs that one model server works on at a time. */
  concurrency: number;
  /** New runs are refused below this much free space. */
  minFreeBytes: number;
  execute: ExecuteRun;
  /** Fills in the defaults and makes or checks the workspace. `discard` takes back what was made for nothing. */
  prepare(request: NewRun, runId: string): Promise<{ config: RunConfig; discard(): Promise<void> }>;
  /** Which model server a run works with: runs of the same one wait for each other. */
  hostOf(config: RunConfig): string;
  health(model: string | undefined, signal: AbortSignal): Promise<Omit<HealthReply, 'runs'>>;
  models(signal: AbortSignal): Promise<ModelsReply>;
}

/** After so many recoveries that brought the server down again, a run is left alone (SECURITY-DESIGN, fault matrix). */
const MAX_RECOVERIES = 2;
/** A server that lives this long with a recovered run was not brought down by recovering it. */
const SETTLED_AFTER_MS = 10_000;
/** How long an ended run stays at hand for those who follow it. */
const KEPT_AFTER_END_MS = 30_000;
/** How long a step in hand may take to be cut short when the server stops. */
const CLOSE_GRACE_MS = 3000;
const MAX_FEEDS = 512;
const LIST_SNAPSHOT = 50;
/** Messages of a person that a run has not read yet. */
const MAX_QUEUED_MESSAGES = 100;

/** Events that say only that a run was taken up, not that it got on. */
const NO_PROGRESS: ReadonlySet<RunEventType> = new Set<RunEventType>([
  'run.started',
  'run.resumed',
  'preflight.checked',
  'model.load-started',
  'model.loaded',
  'model-call.started',
  'tool-call.interrupted',
  'operator.messaged',
  'stop.requested',
]);

/** Starts runs, keeps them going, stops them and shows them: what the HTTP interface, scripts and tests talk to. */
export class RunService {
  readonly worker = `${hostname()}:${process.pid}`;
  readonly #options: RunServiceOptions;
  readonly #store: RunStore;
  readonly #logs = new Map<string, StoredRunLog>();
  readonly #queues = new Map<string, HostQueue>();
  readonly #feeds = new Set<RunFeed>();
  readonly #followers = new Map<string, Set<RunFeed>>();
  readonly #listFeeds = new Set<RunFeed>();
  readonly #closing = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly #source: FeedSource;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#source = {
      read: async (runId, afterSeq, limit) =>
        this.#logs.get(runId)?.recent(afterSeq, limit) ?? this.#store.read(runId, { afterSeq, limit }),
      live: (runId) => {
        const log = this.#logs.get(runId);
        return log && { lastSeq: log.state.seq, texts: log.texts };
      },
      summary: async (runId) => this.#placed(await this.#store.summary(runId)),
      summaries: async () => this.#snapshot(),
    };
  }

  /**
   * Takes up the runs that the last process left unfinished. A run that cannot be taken up never keeps the others
   * from it.
   */
  async resumeUnfinished(): Promise<void> {
    for (const summary of await this.#store.unfinished()) {
      try {
        await this.#whenNotBusy(summary.id, () => this.#recover(summary));
      } catch (error) {
        console.error(`Run ${summary.id} could not be resumed:`, error);
      }
    }
  }

  /**
   * Makes a run and begins to work on it. Returns as soon as it is stored (D3).
   *
   * @throws {AppError} `storage_full`, `idempotency_conflict`, `workspace_…`, `shutting_down`
   */
  async start(
    request: NewRun,
    options: { idempotencyKey?: string } = {},
  ): Promise<{ run: RunSummary; config: RunConfig; created: boolean }> {
    this.#refuseWhenClosing();
    if (freeBytes(this.#options.dataDir) < this.#options.minFreeBytes) {
      throw new StorageFullError(this.#options.dataDir);
    }
    const id = newRunId(new Date());
    const { config, discard } = await this.#options.prepare(request, id);
    let made: { runId: string; created: boolean };
    try {
      made = await this.#store.create({ id, config, idempotencyKey: options.idempotencyKey });
    } catch (error) {
      await discard();
      throw error;
    }
    if (!made.created) {
      await discard();
      const first = await this.get(made.runId);
      if (!sameRequest(first.config, config, request.workspace === undefined)) {
        throw new AppError({
          code: 'idempotency_conflict',
          message: `The idempotency key was used for another request (run ${made.runId}).`,
          hint: 'Use a new key for a new run.',
        });
      }
      return { ...first, created: false };
    }
    const log = await this.#whenNotBusy(id, () => this.#take(id));
    this.#begin(log, config);
    return { ...(await this.get(id)), created: true };
  }

  /**
   * Asks a run to end: after the step in hand, or with `force` at once (S13, S14). On a run that has ended it changes
   * nothing.
   *
   * @throws {RunNotFoundError}
   */
  async stop(runId: string, { force }: { force: boolean }): Promise<RunSummary> {
    const log = this.#logs.get(runId);
    if (log) {
      await log.appendIf(({ ended, stop }) =>
        ended || (stop && (stop.force || !force)) ? [] : [{ type: 'stop.requested', force, by: 'operator' }],
      );
      for (const queue of this.#queues.values()) queue.leave(runId);
    }
    return (await this.get(runId)).run;
  }

  /**
   * Takes what a person says to a run. It is stored at once, delivered at the run's next boundary (in an exploration with
   * the next result of the operator tool), and returned when the run ends before: it is never lost.
   *
   * @throws {AppError} `run_not_found`, `run_ended`, `too_many_messages`
   */
  async message(runId: string, text: string): Promise<{ run: RunSummary; message: OperatorMessage }> {
    const log = this.#logs.get(runId);
    const id = { value: '' };
    const state = await log?.appendIf((now) => {
      if (now.ended) throw new RunEndedError(runId);
      if (queuedMessages(now).length >= MAX_QUEUED_MESSAGES) throw tooManyMessages();
      id.value = `m${now.operatorMessages.length + 1}`;
      return [{ type: 'operator.messaged', message_id: id.value, text }];
    });
    const { run } = await this.get(runId);
    const message = state?.operatorMessages.find((known) => known.id === id.value);
    if (!message) throw new RunEndedError(runId);
    return { run, message };
  }

  /**
   * Takes a person's decision about a call that waits for it. The same decision a second time changes nothing.
   *
   * @throws {AppError} `run_not_found`, and what `decideApproval` throws
   */
  async approve(runId: string, request: ApprovalRequest): Promise<RunSummary> {
    const log = this.#logs.get(runId);
    if (log) {
      await log.appendIf((state) => decideApproval(state, request));
      return (await this.get(runId)).run;
    }
    await this.get(runId);
    const events = await this.#store.read(runId, { afterSeq: 0, limit: Number.MAX_SAFE_INTEGER });
    decideApproval(foldAll(emptyRunState(runId), events), request);
    return (await this.get(runId)).run;
  }

  /** Resolves when a run has ended, and when the signal fires. @throws {RunNotFoundError} */
  async ended(runId: string, signal: AbortSignal): Promise<void> {
    const log = this.#logs.get(runId);
    if (!log) {
      await this.get(runId); // every run that has not ended is at hand
      return;
    }
    while (!log.state.ended && !signal.aborted) await log.changed(log.state.seq, signal);
  }

  /** @throws {RunNotFoundError} */
  async get(runId: string): Promise<{ run: RunSummary; config: RunConfig }> {
    const run = this.#placed(await this.#store.summary(runId));
    const created = run && (await this.#store.readOne(runId, 1));
    if (!run || created?.type !== 'run.created') throw new RunNotFoundError(runId);
    return { run, config: created.config };
  }

  /** The newest runs first. */
  async list(page: { limit: number; before?: { createdAt: number; id: string } }): Promise<RunSummary[]> {
    return (await this.#store.list(page)).map((run) => this.#placed(run));
  }

  /** One event, whole. @throws {AppError} `run_not_found`, `event_not_found` */
  async event(runId: string, seq: number): Promise<RunEvent> {
    const event = await this.#store.readOne(runId, seq);
    if (event) return event;
    await this.get(runId);
    throw new AppError({ code: 'event_not_found', message: `Run ${runId} has no event ${seq}.` });
  }

  /** The whole log as it is now, page by page. @throws {RunNotFoundError} before the first event */
  async *log(runId: string): AsyncGenerator<RunEvent[]> {
    const { run } = await this.get(runId);
    for (let afterSeq = 0; afterSeq < run.last_seq; ) {
      const events = await this.#store.read(runId, { afterSeq, limit: 100 });
      const last = events.at(-1);
      if (!last) return;
      afterSeq = last.seq;
      yield events;
    }
  }

  /**
   * Follows runs from where the viewer stands, and the list of runs if asked for (D4, D5). Closed by `signal`.
   *
   * @throws {AppError} `run_not_found`, `too_many_streams`, `shutting_down`
   */
  async follow(options: {
    topics: ReadonlyMap<string, number>;
    list?: boolean;
    signal: AbortSignal;
  }): Promise<RunFeed> {
    this.#refuseWhenClosing();
    if (this.#feeds.size >= MAX_FEEDS) {
      throw new AppError({
        code: 'too_many_streams',
        message: `${MAX_FEEDS} viewers are connected; no more are served.`,
        hint: 'Close some tabs.',
      });
    }
    const finished = new Set<string>();
    for (const [runId, cursor] of options.topics) {
      const run = await this.#store.summary(runId);
      if (!run) throw new RunNotFoundError(runId);
      if (run.phase === 'ended' && cursor >= run.last_seq) finished.add(runId);
    }
    const feed = new RunFeed({
      source: this.#source,
      topics: options.topics,
      list: options.list ?? false,
      finished,
      onClose: () => this.#forget(feed),
    });
    this.#feeds.add(feed);
    if (options.list) this.#listFeeds.add(feed);
    for (const runId of options.topics.keys()) {
      const followers = this.#followers.get(runId) ?? new Set();
      this.#followers.set(runId, followers.add(feed));
    }
    options.signal.addEventListener('abort', () => feed.close(), { once: true });
    if (options.signal.aborted) feed.close();
    return feed;
  }

  async health(model: string | undefined, signal: AbortSignal): Promise<HealthReply> {
    const queues = [...this.#queues.values()];
    return {
      ...(await this.#options.health(model, signal)),
      runs: {
        active: queues.reduce((sum, queue) => sum + queue.active, 0),
        queued: queues.reduce((sum, queue) => sum + queue.waiting.length, 0),
      },
    };
  }

  models(signal: AbortSignal): Promise<ModelsReply> {
    return this.#options.models(signal);
  }

  /** Viewers connected at the moment. */
  get viewers(): number {
    return this.#feeds.size;
  }

  /** Stops in good order: streams are closed, runs are left as they are and go on at the next start. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    for (const feed of [...this.#feeds]) feed.close();
    for (const queue of this.#queues.values()) for (const runId of queue.waiting) queue.leave(runId);
    await Promise.race([Promise.all(this.#working), delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
    for (const [runId, log] of this.#logs) {
      await log.close();
      if (log.state.resumes > 0 && !log.state.ended) await this.#store.settleRecovery(runId);
    }
    await this.#store.close();
  }

  async #recover(summary: RunSummary): Promise<void> {
    fault('recovery');
    const log = await this.#take(summary.id);
    const { config } = log.state;
    if (!config) throw new RangeError(`Run ${summary.id} has no configuration`);
    if (log.state.phase === 'queued') return this.#begin(log, config);
    const recoveries = await this.#store.beginRecovery(summary.id);
    if (recoveries > MAX_RECOVERIES) {
      await log.appendIf((state) => endedByError(state, interrupted(recoveries - 1)));
      return this.#keepForAWhile(log);
    }
    const { seq } = await log.append([{ type: 'run.resumed', worker: this.worker, epoch: log.epoch }]);
    this.#begin(log, config, () => this.#settle(log, seq));
  }

  #whenNotBusy<T>(runId: string, work: () => Promise<T>): Promise<T> {
    return whenNotBusy(work, {
      signal: this.#closing.signal,
      onBusy: () => console.warn(`Run ${runId} waits for its store, which another program has locked.`),
    });
  }

  /** The run belongs to this process from here on. */
  async #take(runId: string): Promise<StoredRunLog> {
    const { epoch } = await this.#store.claim(runId, this.worker);
    const events = await this.#store.read(runId, { afterSeq: 0, limit: Number.MAX_SAFE_INTEGER });
    const log = new StoredRunLog({
      store: this.#store,
      state: foldAll(emptyRunState(runId), events),
      epoch,
      onChange: () => this.#notify(runId),
    });
    this.#logs.set(runId, log);
    this.#notify(runId);
    return log;
  }

  #begin(log: StoredRunLog, config: RunConfig, onWork?: () => Promise<void>): void {
    const work = this.#work(log, config, onWork).catch((error: unknown) => {
      console.error(`Run ${log.runId} was lost:`, error); // whatever happens to a run, the server lives
    });
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  async #work(log: StoredRunLog, config: RunConfig, onWork?: () => Promise<void>): Promise<void> {
    const queue = this.#queueOf(config);
    let release = await queue.enter(log.runId);
    // What has no end of its own would keep everybody waiting for ever: it works turn by turn.
    const letOthersPass = async () => {
      if (config.max_iterations > 0 || queue.waiting.length === 0) return false;
      release();
      release = await queue.enter(log.runId);
      return true;
    };
    const { signal } = this.#closing;
    try {
      if (signal.aborted) return;
      const settled = onWork?.();
      if (log.state.phase === 'queued') {
        await log.append([{ type: 'run.started', worker: this.worker, epoch: log.epoch }]);
      }
      const { outcome, error } = await this.#options.execute({ log, config, signal, letOthersPass });
      if (outcome === 'superseded') console.warn(`Run ${log.runId} was taken over by another process.`);
      if (error !== undefined && outcome !== 'suspended' && !(error instanceof AppError)) {
        console.error(`Run ${log.runId} met an error:`, error);
      }
      await settled;
    } catch (error) {
      if (!signal.aborted) await this.#fail(log, error);
    } finally {
      release();
      this.#keepForAWhile(log);
    }
  }

  /** A run that could not even be begun is ended with what went wrong; the others never notice (fault matrix). */
  async #fail(log: StoredRunLog, error: unknown): Promise<void> {
    console.error(`Run ${log.runId} failed:`, error);
    const shown = new AppError({
      code: 'internal_error',
      message: `The program made a mistake: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Start the run again; if it happens again, report it.',
      cause: error,
    });
    await log.appendIf((state) => endedByError(state, shown));
  }

  /** Ends the count of recoveries once the run got on, or the server has lived with it for a while. */
  async #settle(log: StoredRunLog, resumedSeq: number): Promise<void> {
    const { signal } = this.#closing;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(SETTLED_AFTER_MS)]);
    for (let seq = resumedSeq; !enough.aborted; seq = log.state.seq) {
      await log.changed(seq, enough);
      const events = log.recent(seq, Number.MAX_SAFE_INTEGER) ?? [];
      if (events.some((event) => !NO_PROGRESS.has(event.type))) break;
    }
    if (!signal.aborted) await this.#store.settleRecovery(log.runId);
  }

  #queueOf(config: RunConfig): HostQueue {
    const host = this.#options.hostOf(config);
    const known = this.#queues.get(host);
    if (known) return known;
    const queue = new HostQueue({
      limit: this.#options.concurrency,
      onMove: () => this.#showPlaces(queue),
    });
    this.#queues.set(host, queue);
    return queue;
  }

  #showPlaces(queue: HostQueue): void {
    for (const [index, runId] of queue.waiting.entries()) {
      this.#logs.get(runId)?.delta({ type: 'queue', position: index + 1, ahead: queue.ahead(runId) ?? [] });
    }
  }

  #keepForAWhile(log: StoredRunLog): void {
    setTimeout(() => this.#logs.delete(log.runId), KEPT_AFTER_END_MS).unref();
  }

  #notify(runId: string): void {
    for (const feed of this.#followers.get(runId) ?? []) feed.notify(runId);
    for (const feed of this.#listFeeds) feed.notify(runId);
  }

  #forget(feed: RunFeed): void {
    this.#feeds.delete(feed);
    this.#listFeeds.delete(feed);
    for (const runId of feed.runIds) {
      const followers = this.#followers.get(runId);
      followers?.delete(feed);
      if (followers?.size === 0) this.#followers.delete(runId);
    }
  }

  async #snapshot(): Promise<RunSummary[]> {
    const newest = await this.#store.list({ limit: LIST_SNAPSHOT });
    const known = new Set(newest.map((run) => run.id));
    const unfinished = (await this.#store.unfinished()).filter((run) => !known.has(run.id));
    return [...newest, ...unfinished].map((run) => this.#placed(run));
  }

  #placed<Run extends RunSummary | undefined>(run: Run): Run {
    if (run === undefined || run.phase === 'ended') return run;
    for (const queue of this.#queues.values()) {
      const position = queue.position(run.id);
      if (position !== undefined) return { ...run, queue_position: position };
    }
    return run;
  }

  #refuseWhenClosing(): void {
    if (!this.#closing.signal.aborted) return;
    throw new AppError({
      code: 'shutting_down',
      message: 'The server is stopping.',
      hint: 'Start it again with npm start.',
    });
  }
}

function interrupted(times: number): AppError {
  return new AppError({
    code: 'interrupted',
    message: `The run was interrupted: the server was lost ${times} times while taking it up again.`,
    hint: 'Look at its last step, then start it anew.',
  });
}

function tooManyMessages(): AppError {
  return new AppError({
    code: 'too_many_messages',
    message: `${MAX_QUEUED_MESSAGES} messages wait for the model already.`,
    hint: 'Wait until it has read them.',
  });
}

function sameRequest(first: RunConfig, second: RunConfig, freshWorkspace: boolean): boolean {
  const workspace = freshWorkspace ? first.workspace : second.workspace;
  // As the log holds it: fields that are undefined are not there.
  const stored: unknown = JSON.parse(JSON.stringify({ ...second, workspace }));
  return isDeepStrictEqual(stored, first);
}
