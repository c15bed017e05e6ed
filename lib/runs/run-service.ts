import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { NewRun } from '../api/create-run.ts';
import type { ForkPlan } from '../api/fork-run.ts';
import type { HealthReply, ModelsReply } from '../api/replies.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { RenderedReply } from '../api/sent-request.ts';
import type { ToolsReply } from '../api/tools.ts';
import { FollowedRuns } from '../feed/followed-runs.ts';
import { RemoteDeltas } from '../feed/remote-deltas.ts';
import { RunChanges } from '../feed/run-changes.ts';
import type { FeedSource, RunFeed } from '../feed/run-feed.ts';
import { type FollowOptions, Viewers } from '../feed/viewers.ts';
import type { ApprovalRequest } from '../policies/approval.ts';
import type { ServerRequestAnswer } from '../policies/server-request.ts';
import { HostSlots, type HostSlotsOptions, type SlotRequest } from '../queue/host-slots.ts';
import { SharedWork } from '../queue/shared-work.ts';
import { WaitingRuns } from '../queue/waiting-runs.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import type { AnnotationStore } from '../store/annotation-store.ts';
import type { ImageStore } from '../store/image-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import type { StandingApprovalStore } from '../store/standing-approval-store.ts';
import type { Store } from '../store/store.ts';
import { FileUndo } from './file-undo.ts';
import { importRunFile } from './import-run-file.ts';
import { LocalRuns } from './local-runs.ts';
import { ModelUse, type ModelUseOptions } from './model-use.ts';
import { type MessageOptions, OperatorActions, type SentMessage } from './operator-actions.ts';
import { type CreatedRun, RunCreation, type RunCreationOptions, type StartOptions } from './run-creation.ts';
import { RunOrganizer } from './run-organizer.ts';
import { RunWorker, type RunWorkerOptions } from './run-worker.ts';
import { StandingApprovals } from './standing-approvals.ts';
import { StoredRuns, type StoredRunsOptions } from './stored-runs.ts';
import { WriteGuard, type WriteGuardOptions } from './write-guard.ts';

export interface RunServiceOptions
  extends Pick<StoredRunsOptions, 'health' | 'models' | 'masks' | 'settings'>,
    Pick<HostSlotsOptions, 'concurrency' | 'stretchMs' | 'clock' | 'hostOf'>,
    Pick<RunCreationOptions, 'prepare' | 'admit' | 'prepareFork'>,
    Pick<RunWorkerOptions, 'execute' | 'tidyUp'>,
    Pick<ModelUseOptions, 'render' | 'namesOfRunner' | 'unload'>,
    Pick<WriteGuardOptions, 'dataDir' | 'minFreeBytes'> {
  store: RunStore & ImageStore & AnnotationStore & StandingApprovalStore & Pick<Store, 'close'>;
  /** The built-in tools that runs can offer. */
  tools(): Promise<ToolsReply>;
  /** How long deleted runs can be restored, in milliseconds. Default: `UNDO_DELETE_MS`. */
  undoMs?: number;
  /** Receive the events of each append before it completes, and deletions. Default: none. */
  observers?: readonly AppendObserver[];
  /** For a store shared by several processes: the store, and the name by which all of them know a run's model server. */
  shared?: { store: SharedRunStore; hostOf(run: { model: string }): string };
}

/** How long a feed waits for an event before it checks again whether it is done. */
const FEED_WAIT_MS = 30_000;

/**
 * Creates, resumes, stops and streams runs. The entry point for the HTTP API, scripts and tests. It wires the parts
 * together; each part knows only those created before it.
 */
