import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '../engine/fault.ts';
import type { RunLoopOutcome } from '../engine/run-loop-outcome.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { EventOf, NewEvent, RunEvent, RunEventType } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { RunChanges } from '../feed/run-changes.ts';
import type { HostSlots } from '../queue/host-slots.ts';
import { warnNotReleased } from '../queue/shared-work.ts';
import type { WaitingRuns } from '../queue/waiting-runs.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import type { RunLeases } from '../store/leases.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import type { RunStore } from '../store/run-store.ts';
import { isOver, isStorageFull } from '../store/store-errors.ts';
import { errorMessage } from '../util/error-message.ts';
import { endedByError } from './end-run.ts';
import type { LocalRuns } from './local-runs.ts';
import type { ChooseEvents } from './pending-appends.ts';
import type { RunLookup } from './run-lookup.ts';
import { StoredRunLog } from './stored-run-log.ts';
import type { WriteGuard } from './write-guard.ts';

/** Executes a run from the state of its log until it ends or `signal` aborts (the server stops). */
export type ExecuteRun = (run: {
  log: StoredRunLog;
  config: RunConfig;
  signal: AbortSignal;
  /** Yields the run's slot to waiting runs. Resolves to `true` once the run has a slot again. */
  yieldToOthers: () => Promise<boolean>;
  /** Releases the slot, because the run waits for a person. */
  leaveSlot: () => Promise<void>;
  /**
   * Waits for a slot, or until the signal aborts. Resolves to whether others may have used it; `undefined` if the run
   * already has one.
   */
  takeSlot: (until?: AbortSignal) => Promise<boolean | undefined>;
}) => Promise<RunLoopOutcome>;

export interface RunWorkerOptions {
  /** A display name for this process. */
  name: string;
  store: Pick<RunStore, 'claim' | 'read' | 'append' | 'unfinished' | 'beginRecovery' | 'settleRecovery'>;
  stored: Pick<RunLookup, 'stateOf'>;
  runs: LocalRuns;
  slots: HostSlots;
  changes: RunChanges;
  guard: Pick<WriteGuard, 'whenWritable'>;
  /** Receive the events of each append before it completes. */
  observers?: readonly AppendObserver[];
  execute: ExecuteRun;
  /** Cleans up after a tool call whose server was killed, before the call is logged as interrupted. Never throws. */
  tidyUp(state: RunState): Promise<void>;
  /** Where several processes share the runs. */
  shared?: { store: Pick<RunLeases, 'release'>; waiting: WaitingRuns };
  /** Aborted when the server stops. */
  closing: AbortSignal;
}

/** A run is ended after this many recoveries that crashed the server again (docs/decisions/0008). */
const MAX_RECOVERIES = 2;
/** If the server survives this long after a recovery, the recovery did not crash it. */
const SETTLED_AFTER_MS = 10_000;
/** The same for a run that only waits for an approval. */
const PARKED_AFTER_MS = 1000;
/** How long to wait for current steps to abort when the server stops. */
const CLOSE_GRACE_MS = 3000;

/** Events that occur when a run is claimed, without progress. */
const NO_PROGRESS: ReadonlySet<RunEventType> = new Set<RunEventType>([
  'run.started',
  'run.resumed',
  'preflight.checked',
  'model.load-started',
  'model.loaded',
  'server-wait.started',
  'server-wait.ended',
  'model-call.started',
  'tool-call.interrupted',
  'operator.messaged',
  'stop.requested',
]);

/** Works on runs in this process: claims them, resumes them, and releases them. */
export class RunWorker {
  readonly #options: RunWorkerOptions;
  readonly #runs: LocalRuns;
  readonly #closing: AbortSignal;
  /** Claimed runs whose logs are being read. */
  readonly #taking = new Map<string, Promise<StoredRunLog>>();
  readonly #working = new Set<Promise<void>>();
  #resuming: Promise<void> = Promise.resolve();

  constructor(options: RunWorkerOptions) {
    this.#options = options;
    this.#runs = options.runs;
    this.#closing = options.closing;
  }

  /**
   * Resumes unfinished runs; on a full disk, once there is space. A run that cannot be resumed does not block the others.
   */
  async resumeUnfinished(): Promise<void> {
    this.#resuming = this.#resumeAll();
    await this.#resuming;
  }

  async #resumeAll(): Promise<void> {
    await this.#options.guard.whenWritable();
    if (this.#closing.aborted) return;
    for (const { id } of await this.#options.store.unfinished()) {
      try {
        await this.#retryWhileBusy(id, () => this.#takeWhenWritable(id));
      } catch (error) {
        console.error(`Run ${id} could not be resumed:`, error);
      }
    }
  }

  /** Claims a run; if the disk fills up in the meantime, again once there is space. */
  async #takeWhenWritable(runId: string): Promise<void> {
    for (;;) {
      await this.#options.guard.whenWritable();
      if (this.#closing.aborted) return;
      try {
        return await this.take(runId);
      } catch (error) {
        if (!isStorageFull(error)) throw error;
      }
    }
  }

