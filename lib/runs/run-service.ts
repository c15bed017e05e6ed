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
import { DistantTexts } from '../feed/distant-texts.ts';
import type { LiveTexts } from '../feed/live-texts.ts';
import type { RunFeed } from '../feed/run-feed.ts';
import { type FollowOptions, Viewers } from '../feed/viewers.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { fullName } from '../model/ollama-models.ts';
import { type ApprovalRequest, decideApproval } from '../policies/approval.ts';
import { queuedMessages } from '../policies/operator-messages.ts';
import { Places, type PlacesOptions } from '../queue/places.ts';
import { leftToItsLease, SharedWork } from '../queue/shared-work.ts';
import type { ReadRun } from '../sharing/exports/run-file.ts';
import { freeBytes } from '../store/data-directory.ts';
import type { RunStore } from '../store/run-store.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import { isSeqConflict, isStoreBusy, RunEndedError, StorageFullError } from '../store/store-errors.ts';
import { whenNotBusy } from '../store/when-not-busy.ts';
import { fault } from '../util/fault.ts';
import { endedByError } from './end-run.ts';
import { type ForkFacts, planFork } from './plan-fork.ts';
import { hasFreshWorkspace } from './prepare-run.ts';
import { isRunId, newRunId } from './run-id.ts';
import { StoredRunLog } from './stored-run-log.ts';
import { StoredRuns, type StoredRunsOptions } from './stored-runs.ts';

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
  extends Pick<StoredRunsOptions, 'health' | 'models' | 'masks' | 'settings'>,
    Pick<PlacesOptions, 'concurrency' | 'stretchMs' | 'clock' | 'hostOf'> {
  store: RunStore;
  dataDir: string;
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
  /** For a store that several processes work on: it again, and the name by which all of them know a run's model server. */
  shared?: { store: SharedRunStore; hostOf(run: { model: string }): string };
  /** The prompt that the model's server makes of a request; loads the model. */
  render(request: ChatRequest, context: { signal: AbortSignal; timeoutMs: number }): Promise<string>;
  /** Takes a model out of memory. */
  unload(model: string, signal: AbortSignal): Promise<void>;
}