export class RunService {
  /** A display name for this process. Containers can share it. */
  readonly worker = `${hostname()}:${process.pid}`;
  /** Names this process among all that share the store. */
  readonly processId = `${this.worker}:${randomUUID()}`;
  /** Read access to all runs. */
  readonly stored: StoredRuns;
  readonly standingApprovals: StandingApprovals;
  /** The files that runs changed, and how to revert them. */
  readonly files: FileUndo;
  readonly #options: RunServiceOptions;
  readonly #closing = new AbortController();
  readonly #changes = new RunChanges();
  readonly #runs = new LocalRuns(this.#changes);
  readonly #guard: WriteGuard;
  readonly #slots: HostSlots;
  readonly #viewers: Viewers;
  readonly #runWorker: RunWorker;
  readonly #creation: RunCreation;
  readonly #operator: OperatorActions;
  readonly #modelUse: ModelUse;
  /** Annotations, and deletions that can be undone. */
  readonly organizer: RunOrganizer;
  /** Where several processes share the runs. */
  readonly #shared: { waiting: WaitingRuns; remote: RemoteDeltas; work: SharedWork } | undefined;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    const { store, hostOf, concurrency, stretchMs, clock, dataDir, minFreeBytes } = options;
    const closing = this.#closing.signal;
    const runs = this.#runs;
    const changes = this.#changes;
    const shared = options.shared && { ...options.shared, waiting: new WaitingRuns(options.shared.hostOf) };
    const guard = new WriteGuard({ store, dataDir, minFreeBytes, closing });
    const queueOptions = { concurrency, stretchMs, clock, hostOf, processId: this.processId };
    const slots = new HostSlots({ ...queueOptions, closing, runs, shared });
    const stored = new StoredRuns({ ...options, runs: shared ? undefined : runs, slots, closing });
    const followed = new FollowedRuns();
    const remote = shared && connectToOthers({ shared, runs, followed, changes });
    const source = feedSource({ runs, remote, stored });
    const parts = { store, stored, runs, slots, changes, guard, shared };
    const { execute, tidyUp, observers } = options;
    const worker = new RunWorker({ ...parts, name: this.worker, execute, tidyUp, observers, closing });
    const { prepare, admit, prepareFork, render, namesOfRunner, unload } = options;
    this.stored = stored;
    this.standingApprovals = new StandingApprovals({ store, dataDir });
    this.files = new FileUndo({ stored, store, dataDir });
    this.#guard = guard;
    this.#slots = slots;
    this.#viewers = new Viewers({ store, source, followed });
    this.#runWorker = worker;
    const now = shared && (() => shared.store.now());
    this.organizer = new RunOrganizer({ ...parts, observers, undoMs: options.undoMs, now });
    shared?.store.onOthersAppend((runId, lastSeq) => {
      if (lastSeq === 0) this.organizer.deletedElsewhere(runId);
    });
    this.#creation = new RunCreation({ ...parts, worker, prepare, admit, prepareFork });
    this.#operator = new OperatorActions({ ...parts, worker });
    this.#modelUse = new ModelUse({ ...parts, hostOf, render, namesOfRunner, unload });
    this.#shared = shared &&
      remote && {
        waiting: shared.waiting,
        remote,
        work: new SharedWork({
          ...{ ...shared, concurrency, slots, runs, runner: worker },
          worker: this.worker,
        }),
      };
    changes.onChange((runId) => this.#viewers.notify(runId));
  }