  get claimsNew(): string | undefined {
    return this.#options.shared ? undefined : this.#options.name;
  }

  beginNew(state: RunState, first: EventOf<'run.created'>): void {
    this.#begin(this.#hold(state, 1, [first]), first.config);
  }

  async beginUnclaimed(runId: string, config: RunConfig): Promise<void> {
    const { shared } = this.#options;
    if (shared) shared.waiting.poke();
    else this.#begin(await this.#retryWhileBusy(runId, () => this.#open(runId)), config);
  }

  /** Claims a run and resumes it from its log. @param claim set if the run is already claimed */
  async take(runId: string, claim?: { epoch: number }): Promise<void> {
    fault('recovery');
    const log = await this.#open(runId, claim);
    await this.#releasedOnFailure(log, () => this.#resume(log));
  }

  async #resume(log: StoredRunLog): Promise<void> {
    const { config } = log.state;
    if (!config) throw new RangeError(`Run ${log.runId} has no configuration`);
    if (log.state.phase === 'queued' || log.state.woken) return this.#begin(log, config);
    await this.#options.tidyUp(log.state);
    const recoveries = await this.#options.store.beginRecovery(log.runId);
    if (recoveries > MAX_RECOVERIES) {
      await log.appendIf((state) => endedByError(state, interrupted(recoveries - 1)));
      await this.#giveBack(log, { last: false });
      return this.#runs.keepForAWhile(log);
    }
    const { seq } = log.append([{ type: 'run.resumed', worker: this.#options.name, epoch: log.epoch }]);
    await log.durable();
    this.#begin(log, config, (signal) => this.#settle(log, seq, signal));
  }

  /**
   * Appends an operator action to a run that no process works on because it waits for a message, and continues the run.
   * `undefined` if there is no such run. For a store that processes do not share.
   */
  async wake(runId: string, choose: ChooseEvents): Promise<RunState | undefined> {
    const known = this.#taking.get(runId) ?? this.#runs.get(runId);
    if (known) return (await known).appendIf(choose);
    let log: StoredRunLog;
    try {
      log = await this.#retryWhileBusy(runId, () => this.#open(runId));
    } catch (error) {
      if (isOver(error)) return undefined;
      throw error;
    }
    try {
      return await log.appendIf(choose);
    } finally {
      const { config, awaiting } = log.state;
      if (config && !awaiting) this.#begin(log, config);
      else this.#runs.release(log);
    }
  }

  /** The log of a run that this process works on. Waits while the run is being claimed. */
  async logOf(runId: string): Promise<StoredRunLog | undefined> {
    const log = this.#runs.get(runId);
    if (log || this.#options.shared) return log;
    await this.#resuming; // it may be an unfinished run that has not been resumed yet
    return this.#taking.get(runId) ?? this.#runs.get(runId);
  }

  /** Suspends all runs, to be resumed at the next start. Call after `closing` has aborted. */
  async close(): Promise<void> {
    await Promise.race([Promise.all(this.#working), delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
    for (const log of this.#runs.logs) {
      await log.close();
      if (log.state.resumes > 0 && !log.state.ended) await this.#settleAtClose(log.runId);
    }
    for (const log of this.#runs.held()) {
      await this.#options.shared?.store.release(log).catch(warnNotReleased);
    }
  }

  async #settleAtClose(runId: string): Promise<void> {
    try {
      await this.#options.store.settleRecovery(runId);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      console.warn(`Run ${runId}: could not reset the count of recoveries: ${error.message}`);
    }
  }

  /** Claims a run for this process. Requests for it wait while its log is read. */
  async #open(runId: string, claim?: { epoch: number }): Promise<StoredRunLog> {
    const taking = this.#readToWork(runId, claim);
    this.#taking.set(runId, taking);
    try {
      return await taking;
    } finally {
      this.#taking.delete(runId);
    }
  }

  async #readToWork(runId: string, claim?: { epoch: number }): Promise<StoredRunLog> {
    const { store, stored, shared, name } = this.#options;
    const { epoch } = claim ?? (await store.claim(runId, name));
    const log = this.#hold(await stored.stateOf(runId), epoch);
    // No notification arrived for events that another process appended while the log was read.
    if (shared) await this.#releasedOnFailure(log, () => log.refresh());
    return log;
  }

  /** No worker has a run that could not be claimed: a stop must claim it again, and its lease must expire. */
  async #releasedOnFailure(log: StoredRunLog, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#runs.release(log);
      throw error;
    }
  }

  #hold(state: RunState, epoch: number, recent?: readonly RunEvent[]): StoredRunLog {
    const { store, observers, changes } = this.#options;
    const { runId } = state;
    const log = new StoredRunLog({
      store,
      state,
      epoch,
      recent,
      observers,
      onChange: () => changes.notify(runId),
    });
    this.#runs.hold(log);
    changes.notify(runId);
    return log;
  }

