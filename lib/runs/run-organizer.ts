import { setImmediate as turn } from 'node:timers/promises';
import type { AnnotationChange } from '../api/run-annotations.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { UNDO_DELETE_MS } from '../events/limits.ts';
import type { RunChanges } from '../feed/run-changes.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import type { AnnotationStore } from '../store/annotation-store.ts';
import { isStoreBusy, RunNotFoundError } from '../store/store-errors.ts';

/** Extra time during which a deleted run can be restored, for requests in flight. */
const GRACE_MS = 5000;
/** Runs that are deleted within this time are purged together. */
const GATHER_MS = 1000;
/** Runs that are looked up in one go: a few milliseconds. */
const SLICE_RUNS = 20;

/** Reads a run, and drops cached data about it other than its log. */
interface StoredSummaries {
  summary(runId: string): Promise<RunSummary | undefined>;
  refresh(runId: string): void;
}

/** Annotations, deletions and restorations of runs. */
export class RunOrganizer {
  readonly #store: AnnotationStore;
  readonly #stored: StoredSummaries;
  readonly #runs: { forget(runId: string): void };
  readonly #changes: RunChanges;
  readonly #observers: readonly AppendObserver[];
  readonly #undoMs: number;
  readonly #now: () => number | Promise<number>;
  readonly #timers = new Set<NodeJS.Timeout>();
  /**
   * Pending removals by deleted run. The latest deletion counts, because a run may have been restored and deleted
   * again.
   */
  readonly #deletions = new Map<string, readonly string[]>();
  #elsewhere: { runIds: string[]; since: number } | undefined;
  #closed = false;

  /** @param options.undoMs how long deleted runs can be restored. Default: `UNDO_DELETE_MS` */
  constructor(options: {
    store: AnnotationStore;
    stored: StoredSummaries;
    /** The runs whose logs are in memory. */
    runs: { forget(runId: string): void };
    changes: RunChanges;
    observers?: readonly AppendObserver[] | undefined;
    undoMs?: number | undefined;
    /** The clock for deletions, the same for all machines that share the runs. Default: this machine's clock. */
    now?: (() => number | Promise<number>) | undefined;
  }) {
    this.#store = options.store;
    this.#stored = options.stored;
    this.#runs = options.runs;
    this.#changes = options.changes;
    this.#observers = options.observers ?? [];
    this.#undoMs = options.undoMs ?? UNDO_DELETE_MS;
    this.#now = options.now ?? Date.now;
  }

  /** Purges runs that were deleted before the last stop, once they can no longer be restored. */
  start(): void {
    void this.#purge([]);
    this.#purgeLater([]);
  }

  /**
   * Changes the annotations of runs, all or none of them.
   *
   * @throws {AppError} `run_not_found`, `too_many_tags`
   */
  async annotate(runIds: readonly string[], change: AnnotationChange): Promise<RunSummary[]> {
    const ids = [...new Set(runIds)];
    await this.#store.annotate(ids, change);
    for (const id of ids) {
      this.#stored.refresh(id);
      this.#changes.notify(id);
    }
    return Promise.all(ids.map((id) => this.#summary(id)));
  }

  /**
   * Deletes runs that have ended; all or none of them. They disappear for every reader immediately, their links for
   * good; their logs are removed when they can no longer be restored. Files in their workspaces are kept.
   *
   * @returns until when they can be restored, in milliseconds since 1970
   * @throws {AppError} `run_not_found`, `run_not_ended`
   */
  async delete(runIds: readonly string[]): Promise<{ deleted: string[]; undo_until: number }> {
    const ids = [...new Set(runIds)];
    await this.#store.hideRuns(ids, await this.#now());
    const undoUntil = Date.now() + this.#undoMs;
    for (const id of ids) {
      this.#runs.forget(id);
      this.#changes.notify(id);
    }
    this.#purgeLater(ids);
    return { deleted: ids, undo_until: undoUntil };
  }

  /** Call for a run that another process has deleted: this process removes its data once the run cannot be restored. */
  deletedElsewhere(runId: string): void {
    if (this.#closed) return;
    const now = performance.now();
    if (!this.#elsewhere || now - this.#elsewhere.since > GATHER_MS) {
      this.#elsewhere = { runIds: [], since: now };
      this.#purgeLater(this.#elsewhere.runIds);
    }
    this.#elsewhere.runIds.push(runId);
    this.#deletions.set(runId, this.#elsewhere.runIds);
  }

  /** Restores deleted runs. @throws {AppError} `run_not_found` if none of them can be restored */
  async restore(runIds: readonly string[]): Promise<string[]> {
    const restored = await this.#store.restoreRuns(runIds);
    for (const id of restored) this.#changes.notify(id);
    if (restored.length === 0) throw new RunNotFoundError(runIds[0] ?? '');
    return restored;
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #summary(runId: string): Promise<RunSummary> {
    const summary = await this.#stored.summary(runId);
    if (!summary) throw new RunNotFoundError(runId);
    return summary;
  }

  #purgeLater(runIds: readonly string[]): void {
    for (const id of runIds) this.#deletions.set(id, runIds);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#purge(runIds);
    }, this.#undoMs + GRACE_MS);
    timer.unref();
    this.#timers.add(timer);
  }

  /** @param deleted runs that were deleted long enough ago; another process may purge them first */
  async #purge(deleted: readonly string[]): Promise<void> {
    try {
      const before = (await this.#now()) - this.#undoMs;
      // Data derived from them is removed first: if the process dies in between, the next start finds the runs again.
      // They must not be restored meanwhile.
      const gone = new Set(await this.#store.finalizeDeletions(before));
      let read = 0;
      for (const id of deleted) {
        if (this.#deletions.get(id) !== deleted) continue;
        this.#deletions.delete(id);
        if (gone.has(id)) continue;
        // The store may read synchronously.
        if (++read % SLICE_RUNS === 0) await turn();
        if (!(await this.#stored.summary(id))) gone.add(id);
      }
      const removals = await Promise.allSettled(
        [...gone].flatMap((id) => this.#observers.map((observer) => observer.remove(id))),
      );
      await this.#store.purgeRuns(before);
      for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
    } catch (error) {
      if (this.#closed) return;
      // They must not stay just because the database did not answer.
      if (isStoreBusy(error)) this.#purgeLater(deleted.filter((id) => this.#deletions.get(id) === deleted));
      // Hidden runs stay hidden, and are deleted after the next deletion or start.
      else console.error('Deleted runs could not be removed:', error);
    }
  }
}