/** After so many recoveries that brought the server down again, a run is left alone (docs/decisions/0008). */
const MAX_RECOVERIES = 2;
/** A server that lives this long with a recovered run was not brought down by recovering it. */
const SETTLED_AFTER_MS = 10_000;
/** How long an ended run stays at hand for those who follow it. */
const KEPT_AFTER_END_MS = 30_000;
/** How long a step in hand may take to be cut short when the server stops. */
const CLOSE_GRACE_MS = 3000;
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
  readonly #places: Places;
  readonly #viewers: Viewers;
  readonly #closing = new AbortController();
  readonly #working = new Set<Promise<void>>();

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#store = options.store;
    this.stored = new StoredRuns({
      ...options,
      placed: (run) => this.#placed(run),
      closing: this.#closing.signal,
    });
    const { concurrency, stretchMs, clock, hostOf } = options;
    this.#places = new Places({
      ...{ concurrency, stretchMs, clock, hostOf },
      worker: this.worker,
      closing: this.#closing.signal,
      logOf: (runId) => this.#logs.get(runId),
      shared: options.shared && {
        ...options.shared,
        waitingFor: (host) => this.#shared?.waitingFor(host) ?? [],
        poke: () => this.#shared?.poke(),
      },
    });
    this.#viewers = new Viewers({
      store: this.#store,
      source: {
        recent: (runId, afterSeq, limit) => {
          const log = this.#logs.get(runId);
          if (log) return log.recent(afterSeq, limit);
          return this.#distant?.of(runId)?.lastSeq === afterSeq ? [] : undefined;
        },
        live: (runId) => this.#writing(runId) ?? this.#distant?.of(runId),
        summary: (runId) => this.stored.summary(runId),
        summaries: () => this.stored.snapshot(),
      },
    });
    this.#distant =
      options.shared &&
      new DistantTexts({
        store: options.shared.store,
        held: (runId) => this.#writing(runId),
        followed: this.#viewers.followed,
        onChange: (runId) => this.#notify(runId),
      });
    this.#shared = options.shared && this.#share(options.shared);
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
   * @throws {AppError} `run_not_found`, `event_not_found`, `fork_point_open`, `invalid_request`, `imported_workspace`,
   *   `workspace_…`, `storage_full`, `idempotency_conflict`, `shutting_down`
   */
  async fork(
    parentId: string,
    request: ForkPlan,
    options: { idempotencyKey?: string } = {},
  ): Promise<{ run: RunSummary; config: RunConfig; created: boolean }> {
    this.#refuseWhenFull();
    const point = await this.stored.forkPoint(parentId, request.at);
    if (request.workspace === 'same') await this.#refuseFolderOfFile(parentId, point.state.config);
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

  /** The folder of a run that came as a file was chosen by whoever made the file, and so was what a fork begins with. */
  async #refuseFolderOfFile(runId: string, { workspace }: RunConfig): Promise<void> {
    const { run } = await this.stored.get(runId);
    if (run.imported_at === undefined || workspace === '') return;
    throw new AppError({
      code: 'imported_workspace',
      message: `Run ${runId} was imported, and its file names the folder ${workspace}: a fork does not work in there.`,
      hint: 'Fork it with a copy of the folder ("workspace": "copy"), or start a new run in the folder.',
    });
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
    this.#places.leave(runId);
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
    this.#viewers.notify(runId);
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
      ...this.#places.guestsAtWork.flatMap((guest) => (guest.host === host ? [guest.model] : [])),
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
    const checked = this.#places.guestsAtWork.some((guest) => fullName(guest.model) === fullName(model));
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
  async follow(options: FollowOptions): Promise<RunFeed> {
    this.#refuseWhenClosing();
    const feed = await this.#viewers.follow(options);
    this.#distant?.ask();
    return feed;
  }

  async health(model: string | undefined, signal: AbortSignal): Promise<HealthReply> {
    const health = await this.#options.health(model, signal);
    const { active, queued } = this.#places.counts;
    return { ...health, runs: { active, queued: queued + (this.#shared?.waiting.length ?? 0) } };
  }

  models(signal: AbortSignal): Promise<ModelsReply> {
    return this.#options.models(signal);
  }

  /** Does something with a model server that is no run: in its turn, as a run that came now would (`Places.withPlace`). */
  async withPlace<T>(
    guest: { id: string; model: string; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#refuseWhenClosing();
    return this.#places.withPlace(guest, work);
  }

  /** The place in the line of a run or of something that is none, from 1; `undefined` when it does not wait here. */
  placeOf(id: string): number | undefined {
    return this.#places.waitOf(id)?.position;
  }

  /** Viewers connected at the moment. */
  get viewers(): number {
    return this.#viewers.count;
  }

  /** Stops in good order: streams are closed, runs are left as they are and go on at the next start. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#viewers.close();
    this.#distant?.close();
    await this.#shared?.close();
    this.#places.leaveAll();
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
      hasPlace: (host) => this.#places.hasFree(host),
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
    return whenNotBusy(work, { runId, signal: this.#closing.signal });
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
    const place = await this.#places.enter({ log, config, signal, giveUp: () => gone.abort() });
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
        letOthersPass: () => place.letOthersPass(),
        withoutPlace: (wait) => place.without(wait),
      });
      if (outcome === 'superseded') console.warn(`Run ${log.runId} was taken over by another process.`);
      if (error !== undefined && outcome !== 'suspended' && !(error instanceof AppError)) {
        console.error(`Run ${log.runId} met an error:`, error);
      }
      await settled;
    } catch (error) {
      if (!signal.aborted) await this.#fail(log, error);
    } finally {
      place.release();
      await this.#giveBack(log, { last: place.givenUp });
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
    this.#viewers.notify(runId);
  }

  #placed(run: RunSummary): RunSummary {
    if (run.phase === 'ended') return run;
    const wait = this.#places.waitOf(run.id);
    if (wait) {
      const { position, expectedAt } = wait;
      const expected = expectedAt === undefined ? {} : { queue_expected_at: expectedAt };
      return { ...run, queue_position: position, ...expected };
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

function sameRequest(first: RunConfig, second: RunConfig, freshWorkspace: boolean): boolean {
  const workspace = freshWorkspace ? first.workspace : second.workspace;
  // As the log holds it: fields that are undefined are not there.
  const stored: unknown = JSON.parse(JSON.stringify({ ...second, workspace }));
  return isDeepStrictEqual(stored, first);
}
