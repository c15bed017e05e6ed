import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { NewRun } from '../api/create-run.ts';
import type { ForkPlan } from '../api/fork-run.ts';
import type { HealthReply, ModelsReply } from '../api/replies.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { RenderedReply } from '../api/sent-request.ts';
import type { RunLoopOutcome } from '../engine/run-loop.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import type { EventOf, NewEvent, RunEvent, RunEventType } from '../events/registry.ts';
import type { OperatorMessage, RunState } from '../events/run-state.ts';
import type { ReadRun } from '../exports/run-file.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { fullName } from '../model/ollama-models.ts';
import { type ApprovalRequest, decideApproval } from '../policies/approval.ts';
import { queuedMessages } from '../policies/operator-messages.ts';
import { freeBytes } from '../store/data-directory.ts';
import type { RunStore } from '../store/run-store.ts';
import { BEATS_PER_LEASE, type SharedRunStore } from '../store/shared-run-store.ts';
import {
  isSeqConflict,
  isStoreBusy,
  RunEndedError,
  RunNotFoundError,
  StorageFullError,
} from '../store/store-errors.ts';
import { fault } from '../util/fault.ts';
import { DistantTexts } from './distant-texts.ts';
import { endedByError } from './end-run.ts';
import { HostQueue } from './host-queue.ts';
import type { LiveTexts } from './live-texts.ts';
import { type ForkFacts, planFork } from './plan-fork.ts';
import { hasFreshWorkspace } from './prepare-run.ts';
import { type FeedSource, RunFeed } from './run-feed.ts';
import { isRunId, newRunId } from './run-id.ts';
import { SharedWork } from './shared-work.ts';
import { StoredRunLog } from './stored-run-log.ts';
import { StoredRuns, type StoredRunsOptions } from './stored-runs.ts';
import { whenNotBusy } from './when-not-busy.ts';

/** Works a run off, from wherever its log stands, until it has ended or `signal` fires (the server stops). */
export type ExecuteRun = (run: {
  log: StoredRunLog;
  config: RunConfig;
  signal: AbortSignal;
  /** Gives the run's place at the model server to others that wait; resolves to `true` when it has it again. */
  letOthersPass: () => Promise<boolean>;
  /** Gives the place away until `wait` resolves; resolves to `true` when others had it. */
  withoutPlace: (wait: () => Promise<void>) => Promise<boolean>;
}) => Promise<RunLoopOutcome>;

export interface RunServiceOptions
  extends Pick<StoredRunsOptions, 'health' | 'models' | 'masks' | 'settings'> {
  store: RunStore;
  dataDir: string;
  /** Runs that one model server works on at a time. */
  concurrency: number;
  /**
   * How long an endless run keeps its place at a time while only endless runs wait that need another model, in milliseconds.
   * Default: 30,000.
   */
  stretchMs?: number;
  /** Milliseconds that nobody sets, by which waits are estimated. Default: the system's. */
  clock?: () => number;
  /** New runs are refused below this much free space. */
  minFreeBytes: number;
  execute: ExecuteRun;
  /** Fills in the defaults and makes or checks the workspace. `discard` takes back what was made for nothing. */
  prepare(request: NewRun, runId: string): Promise<{ config: RunConfig; discard(): Promise<void> }>;
  /** Makes or checks the workspace of a fork of a run with this configuration. `discard` takes a copy back. */
  prepareFork(
    config: RunConfig,
    options: { kind: ForkPlan['workspace']; runId: string },
  ): Promise<ForkFacts & { discard(): Promise<void> }>;
  /** Which model server a run works with: runs of the same one wait for each other. */
  hostOf(config: Pick<RunConfig, 'model'>): string;
  /** For a store that several processes work on: it again, and the name by which all of them know a run's model server. */
  shared?: { store: SharedRunStore; hostOf(run: { model: string }): string };
  /** The prompt that the model's server makes of a request; loads the model. */
  render(request: ChatRequest, context: { signal: AbortSignal; timeoutMs: number }): Promise<string>;
  /** Takes a model out of memory. */
  unload(model: string, signal: AbortSignal): Promise<void>;
}