  /**
   * Resumes unfinished runs; on a full disk, once there is space. A run that cannot be resumed does not block the others.
   * Where several processes share the store, each one claims free runs from now on.
   */
  async resumeUnfinished(): Promise<void> {
    this.organizer.start();
    if (this.#shared) this.#shared.work.start();
    else await this.#runWorker.resumeUnfinished();
  }

  /** Creates and starts a run. @throws {AppError} like `RunCreation.start` */
  start(request: NewRun, options?: StartOptions): Promise<CreatedRun> {
    return this.#creation.start(request, options);
  }

  /** Forks a run and starts the fork. @throws {AppError} like `RunCreation.fork` */
  fork(parentId: string, request: ForkPlan, options?: { idempotencyKey?: string }): Promise<CreatedRun> {
    return this.#creation.fork(parentId, request, options);
  }

  /** Stops a run after its current step, or immediately with `force`. @throws {RunNotFoundError} */
  stop(runId: string, options: { force: boolean }): Promise<RunSummary> {
    return this.#operator.stop(runId, options);
  }

  /** Queues an operator message for a run. @throws {AppError} like `OperatorActions.message` */
  message(runId: string, text: string, options?: MessageOptions): Promise<SentMessage> {
    return this.#operator.message(runId, text, options);
  }

  /** Switches a session's autopilot on or off. @throws {AppError} like `OperatorActions.switchAutopilot` */
  switchAutopilot(runId: string, on: boolean): Promise<RunSummary> {
    return this.#operator.switchAutopilot(runId, on);
  }

  /** Records the operator's decisions about pending calls. @throws {AppError} like `OperatorActions.approve` */
  approve(runId: string, requests: readonly ApprovalRequest[]): Promise<RunSummary> {
    return this.#operator.approve(runId, requests);
  }

  /** Records the operator's answer to an MCP server. @throws {AppError} like `OperatorActions.answerServer` */
  answerServer(runId: string, answer: ServerRequestAnswer): Promise<RunSummary> {
    return this.#operator.answerServer(runId, answer);
  }

  /**
   * Deletes an ended run and its log for good, after revoking its links. Files in its workspace are kept.
   *
   * @throws {AppError} `run_not_found`, `run_not_ended`
   */
  async delete(runId: string): Promise<void> {
    const { store, observers = [] } = this.#options;
    await store.deleteRun(runId);
    await Promise.all(observers.map((observer) => observer.remove(runId)));
    this.#runs.forget(runId);
    this.#changes.notify(runId);
  }

  /** Resolves when a run has ended or the signal aborts. @throws {RunNotFoundError} */
  async ended(runId: string, signal: AbortSignal): Promise<void> {
    if (this.#shared) return this.#endedAnywhere(runId, signal);
    const log = this.#runs.get(runId);
    while (log && !log.stored.ended && !log.stored.awaiting && !signal.aborted) {
      await log.storedAfter(log.stored.seq, signal);
    }
    // A run that waits for a message is not in memory.
    if (!log?.stored.ended) await this.#endedAnywhere(runId, signal);
  }

  async #endedAnywhere(runId: string, signal: AbortSignal): Promise<void> {
    const { run } = await this.stored.get(runId);
    if (run.phase === 'ended' || signal.aborted) return;
    const feed = await this.follow({ topics: new Map([[runId, run.last_seq]]), signal });
    try {
      while (!feed.done) await feed.next(FEED_WAIT_MS);
    } finally {
      feed.close();
    }
  }

  /** Imports a run file as a read-only run. @throws {AppError} like `importRunFile` */
  async importRun(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<CreatedRun> {
    const { store } = this.#options;
    const { runId, created } = await importRunFile(bytes, {
      store,
      stored: this.stored,
      guard: this.#guard,
      signal,
    });
    this.#changes.notify(runId);
    return { ...(await this.stored.get(runId)), created };
  }

  /** Renders a call's prompt with the current model server. @throws {AppError} like `ModelUse.render` */
  render(runId: string, call: number, signal: AbortSignal): Promise<RenderedReply> {
    return this.#modelUse.render(runId, call, signal);
  }

  /** Unloads a model. @throws {AppError} like `ModelUse.unload` */
  unload(model: string, signal: AbortSignal): Promise<void> {
    return this.#modelUse.unload(model, signal);
  }

  /**
   * Follows runs from the viewer's last event, and optionally the run list (D4, D5). Closed by `signal`.
   *
   * @throws {AppError} `run_not_found`, `too_many_streams`, `shutting_down`
   */
  async follow(options: FollowOptions): Promise<RunFeed> {
    this.#guard.refuseWhenClosing();
    const feed = await this.#viewers.follow(options);
    this.#shared?.remote.ask();
    return feed;
  }

  async health(model: string | undefined, signal: AbortSignal): Promise<HealthReply> {
    const health = await this.#options.health(model, signal);
    const { active, queued } = this.#slots.counts;
    return { ...health, runs: { active, queued: queued + (this.#shared?.waiting.ids.length ?? 0) } };
  }

  tools(): Promise<ToolsReply> {
    return this.#options.tools();
  }

  models(signal: AbortSignal): Promise<ModelsReply> {
    return this.#options.models(signal);
  }

  /** Uses a model outside of runs, in a slot of its model server (`HostSlots.withSlot`). */
  async withSlot<T>(use: SlotRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#guard.refuseWhenClosing();
    return this.#slots.withSlot(use, work);
  }

  /** The position in the queue of a run or another use, from 1; `undefined` if it does not wait in this process. */
  queuePosition(id: string): number | undefined {
    return this.#slots.waitOf(id)?.position;
  }

  /** Number of connected viewers. */
  get viewers(): number {
    return this.#viewers.count;
  }

  /** Shuts down: closes streams and suspends runs, which resume at the next start. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.organizer.close();
    this.#viewers.close();
    this.#shared?.remote.close();
    await this.#shared?.work.close();
    this.#slots.leaveAll();
    await this.#runWorker.close();
    await this.#options.store.close();
  }
}

/** Connects this process to the others that share its runs: exchanges deltas and receives their append notifications. */
function connectToOthers({
  shared: { store, waiting },
  runs,
  followed,
  changes,
}: {
  shared: { store: SharedRunStore; waiting: WaitingRuns };
  runs: LocalRuns;
  followed: FollowedRuns;
  changes: RunChanges;
}): RemoteDeltas {
  const remote = new RemoteDeltas({
    store,
    held: (runId) => runs.writing(runId),
    followed,
    onChange: (runId) => changes.notify(runId),
  });
  changes.onChange((runId) => remote.changed(runId));
  store.onOthersAppend((runId, lastSeq) => {
    remote.appended(runId, lastSeq);
    void runs.refresh(runId);
    changes.notify(runId);
    if (lastSeq === 1) waiting.poke();
  });
  return remote;
}

/** In-memory data of runs held by this process or another one. */
function feedSource({
  runs,
  remote,
  stored,
}: {
  runs: LocalRuns;
  remote: RemoteDeltas | undefined;
  stored: StoredRuns;
}): Omit<FeedSource, 'stored'> {
  return {
    recent: (runId, afterSeq, limit) => {
      const log = runs.get(runId);
      if (log) return log.recent(afterSeq, limit);
      return remote?.of(runId)?.lastSeq === afterSeq ? [] : undefined;
    },
    live: (runId) => runs.writing(runId) ?? remote?.of(runId),
    summary: (runId) => stored.summary(runId),
    summaries: () => stored.snapshot(),
  };
}
