import type { RunConfig } from '../events/config.ts';
import type { RunState } from '../events/run-state.ts';
import type { LiveDeltas } from '../feed/live-deltas.ts';
import type { RunChanges } from '../feed/run-changes.ts';
import { isStaleEpoch, isStoreBusy } from '../store/store-errors.ts';
import type { StoredRunLog } from './stored-run-log.ts';

/** How long the log of an ended run stays in memory for its viewers. */
const KEPT_AFTER_END_MS = 30_000;

/** The runs whose logs are in this process's memory: those it works on, and recently ended ones. */
export class LocalRuns {
  readonly #logs = new Map<string, StoredRunLog>();
  /** The runs this process works on, each with the controller that aborts its work. */
  readonly #held = new Map<string, { log: StoredRunLog; gone: AbortController }>();
  readonly #changes: RunChanges;

  constructor(changes: RunChanges) {
    this.#changes = changes;
  }

  get(runId: string): StoredRunLog | undefined {
    return this.#logs.get(runId);
  }

  get logs(): readonly StoredRunLog[] {
    return [...this.#logs.values()];
  }

  /** The runs that this process works on. */
  held(): StoredRunLog[] {
    return [...this.#held.values()].map(({ log }) => log);
  }

  /** The configurations of the runs that are using a model server now. */
  get configsAtWork(): readonly RunConfig[] {
    return this.logs.flatMap(({ state }) => (isAtWork(state) && state.config ? [state.config] : []));
  }

  /** The text being written in a run whose log is in memory. */
  writing(runId: string): { lastSeq: number; texts: LiveDeltas; ended: boolean } | undefined {
    const log = this.#logs.get(runId);
    return log && { lastSeq: log.stored.seq, texts: log.texts, ended: log.stored.ended !== undefined };
  }

  /** Registers a run that this process starts to work on. */
  hold(log: StoredRunLog): void {
    this.#logs.set(log.runId, log);
    this.#held.set(log.runId, { log, gone: new AbortController() });
  }

  isHeld(log: StoredRunLog): boolean {
    return this.#held.get(log.runId)?.log === log;
  }

  /** Aborted when this process loses the run. */
  goneOf(log: StoredRunLog): AbortController {
    return this.#held.get(log.runId)?.gone ?? new AbortController();
  }

  /** Call when the work on the run is over. Its log stays in memory. */
  finish(log: StoredRunLog): void {
    if (this.isHeld(log)) this.#held.delete(log.runId);
  }

  /** Drops the run's log: later reads come from the store. */
  release(log: StoredRunLog): void {
    void log.close();
    this.finish(log);
    if (this.#logs.get(log.runId) === log) this.#logs.delete(log.runId);
    this.#changes.notify(log.runId);
  }

  /** Call when another worker has taken over the run: aborts the work here, which can no longer write. */
  lose(runId: string): void {
    const held = this.#held.get(runId);
    if (!held) return;
    this.release(held.log);
    held.gone.abort();
    console.warn(`Run ${runId} was taken over by another process.`);
  }

  /** Reads events that another process has appended to a run held here. */
  async refresh(runId: string): Promise<void> {
    try {
      await this.#held.get(runId)?.log.refresh();
    } catch (error) {
      if (isStaleEpoch(error)) this.lose(runId);
      else if (!isStoreBusy(error)) console.error(`Could not read new events of run ${runId}:`, error);
    }
  }

  /** Call when the run was deleted. */
  forget(runId: string): void {
    this.#logs.delete(runId);
  }

  /** Keeps the log of a finished run in memory for a while. A released log is not kept: a timer would keep its memory. */
  keepForAWhile(log: StoredRunLog): void {
    if (this.#logs.get(log.runId) !== log) return;
    const drop = () => {
      if (this.#logs.get(log.runId) === log) this.#logs.delete(log.runId);
    };
    setTimeout(drop, KEPT_AFTER_END_MS).unref();
  }
}

function isAtWork({ phase }: RunState): boolean {
  return phase !== 'ended' && phase !== 'queued';
}