/** After so many recoveries that brought the server down again, a run is left alone (SECURITY-DESIGN, fault matrix). */
const MAX_RECOVERIES = 2;
/** A server that lives this long with a recovered run was not brought down by recovering it. */
const SETTLED_AFTER_MS = 10_000;
/** How long an endless run works at a time where each change of runs costs a load of the model. */
const STRETCH_MS = 30_000;
/** How long an ended run stays at hand for those who follow it. */
const KEPT_AFTER_END_MS = 30_000;
/** How long a step in hand may take to be cut short when the server stops. */
const CLOSE_GRACE_MS = 3000;
/** How often a run that has waited for a person looks whether other processes have left it a place. */
const PLACE_LOOK_MS = 500;
const MAX_FEEDS = 512;
/** What a viewer gets of a stored log at a time: so much of it is held for a viewer that does not take. */
const READ_PAGE = 100;
const TEXT_PAGE = { limit: 1000, maxChars: 512 * 1024 };
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

/** Starts runs, keeps them going, stops them and lets them be followed: what the HTTP interface, scripts and tests talk to. */
export class RunService {
  readonly worker = `${hostname()}:${process.pid}`;
  /** The reading half. */
  readonly stored: StoredRuns;
  readonly #options: RunServiceOptions;
  readonly #store: RunStore;
  readonly #logs = new Map<string, StoredRunLog>();
  /** Runs whose logs are being read to work on them. */
  readonly #taking = new Map<string, Promise<StoredRunLog>>();
  #resuming: Promise<void> = Promise.resolve();
  /** The runs that this process works on, and how to let go of them. */
  readonly #held = new Map<string, { log: StoredRunLog; gone: AbortController }>();
  readonly #shared: SharedWork | undefined;
  readonly #distant: DistantTexts | undefined;
  readonly #queues = new Map<string, HostQueue>();
  /** What works with a model server, or waits for it, and is no run. */
  readonly #guests = new Map<string, { model: string; host: string }>();
  readonly #feeds = new Set<RunFeed>();
  readonly #followers = new Map<string, Set<RunFeed>>();
  readonly #listFeeds = new Set<RunFeed>();
  readonly #closing = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly #source: FeedSource;
  readonly #textSource: FeedSource;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#store = options.store;
    this.stored = new StoredRuns({
      ...options,
      placed: (run) => this.#placed(run),
      closing: this.#closing.signal,
    });
    this.#distant =
      options.shared &&
      new DistantTexts({
        store: options.shared.store,
        held: (runId) => this.#writing(runId),
        followed: this.#followers,
        onChange: (runId) => this.#notify(runId),
      });
    this.#shared = options.shared && this.#share(options.shared);
    this.#source = {
      recent: (runId, afterSeq, limit) => {
        const log = this.#logs.get(runId);
        if (log) return log.recent(afterSeq, limit);
        return this.#distant?.of(runId)?.lastSeq === afterSeq ? [] : undefined;
      },
      stored: (runId, afterSeq) => this.#store.read(runId, { afterSeq, limit: READ_PAGE }),
      live: (runId) => this.#writing(runId) ?? this.#distant?.of(runId),
      summary: (runId) => this.stored.summary(runId),
      summaries: () => this.stored.snapshot(),
    };
    this.#textSource = {
      ...this.#source,
      stored: (runId, afterSeq) => this.#store.readTexts(runId, { afterSeq, ...TEXT_PAGE }),
    };
  }

  /**
   * Takes up the runs that the last process left unfinished. A run that cannot be taken up never keeps the others
   * from it. Where several processes share the store, each takes up what is free from now on.
   */
  async resumeUnfinished(): Promise<void> {
    if (this.#shared) return this.#shared.start();
    this.#resuming = this.#resumeAll();
    await this.#resuming;
  }

  async #resumeAll(): Promise<void> {
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
    this.#refuseWhenFull();
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
      const first = await this.stored.get(made.runId);
      if (!sameRequest(first.config, config, hasFreshWorkspace(request))) throw keyConflict(made.runId);
      return { ...first, created: false };
    }
    await this.#beginNew(id, config);
    return { ...(await this.stored.get(id)), created: true };
  }

  /**
   * Makes a run out of the beginning of another and begins to work on it. The other run stays as it is, whether it has
   * ended or not; its log up to the fork is copied, with the time of each event there.
   *
   * @throws {AppError} `run_not_found`, `event_not_found`, `fork_point_open`, `invalid_request`, `workspace_…`,
   *   `storage_full`, `idempotency_conflict`, `shutting_down`
   */
  async fork(
    parentId: string,
    request: ForkPlan,
    options: { idempotencyKey?: string } = {},
  ): Promise<{ run: RunSummary; config: RunConfig; created: boolean }> {
    this.#refuseWhenFull();
    const point = await this.stored.forkPoint(parentId, request.at);
    const id = newRunId(new Date());
    const { discard, ...facts } = await this.#options.prepareFork(point.state.config, {
      kind: request.workspace,
      runId: id,
    });
    const parent = { run_id: parentId, seq: point.seq };
    const { idempotencyKey } = options;
    let made: { runId: string; created: boolean };
    let events: NewEvent[];
    let config: RunConfig;
    try {
      ({ config, events } = planFork(point, request, facts));
      made = await this.#store.fork({ id, config, parent, events, idempotencyKey });
    } catch (error) {
      await discard();
      throw error;
    }
    if (!made.created) {
      await discard();
      if (!(await this.#isSameFork(made.runId, parent, events))) throw keyConflict(made.runId);
      return { ...(await this.stored.get(made.runId)), created: false };
    }
    await this.#beginNew(id, config);
    return { ...(await this.stored.get(id)), created: true };
  }

  /**
   * Asks a run to end: after the step in hand, or with `force` at once (S13, S14). On a run that has ended it changes
   * nothing.
   *
   * @throws {RunNotFoundError}
   */
  async stop(runId: string, { force }: { force: boolean }): Promise<RunSummary> {
    await this.#appendIf(runId, ({ ended, stop }) =>
      ended || (stop && (stop.force || !force)) ? [] : [{ type: 'stop.requested', force, by: 'operator' }],
    );
    for (const queue of this.#queues.values()) queue.leave(runId);
    return (await this.stored.get(runId)).run;
  }

  /**
   * Takes what a person says to a run. It is stored at once, delivered at the run's next boundary (in an exploration with
   * the next result of the operator tool), and returned when the run ends before: it is never lost.
   *
   * @throws {AppError} `run_not_found`, `run_ended`, `too_many_messages`
   */
  async message(runId: string, text: string): Promise<{ run: RunSummary; message: OperatorMessage }> {
    const id = { value: '' };
    const state = await this.#appendIf(runId, (now) => {
      if (now.ended) throw new RunEndedError(runId);
      if (queuedMessages(now).length >= MAX_QUEUED_MESSAGES) throw tooManyMessages();
      id.value = `m${now.operatorMessages.length + 1}`;
      return [{ type: 'operator.messaged', message_id: id.value, text }];
    });
    const { run } = await this.stored.get(runId);
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
    const state = await this.#appendIf(runId, (now) => decideApproval(now, request));
    if (state) return (await this.stored.get(runId)).run;
    await this.stored.get(runId);
    decideApproval(await this.stored.stateOf(runId), request);
    return (await this.stored.get(runId)).run;
  }

  /**
   * Deletes a run that has ended, with its log; its links are revoked first. Files in its workspace stay.
   *
   * @throws {AppError} `run_not_found`, `run_not_ended`
   */
  async delete(runId: string): Promise<void> {
    await this.#store.deleteRun(runId);
    this.#logs.delete(runId);
    this.#notify(runId);
  }

  /** Resolves when a run has ended, and when the signal fires. @throws {RunNotFoundError} */
  async ended(runId: string, signal: AbortSignal): Promise<void> {
    if (this.#shared) return this.#endedAnywhere(runId, signal);
    const log = this.#logs.get(runId);
    if (!log) {
      await this.stored.get(runId); // every run that has not ended is at hand
      return;
    }
    while (!log.state.ended && !signal.aborted) await log.changed(log.state.seq, signal);
  }

  /**
   * Stores a run that came as a file, to be read only. The same file a second time changes nothing.
   *
   * @throws {AppError} `bad_run_file` for a name that no run can have, `run_exists` when a different run has it, `storage_full`
   */
  async importRun({
    runId,
    events,
  }: ReadRun): Promise<{ run: RunSummary; config: RunConfig; created: boolean }> {
    this.#refuseWhenClosing();
    if (!isRunId(runId)) {
      throw new AppError({
        code: 'bad_run_file',
        message: `"${runId}" cannot be the name of a run.`,
        hint: 'Names have small letters, digits and hyphens. Nothing was imported.',
      });
    }
    if (freeBytes(this.#options.dataDir) < this.#options.minFreeBytes) {
      throw new StorageFullError(this.#options.dataDir);
    }
    const { created } = await this.#store.importRun({ events, importedAt: Date.now() });
    if (!created) await this.#refuseAnother(runId, events);
    for (const feed of this.#listFeeds) feed.notify(runId);
    return { ...(await this.stored.get(runId)), created };
  }

  async #refuseAnother(runId: string, events: readonly RunEvent[]): Promise<void> {
    let index = 0;
    for await (const page of this.stored.log(runId)) {
      for (const event of page) {
        if (JSON.stringify(event) !== JSON.stringify(events[index])) index = Number.POSITIVE_INFINITY;
        index += 1;
      }
    }
    if (index === events.length) return;
    throw new AppError({
      code: 'run_exists',
      message: `There is another run "${runId}" here, and its log is not the one of this file.`,
      hint: 'Nothing was imported. Delete the run that is here first, if it is not needed.',
    });
  }

  /**
   * The prompt that the model's server makes of a call's request, control tokens included. The server loads the model for it,
   * so it is asked for, never done by itself.
   *
   * @throws {AppError} what `sentRequest` throws, `model_in_use` while a run works with another model, what the server answers
   */
  async render(runId: string, call: number, signal: AbortSignal): Promise<RenderedReply> {
    const { request } = await this.stored.sentRequest(runId, call);
    const { config } = await this.stored.get(runId);
    const host = this.#options.hostOf(config);
    const others = [
      ...this.#atWork(host).map((state) => state.config?.model),
      ...this.#guestsAtWork().flatMap((guest) => (guest.host === host ? [guest.model] : [])),
    ];
    const other = others.find((model) => model !== undefined && model !== request.model);
    if (other !== undefined) {
      throw new AppError({
        code: 'model_in_use',
        message: `${other} is at work; rendering would load ${request.model} in its place.`,
        hint: 'Wait until its run or its check has ended.',
      });
    }
    const rendered = await this.#options.render(request, { signal, timeoutMs: config.load_timeout_ms });
    return { call, rendered };
  }

  /**
   * Takes a model out of memory, to have its room for something else.
   *
   * @throws {AppError} `model_in_use` while a run works with it, and what the server answers
   */
  async unload(model: string, signal: AbortSignal): Promise<void> {
    const uses = [...this.#logs.values()].some(
      ({ state }) => isAtWork(state) && state.config?.model === model,
    );
    const checked = this.#guestsAtWork().some((guest) => fullName(guest.model) === fullName(model));
    if (uses || checked) {
      throw new AppError({
        code: 'model_in_use',
        message: uses ? `A run works with ${model}.` : `${model} is being checked.`,
        hint: 'Stop it first, or wait until it has ended.',
      });
    }
    await this.#options.unload(model, signal);
  }

  /** The runs that use the same model server at the moment. */
  #atWork(host: string): RunState[] {
    return [...this.#logs.values()].flatMap(({ state }) =>
      isAtWork(state) && state.config && this.#options.hostOf(state.config) === host ? [state] : [],
    );
  }

  /**
   * Follows runs from where the viewer stands, and the list of runs if asked for (D4, D5). Closed by `signal`.
   *
   * @throws {AppError} `run_not_found`, `too_many_streams`, `shutting_down`
   */
  async follow(options: {
    topics: ReadonlyMap<string, number>;
    list?: boolean;
    /** Events out of the store come as their text: for viewers of the whole log, who need them sent and not read. */
    texts?: boolean;
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
      source: options.texts ? this.#textSource : this.#source,
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
    this.#distant?.ask();
    options.signal.addEventListener('abort', () => feed.close(), { once: true });
    if (options.signal.aborted) feed.close();
    return feed;
  }

  async health(model: string | undefined, signal: AbortSignal): Promise<HealthReply> {
    const queues = [...this.#queues.values()];
    return {
      ...(await this.#options.health(model, signal)),
      runs: {
        active: this.#runsAmong(queues.flatMap((queue) => queue.inside)),
        queued:
          this.#runsAmong(queues.flatMap((queue) => queue.waiting)) + (this.#shared?.waiting.length ?? 0),
      },
    };
  }

  models(signal: AbortSignal): Promise<ModelsReply> {
    return this.#options.models(signal);
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
    this.#refuseWhenClosing();
    const config = { model };
    const host = this.#options.shared?.hostOf(config) ?? this.#options.hostOf(config);
    const queue = this.#queueFor(host);
    const gone = AbortSignal.any([signal, this.#closing.signal]);
    const leave = () => queue.leave(id);
    this.#guests.set(id, { model, host: this.#options.hostOf(config) });
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
      this.#shared?.poke();
    }
  }

  /** The place in the line of a run or of something that is none, from 1; `undefined` when it does not wait here. */
  placeOf(id: string): number | undefined {
    for (const queue of this.#queues.values()) {
      const position = queue.position(id);
      if (position !== undefined) return position;
    }
    return undefined;
  }

  /** Where processes share the runs, their places are counted together: others leave one free as long as this lasts. */
  async #inSharedPlace<T>(
    { id, host, signal }: { id: string; host: string; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const shared = this.#options.shared?.store;
    if (!shared) return work(signal);
    const guestId = `${this.worker} ${id}`;
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
    try {
      while (!(await this.#whenNotBusy(id, () => shared.holdPlace(guestId, claim)))) {
        await delay(PLACE_LOOK_MS, undefined, { signal });
      }
      void beat();
      return await work(signal);
    } finally {
      over.abort();
      await shared.dropPlace(guestId).catch(leftToItsLease);
    }
  }

  #guestsAtWork(): { model: string; host: string }[] {
    const inside = [...this.#queues.values()].flatMap((queue) => queue.inside);
    return inside.flatMap((id) => this.#guests.get(id) ?? []);
  }

  #runsAmong(ids: readonly string[]): number {
    return ids.filter((id) => !this.#guests.has(id)).length;
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
    this.#distant?.close();
    await this.#shared?.close();
    for (const queue of this.#queues.values()) for (const runId of queue.waiting) queue.leave(runId);
    await Promise.race([Promise.all(this.#working), delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
    for (const [runId, log] of this.#logs) {
      await log.close();
      if (log.state.resumes > 0 && !log.state.ended) await this.#store.settleRecovery(runId);
    }
    for (const { log } of this.#held.values()) {
      await this.#options.shared?.store.release(log).catch(leftToItsLease);
    }
    await this.#store.close();
  }

  async #recover(summary: RunSummary): Promise<void> {
    fault('recovery');
    await this.#takeUp(await this.#take(summary.id));
  }

  /** Goes on with a run where its log stands. */
  async #takeUp(log: StoredRunLog): Promise<void> {
    const { config } = log.state;
    if (!config) throw new RangeError(`Run ${log.runId} has no configuration`);
    if (log.state.phase === 'queued') return this.#begin(log, config);
    const recoveries = await this.#store.beginRecovery(log.runId);
    if (recoveries > MAX_RECOVERIES) {
      await log.appendIf((state) => endedByError(state, interrupted(recoveries - 1)));
      return this.#keepForAWhile(log);
    }
    const { seq } = await log.append([{ type: 'run.resumed', worker: this.worker, epoch: log.epoch }]);
    this.#begin(log, config, (signal) => this.#settle(log, seq, signal));
  }

  /** Begins to work on a new run; where processes share the store, the first that has a place for it does. */
  async #beginNew(runId: string, config: RunConfig): Promise<void> {
    if (this.#shared) this.#shared.poke();
    else this.#begin(await this.#whenNotBusy(runId, () => this.#take(runId)), config);
  }

  #share({ store, hostOf }: NonNullable<RunServiceOptions['shared']>): SharedWork {
    store.onOthersAppend((runId, lastSeq) => {
      this.#distant?.appended(runId, lastSeq);
      const held = this.#held.get(runId);
      if (held) held.log.refresh().catch((error: unknown) => this.#refreshFailed(runId, error));
      this.#notify(runId);
      if (lastSeq === 1) this.#shared?.poke();
    });
    return new SharedWork({
      store,
      worker: this.worker,
      places: this.#options.concurrency,
      hostOf,
      hasPlace: (host) => {
        const { active, waiting } = this.#queueFor(host);
        return active + waiting.length < this.#options.concurrency;
      },
      take: async (runId, claim) => {
        fault('recovery');
        await this.#takeUp(await this.#take(runId, claim));
      },
      held: () => [...this.#held.values()].map(({ log }) => log),
      lost: (runId) => this.#lose(runId),
    });
  }

  #refreshFailed(runId: string, error: unknown): void {
    if (error instanceof AppError && error.code === 'stale_epoch') this.#lose(runId);
    else if (!isStoreBusy(error)) console.error(`What others did to run ${runId} could not be read:`, error);
  }

  /** Another worker has the run: what is under way for it here is cut short, and writes nothing. */
  #lose(runId: string): void {
    const held = this.#held.get(runId);
    if (!held) return;
    this.#letGo(held.log);
    held.gone.abort();
    console.warn(`Run ${runId} was taken over by another process.`);
  }

  /** The run is read from the store from here on. */
  #letGo(log: StoredRunLog): void {
    void log.close();
    if (this.#held.get(log.runId)?.log === log) this.#held.delete(log.runId);
    if (this.#logs.get(log.runId) === log) this.#logs.delete(log.runId);
    this.#notify(log.runId);
  }

  /** The log of a run in the hands of this process, as soon as that has it. */
  async #logOf(runId: string): Promise<StoredRunLog | undefined> {
    const log = this.#logs.get(runId);
    if (log || this.#shared) return log;
    await this.#resuming; // one of those left unfinished, whose turn has not come yet
    return this.#taking.get(runId) ?? this.#logs.get(runId);
  }

  /**
   * Appends what `choose` makes of a run, whoever works on it. `undefined` when it is not at hand: then it has ended, or
   * there is no such run.
   */
  async #appendIf(
    runId: string,
    choose: (state: RunState) => readonly NewEvent[],
  ): Promise<RunState | undefined> {
    const log = await this.#logOf(runId);
    const shared = this.#options.shared?.store;
    try {
      if (log) return await log.appendIf(choose);
    } catch (error) {
      const stale = error instanceof AppError && error.code === 'stale_epoch';
      if (!shared || !stale) throw error;
      this.#lose(runId);
    }
    return shared && this.#intervene(shared, runId, choose);
  }

  /** Appends to a run that another process holds, or nobody: whoever works on it then takes it in. */
  async #intervene(
    store: SharedRunStore,
    runId: string,
    choose: (state: RunState) => readonly NewEvent[],
  ): Promise<RunState> {
    for (;;) {
      const state = await this.stored.stateOf(runId);
      const events = choose(state);
      if (events.length === 0) return state;
      try {
        const appended = await store.intervene(runId, { expectedSeq: state.seq, events });
        this.#notify(runId);
        this.#shared?.poke();
        return foldAll(state, appended);
      } catch (error) {
        if (!isSeqConflict(error)) throw error; // its worker was quicker: once more, with what it wrote
      }
    }
  }

  async #endedAnywhere(runId: string, signal: AbortSignal): Promise<void> {
    const { run } = await this.stored.get(runId);
    if (run.phase === 'ended' || signal.aborted) return;
    const feed = await this.follow({ topics: new Map([[runId, run.last_seq]]), signal });
    while (!feed.done) await feed.next(KEPT_AFTER_END_MS);
    feed.close();
  }

  async #isSameFork(
    runId: string,
    parent: { run_id: string; seq: number },
    events: readonly NewEvent[],
  ): Promise<boolean> {
    const first = await this.#store.read(runId, { afterSeq: parent.seq, limit: events.length });
    const [forked] = first;
    if (forked?.type !== 'run.forked' || forked.from.run_id !== parent.run_id) return false;
    // The folder of a copy and its figures differ from one try to the next.
    return isDeepStrictEqual(first.map(asked), JSON.parse(JSON.stringify(events.map(asked))));
  }

  #whenNotBusy<T>(runId: string, work: () => Promise<T>): Promise<T> {
    return whenNotBusy(work, {
      signal: this.#closing.signal,
      onBusy: () => console.warn(`Run ${runId} waits for its store, which is locked or does not answer.`),
    });
  }

  /** The run belongs to this process from here on. What is asked of it while its log is read waits for that. */
  async #take(runId: string, claim?: { epoch: number }): Promise<StoredRunLog> {
    const taking = this.#readToWork(runId, claim);
    this.#taking.set(runId, taking);
    try {
      return await taking;
    } finally {
      this.#taking.delete(runId);
    }
  }

  async #readToWork(runId: string, claim?: { epoch: number }): Promise<StoredRunLog> {
    const { epoch } = claim ?? (await this.#store.claim(runId, this.worker));
    const log = new StoredRunLog({
      store: this.#store,
      state: await this.stored.stateOf(runId),
      epoch,
      onChange: () => this.#notify(runId),
    });
    this.#logs.set(runId, log);
    this.#held.set(runId, { log, gone: new AbortController() });
    // What another process appended while the log was read was told to nobody.
    if (this.#shared) await log.refresh();
    this.#notify(runId);
    return log;
  }

  #begin(log: StoredRunLog, config: RunConfig, onWork?: (signal: AbortSignal) => Promise<void>): void {
    const work = this.#work(log, config, onWork).catch((error: unknown) => {
      console.error(`Run ${log.runId} was lost:`, error); // whatever happens to a run, the server lives
    });
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  async #work(
    log: StoredRunLog,
    config: RunConfig,
    onWork?: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { gone } = this.#held.get(log.runId) ?? { gone: new AbortController() };
    const signal = AbortSignal.any([this.#closing.signal, gone.signal]);
    const host = this.#options.shared?.hostOf(config) ?? this.#options.hostOf(config);
    const queue = this.#queueFor(host);
    const onlyEnds = this.#shared && log.state.stop;
    let release = onlyEnds ? () => undefined : await queue.enter(log.runId, { kind: stayKind(config) });
    let passes = false;
    const { stretchMs = STRETCH_MS } = this.#options;
    let placeSince = performance.now();
    const shared = this.#options.shared?.store;
    const leavePlace = async () => {
      release();
      if (shared) await this.#whenNotBusy(log.runId, () => shared.leavePlace(log));
    };
    const takePlace = async (options: { again: boolean }) => {
      release = await queue.enter(log.runId, { ...options, kind: stayKind(config) });
      while (shared && !signal.aborted && !log.state.stop) {
        const places = this.#options.concurrency;
        if (await this.#whenNotBusy(log.runId, () => shared.takePlace(log, { host, places }))) break;
        await log.changed(log.state.seq, AbortSignal.any([signal, AbortSignal.timeout(PLACE_LOOK_MS)]));
      }
    };
    // What has no end of its own would keep everybody waiting for ever: it works turn by turn, or a while at a time
    // where each change would cost a load of the model.
    const letOthersPass = async () => {
      if (!isEndless(config)) return false;
      const justCame = performance.now() - placeSince < stretchMs;
      const awaited = this.#shared?.waitingFor(host) ?? [];
      const allNeedLoads = awaited.every(({ model, endless }) => endless && model !== config.model);
      if (awaited.length > 0 && !(justCame && allNeedLoads)) {
        // Those that wait are nobody's yet: this run becomes one of them, behind them.
        passes = true;
        gone.abort();
        return true;
      }
      if (queue.waiting.length === 0 || (justCame && this.#allNeedLoads(queue, config))) return false;
      await leavePlace();
      await takePlace({ again: false });
      placeSince = performance.now();
      return true;
    };
    const withoutPlace = async (wait: () => Promise<void>) => {
      await leavePlace();
      this.#shared?.poke();
      const { entries } = queue;
      await wait();
      // What other processes had the server do is not known here.
      const othersEntered = shared !== undefined || queue.entries > entries;
      // A run that was stopped only has its end to write.
      if (signal.aborted || log.state.stop) return othersEntered;
      await takePlace({ again: true });
      return othersEntered;
    };
    try {
      if (signal.aborted) return;
      const settled = onWork?.(signal);
      if (log.state.phase === 'queued') {
        await log.append([{ type: 'run.started', worker: this.worker, epoch: log.epoch }]);
      }
      const { outcome, error } = await this.#options.execute({
        log,
        config,
        signal,
        letOthersPass,
        withoutPlace,
      });
      if (outcome === 'superseded') console.warn(`Run ${log.runId} was taken over by another process.`);
      if (error !== undefined && outcome !== 'suspended' && !(error instanceof AppError)) {
        console.error(`Run ${log.runId} met an error:`, error);
      }
      await settled;
    } catch (error) {
      if (!signal.aborted) await this.#fail(log, error);
    } finally {
      release();
      await this.#giveBack(log, { last: passes });
      this.#keepForAWhile(log);
    }
  }

  /** The work on a run is over, whether it has ended or not. */
  async #giveBack(log: StoredRunLog, options: { last: boolean }): Promise<void> {
    const shared = this.#options.shared?.store;
    const held = this.#held.get(log.runId)?.log === log;
    if (!held || this.#closing.signal.aborted) return;
    if (!shared || log.state.ended) this.#held.delete(log.runId);
    else this.#letGo(log);
    // A run whose end could not be written is left to its lease, so that it is not tried in a ring.
    if (log.state.ended || options.last) await shared?.release(log, options).catch(leftToItsLease);
    this.#shared?.poke();
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
  async #settle(log: StoredRunLog, resumedSeq: number, signal: AbortSignal): Promise<void> {
    const enough = AbortSignal.any([signal, AbortSignal.timeout(SETTLED_AFTER_MS)]);
    for (let seq = resumedSeq; !enough.aborted; seq = log.state.seq) {
      await log.changed(seq, enough);
      const events = log.recent(seq, Number.MAX_SAFE_INTEGER) ?? [];
      if (events.some((event) => !NO_PROGRESS.has(event.type))) break;
    }
    if (!signal.aborted) await this.#store.settleRecovery(log.runId);
  }

  /** Whether those that wait are endless runs of which each would have its model loaded first. */
  #allNeedLoads(queue: HostQueue, { model, window_tokens }: RunConfig): boolean {
    return queue.waiting.every((runId) => {
      const waiting = this.#logs.get(runId)?.state.config;
      const loadsAnew = waiting?.model !== model || waiting.window_tokens !== window_tokens;
      return waiting !== undefined && isEndless(waiting) && loadsAnew;
    });
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
      this.#logs.get(runId)?.delta({
        type: 'queue',
        position: index + 1,
        ahead: queue.ahead(runId) ?? [],
        ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
      });
    }
  }

  /** Where processes share the runs, most of those that go before are not known here. */
  #expectedAt(queue: HostQueue, runId: string): number | undefined {
    const waitMs = this.#shared ? undefined : queue.expectedWaitMs(runId);
    return waitMs === undefined ? undefined : Math.round(Date.now() + waitMs);
  }

  #keepForAWhile(log: StoredRunLog): void {
    setTimeout(() => this.#logs.delete(log.runId), KEPT_AFTER_END_MS).unref();
  }

  /** What is being written in a run that is at hand here. */
  #writing(runId: string): { lastSeq: number; texts: LiveTexts } | undefined {
    const log = this.#logs.get(runId);
    return log && { lastSeq: log.state.seq, texts: log.texts };
  }

  #notify(runId: string): void {
    this.#distant?.changed(runId);
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

  #placed(run: RunSummary): RunSummary {
    if (run.phase === 'ended') return run;
    for (const queue of this.#queues.values()) {
      const position = queue.position(run.id);
      if (position === undefined) continue;
      const expectedAt = this.#expectedAt(queue, run.id);
      return {
        ...run,
        queue_position: position,
        ...(expectedAt === undefined ? {} : { queue_expected_at: expectedAt }),
      };
    }
    const shared = this.#shared?.waiting.indexOf(run.id) ?? -1;
    return shared < 0 ? run : { ...run, queue_position: shared + 1 };
  }

  #refuseWhenFull(): void {
    this.#refuseWhenClosing();
    if (freeBytes(this.#options.dataDir) < this.#options.minFreeBytes) {
      throw new StorageFullError(this.#options.dataDir);
    }
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

function isAtWork({ phase }: RunState): boolean {
  return phase !== 'ended' && phase !== 'queued';
}

function interrupted(times: number): AppError {
  return new AppError({
    code: 'interrupted',
    message: `The run was interrupted: the server was lost ${times} times while taking it up again.`,
    hint: 'Look at its last step, then start it anew.',
  });
}

/** A run that could not be given back is free once its lease has run out. */
function leftToItsLease(error: unknown): void {
  console.warn('A run could not be given back and waits for its lease to run out:', error);
}

function keyConflict(runId: string): AppError {
  return new AppError({
    code: 'idempotency_conflict',
    message: `The idempotency key was used for another request (run ${runId}).`,
    hint: 'Use a new key for a new run.',
  });
}

/** What a person asked of a fork, without what was found or made on the way. */
function asked(event: NewEvent | RunEvent): unknown {
  if (event.type === 'operator.messaged') return event.text;
  if (event.type !== 'run.forked') return event.type;
  const {
    from,
    edits,
    settings,
    files,
  }: Pick<EventOf<'run.forked'>, 'from' | 'edits' | 'settings' | 'files'> = event;
  return { from, edits, settings, files: files.kind };
}

function tooManyMessages(): AppError {
  return new AppError({
    code: 'too_many_messages',
    message: `${MAX_QUEUED_MESSAGES} messages wait for the model already.`,
    hint: 'Wait until it has read them.',
  });
}

/** Whether a run has no end of its own. */
/** Runs that are taken to need a place for about as long as each other. */
function stayKind(config: RunConfig): string | undefined {
  const { mode, agentic, model } = config;
  return isEndless(config) ? undefined : `${agentic ? mode : 'prompt'} ${model}`;
}

function isEndless({ max_iterations }: RunConfig): boolean {
  return max_iterations === 0;
}

function sameRequest(first: RunConfig, second: RunConfig, freshWorkspace: boolean): boolean {
  const workspace = freshWorkspace ? first.workspace : second.workspace;
  // As the log holds it: fields that are undefined are not there.
  const stored: unknown = JSON.parse(JSON.stringify({ ...second, workspace }));
  return isDeepStrictEqual(stored, first);
}
