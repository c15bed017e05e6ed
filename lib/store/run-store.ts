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

/** Another worker has taken the run: this one must stop and write nothing more. */
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
  /** Claims the new run, which then has epoch 1. Without it no worker holds the run. */
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

/** Which stored texts to read: at most `limit`, and none that follows `maxChars` UTF-16 units of others. */
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
  /** Events with `seq > afterSeq` in order, as many as the range allows, but at least one where there is one. */
  read(runId: string, range: EventRange): Promise<RunEvent[]>;
  readOne(runId: string, seq: number): Promise<RunEvent | undefined>;
  /**
   * `read` without the check of each event against its schema, which it passed when it was written: only that it is JSON
   * and in its place is looked at. Fewer than `limit` when their texts together reach `maxChars`, but at least one.
   *
   * @throws {AppError} `store_corrupt`
   */
  readTexts(runId: string, range: TextRange): Promise<EventText[]>;
  /** One page of runs in their order. */
  list(page: ListPage): Promise<RunSummary[]>;
  /**
   * Runs with events that hold all words of a query (`lib/util/search-words.ts`), without regard to case and accents, ranked
   * as in `search-groups.ts`. Everything that was appended before is found, but for what `behind` counts. Any text is a
   * query.
   *
   * @param page.limit runs at most
   * @param page.from `next` of the page before
   */
  search(query: string, page: SearchPage): Promise<Found>;
  summary(runId: string): Promise<RunSummary | undefined>;
  /** Runs that have not ended and do not wait for a message, oldest first, for a worker that starts. */
  unfinished(): Promise<RunSummary[]>;
  /**
   * The folders of the newest runs, newest first: the one that was copied where the run works on a copy. Without imported
   * runs, whose files can name any folder, and without forks.
   */
  usedFolders(runs: number): Promise<{ path: string; usedAt: number }[]>;
  /** Runs that were made from this one, oldest first. */
  forksOf(runId: string): Promise<RunSummary[]>;
}

/**
 * Keeps runs, each with its log. An append is durable (also against power loss) when its promise resolves; the events of one
 * append are stored together or not at all.
 */
export interface RunStore extends RunReader {
  /**
   * Makes a run with its `run.created` event (seq 1). A repeated idempotency key returns the first run.
   *
   * @returns also the stored event and its fold, if the run was created
   */
  create(run: NewRunLog): Promise<CreatedLog>;
  /**
   * Makes a run out of the beginning of another, whose log stays as it is (docs/decisions/0020) and whose family it joins:
   * the copied events with the images of that run, then the given ones, `run.forked` first; all together or not at all. Epoch 0, like a new run. What the copied replies
   * were read from is not counted a second time. A repeated idempotency key returns the first run.
   *
   * @throws {RunNotFoundError | AppError} `event_not_found` when the other log is shorter than `parent.seq`
   */
  fork(run: {
    id: string;
    config: RunConfig;
    /** The run it is made from, and the last event to copy. */
    parent: { run_id: string; seq: number };
    events: readonly NewEvent[];
    idempotencyKey?: string;
    /** The person's folder it works in, or on a copy of. */
    folder?: string;
  }): Promise<{ runId: string; created: boolean }>;
  /**
   * Stores a run from a file under its own name. Readers see all its events or nothing, also after a crash: other writes run
   * between the short transactions of an import (docs/decisions/0025). The run is never resumed, not even when its log has
   * no end: its phase is `ended`. A run of the same name stays as it is.
   *
   * @throws {AppError} `import_under_way` while another request imports this run, `import_interrupted`
   */
  importRun(run: FileRun): Promise<{ runId: string; created: boolean }>;
  /**
   * Takes the run for a worker: the epoch rises by one, and every older epoch can no longer append.
   *
   * @throws {RunNotFoundError | RunEndedError}
   */
  claim(runId: string, worker: string): Promise<{ epoch: number; lastSeq: number }>;
  /**
   * An append that ends a run may use the reserve that is kept for a full disk.
   *
   * @throws {StaleEpochError | SeqConflictError | RunNotFoundError | RunEndedError | StorageFullError} and changes nothing
   */
  append(runId: string, request: AppendRequest): Promise<void>;
  /**
   * Deletes a run that has ended, with its log. Its links are revoked in the same transaction and stay in the list; what
   * was counted of its replies stays counted.
   *
   * @throws {RunNotFoundError | RunNotEndedError}
   */
  deleteRun(runId: string): Promise<void>;
  /**
   * Counts a recovery of the run after its server was lost. Returns how many there were since the last `settleRecovery`, by
   * which a run that keeps crashing the server is recognized.
   */
  beginRecovery(runId: string): Promise<number>;
  /** The run made progress, or the server was stopped cleanly: the count starts again at zero. */
  settleRecovery(runId: string): Promise<void>;
  /**
   * Why the store refuses writes for lack of room; `undefined` when it takes them. Only the end of a run, a deletion and the
   * revocation of a link are written on a full disk. Looks again whether there is room.
   */
  fullDisk(): Promise<{ message: string; hint?: string } | undefined>;
}
