import type { RunSummary } from '../api/run-summary.ts';
import type { Found, FoundFrom } from '../api/search.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { EventOf, NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { StoredImage } from './image-store.ts';
import type { FileRun } from './import-run.ts';
import type { ListPage } from './list-page.ts';
import type { LogGrowth } from './log-growth.ts';

/** Another worker has taken over the run: this one must stop and write nothing more. */
export class StaleEpochError extends AppError {
  constructor(runId: string, epoch: number) {
    super({
      code: 'stale_epoch',
      message: `Run ${runId} was taken over by another worker; epoch ${epoch} may no longer write.`,
    });
    this.name = 'StaleEpochError';
  }
}

/** The log has grown since the caller last read it. */
export class SeqConflictError extends AppError {
  constructor(runId: string, expected: number, actual: number) {
    super({
      code: 'seq_conflict',
      message: `Run ${runId}: expected to append after ${expected}, the log is at ${actual}.`,
    });
    this.name = 'SeqConflictError';
  }
}

export interface AppendRequest extends LogGrowth {
  /** The epoch under which the caller holds the run. */
  epoch: number;
}

/** A run as it was created, or the one that an earlier request with the same key created. */
export type CreatedLog =
  | { runId: string; created: false }
  | { runId: string; created: true; first: EventOf<'run.created'>; state: RunState };

/** A run to be created. */
export interface NewRunLog {
  id: string;
  config: RunConfig;
  copied?: EventOf<'run.created'>['copied'];
  parent?: { run_id: string; seq: number };
  idempotencyKey?: string;
  /** Claims the new run for this worker, with epoch 1. Without it, no worker holds the run. */
  worker?: string;
  /** The experiment it belongs to. */
  family?: string;
  /** The person's folder it works in, or on a copy of. */
  folder?: string;
  /** The images of its configuration. */
  images?: readonly StoredImage[];
}

/** One page of a search. */
export interface SearchPage {
  limit: number;
  from?: FoundFrom;
}

/** Which events to read: at most `limit`; with `maxChars`, stops once the events reach that many UTF-16 units. */
export interface EventRange {
  afterSeq: number;
  limit: number;
  maxChars?: number;
}

/** Which stored texts to read: at most `limit`, and none after a total of `maxChars` UTF-16 units. */
export interface TextRange extends EventRange {
  maxChars: number;
}

/** An event as its stored text, for callers that only pass it on. */
export interface EventText {
  readonly run_id: string;
  readonly seq: number;
  readonly type: string;
  /** The event as one line of JSON. */
  readonly json: string;
}

/** Reads runs and their logs. */
export interface RunReader {
  /** Events with `seq > afterSeq` in order, as many as the range allows, but at least one if there is one. */
  read(runId: string, range: EventRange): Promise<RunEvent[]>;
  readOne(runId: string, seq: number): Promise<RunEvent | undefined>;
  /**
   * Like `read`, but without validating each event against its schema, which it passed when it was written: only checks
   * that it is JSON and in sequence. Returns fewer than `limit` if the texts reach `maxChars` in total, but at least
   * one.
   *
   * @throws {AppError} `store_corrupt`
   */
  readTexts(runId: string, range: TextRange): Promise<EventText[]>;
  /** One page of runs in their order. */
  list(page: ListPage): Promise<RunSummary[]>;
  /**
   * Runs with events that contain all words of a query (`lib/util/search-words.ts`), ignoring case and accents, ranked
   * as in `search-groups.ts`. Finds everything appended before, except for what `behind` counts. Any text is a valid
   * query.
   *
   * @param page.limit max number of runs
   * @param page.from `next` of the previous page
   */
  search(query: string, page: SearchPage): Promise<Found>;
  summary(runId: string): Promise<RunSummary | undefined>;
  /** Runs that have not ended and do not wait for a message, oldest first, for a worker that starts. */
  unfinished(): Promise<RunSummary[]>;
  /**
   * The folders of the newest runs, newest first; for a run on a copy, the copied folder. Excludes forks, and imported
   * runs, whose files can name any folder.
   */
  usedFolders(runs: number): Promise<{ path: string; usedAt: number }[]>;
  /** Runs that were forked from this one, oldest first. */
  forksOf(runId: string): Promise<RunSummary[]>;
}

/**
 * Stores runs with their logs. An append is durable, even against power loss, when its promise resolves; the events of
 * one append are stored together or not at all.
 */
export interface RunStore extends RunReader {
  /**
   * Creates a run with its `run.created` event (seq 1). A repeated idempotency key returns the first run.
   *
   * @returns also the stored event and its fold, if the run was created
   */
  create(run: NewRunLog): Promise<CreatedLog>;
  /**
   * Creates a run from the beginning of another, whose log is unchanged (docs/decisions/0020) and whose family it
   * joins. Stores the copied events with that run's images, then the given events, `run.forked` first, all together or
   * not at all. Epoch 0, like a new run. How the copied replies were read is not counted again. A repeated idempotency
   * key returns the first run.
   *
   * @throws {RunNotFoundError | AppError} `event_not_found` when the other log is shorter than `parent.seq`
   */
  fork(run: {
    id: string;
    config: RunConfig;
    /** The source run, and the last event to copy. */
    parent: { run_id: string; seq: number };
    events: readonly NewEvent[];
    idempotencyKey?: string;
    /** The person's folder it works in, or on a copy of. */
    folder?: string;
  }): Promise<{ runId: string; created: boolean }>;
  /**
   * Stores a run from a file under its own ID. Readers see all its events or nothing, even after a crash; other writes
   * run between the short transactions of an import (docs/decisions/0025). The run is never resumed, even if its log
   * has no end: its phase is `ended`. An existing run with the same ID is unchanged.
   *
   * @throws {AppError} `import_under_way` while another request imports this run, `import_interrupted`
   */
  importRun(run: FileRun): Promise<{ runId: string; created: boolean }>;
  /**
   * Claims the run for a worker: the epoch increases by one, and older epochs can no longer append.
   *
   * @throws {RunNotFoundError | RunEndedError}
   */
  claim(runId: string, worker: string): Promise<{ epoch: number; lastSeq: number }>;
  /**
   * Appends events. An append that ends a run may use the reserve for a full disk.
   *
   * @throws {StaleEpochError | SeqConflictError | RunNotFoundError | RunEndedError | StorageFullError} and changes nothing
   */
  append(runId: string, request: AppendRequest): Promise<void>;
  /**
   * Deletes a run that has ended, with its log. Its links are revoked in the same transaction and stay in the list;
   * counts of its replies are kept.
   *
   * @throws {RunNotFoundError | RunNotEndedError}
   */
  deleteRun(runId: string): Promise<void>;
  /**
   * Counts a recovery of the run after its server crashed. Returns the number since the last `settleRecovery`, which
   * identifies a run that keeps crashing the server.
   */
  beginRecovery(runId: string): Promise<number>;
  /** Resets the count, because the run made progress or the server was stopped cleanly. */
  settleRecovery(runId: string): Promise<void>;
  /**
   * Why the store refuses writes for lack of space; `undefined` if it accepts them. On a full disk, only the end of a
   * run, a deletion and the revocation of a link are written. Checks again whether there is space.
   */
  fullDisk(): Promise<{ message: string; hint?: string } | undefined>;
}