  #begin(log: StoredRunLog, config: RunConfig, onWork?: (signal: AbortSignal) => Promise<void>): void {
    const work = this.#work(log, config, onWork).catch((error: unknown) => {
      console.error(`Run ${log.runId} failed unexpectedly:`, error); // an error in one run must not end the server
    });
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  async #work(
    log: StoredRunLog,
    config: RunConfig,
    onWork?: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const gone = this.#runs.goneOf(log);
    const signal = AbortSignal.any([this.#closing, gone.signal]);
    const slot = await this.#options.slots.enter({ log, config, signal, giveUp: () => gone.abort() });
    try {
      if (signal.aborted) return;
      const settled = onWork?.(signal);
      if (log.state.phase === 'queued') {
        await this.#options.guard.whenWritable();
        if (signal.aborted) return;
        log.append([{ type: 'run.started', worker: this.#options.name, epoch: log.epoch }]);
      }
      if (log.state.woken) log.append([this.#resumedAfterWait(log)]);
      const { outcome, error } = await this.#executeUntilWaiting({
        log,
        config,
        signal,
        yieldToOthers: () => slot.yieldToOthers(),
        leaveSlot: () => slot.leave(),
        takeSlot: (until) => slot.take(until),
      });
      if (outcome === 'superseded') console.warn(`Run ${log.runId} was taken over by another process.`);
      if (error !== undefined && outcome !== 'suspended' && !(error instanceof AppError)) {
        console.error(`Run ${log.runId} ended with an error:`, error);
      }
      // A waiting run has made progress. Nothing may be awaited between its last check and the next step.
      if (outcome !== 'waiting') await settled;
      else settled?.catch((failure: unknown) => console.error(`Run ${log.runId}:`, failure));
    } catch (error) {
      if (!signal.aborted) await this.#fail(log, error);
    } finally {
      slot.release();
      await this.#giveBack(log, { last: slot.givenUp });
      this.#runs.keepForAWhile(log);
    }
  }

  /** Executes a run. One that waits for a message may have received it while its loop returned; then it continues. */
  async #executeUntilWaiting(run: Parameters<ExecuteRun>[0]): Promise<RunLoopOutcome> {
    for (;;) {
      const done = await this.#options.execute(run);
      if (done.outcome !== 'waiting' || run.log.state.awaiting) return done;
      if (run.log.state.woken) run.log.append([this.#resumedAfterWait(run.log)]);
    }
  }

  #resumedAfterWait({ epoch }: StoredRunLog): Extract<NewEvent, { type: 'run.resumed' }> {
    return { type: 'run.resumed', worker: this.#options.name, epoch, after_wait: true };
  }

  /**
   * Releases a run when the work on it is over, whether or not the run has ended. A run that waits for a message leaves
   * memory; `wake` or another process resumes it.
   */
  async #giveBack(log: StoredRunLog, options: { last: boolean }): Promise<void> {
    const { shared } = this.#options;
    if (!this.#runs.isHeld(log) || this.#closing.aborted) return;
    const { ended, awaiting } = log.state;
    if (ended || !(shared || awaiting)) this.#runs.finish(log);
    else this.#runs.release(log);
    // A run whose end could not be written keeps its lease, so that it is not retried in a tight loop.
    if (ended || awaiting || options.last) await shared?.store.release(log, options).catch(warnNotReleased);
    shared?.waiting.poke();
  }

  /** Ends a run whose work threw an exception. Other runs are not affected. */
  async #fail(log: StoredRunLog, error: unknown): Promise<void> {
    console.error(`Run ${log.runId} failed:`, error);
    const shown = isStorageFull(error)
      ? error
      : new AppError({
          code: 'internal_error',
          message: `Unexpected error: ${errorMessage(error)}`,
          hint: 'Start the run again. If it fails again, report the error.',
          cause: error,
        });
    log.revert();
    await log.appendIf((state) => endedByError(state, shown));
  }

  /** Resets the count of recoveries once the run made progress or the server has survived for a while. */
  async #settle(log: StoredRunLog, resumedSeq: number, signal: AbortSignal): Promise<void> {
    const afterMs = log.state.phase === 'awaiting-approval' ? PARKED_AFTER_MS : SETTLED_AFTER_MS;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(afterMs)]);
    for (let seq = resumedSeq; !enough.aborted; seq = log.stored.seq) {
      await log.storedAfter(seq, enough);
      const events = log.recent(seq, Number.MAX_SAFE_INTEGER) ?? [];
      if (events.some((event) => !NO_PROGRESS.has(event.type))) break;
    }
    const settle = () => this.#options.store.settleRecovery(log.runId);
    if (!signal.aborted) await this.#retryWhileBusy(log.runId, settle);
  }

  #retryWhileBusy<T>(runId: string, work: () => Promise<T>): Promise<T> {
    return retryWhileBusy(work, { subject: `Run ${runId}`, signal: this.#closing });
  }
}

function interrupted(times: number): AppError {
  return new AppError({
    code: 'interrupted',
    message: `The run was interrupted: the server crashed ${times} times while resuming it.`,
    hint: 'Check its last step before you start it again.',
  });
}
