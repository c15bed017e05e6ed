import type { ExperimentItem, ExperimentSummary } from '../api/experiment.ts';
import type { CheckSummary, ModelCheck } from '../api/model-check.ts';
import type { ModelReading } from '../api/model-reading.ts';
import type { RunFilter } from '../api/run-filter.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { Found, FoundFrom } from '../api/search.ts';
import type { ShareRecord } from '../api/share.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';

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

export interface AppendRequest {
  /** The epoch under which the caller holds the run. */
  epoch: number;
  /** Sequence number of the last event the caller has seen. */
  expectedSeq: number;
  events: readonly NewEvent[];
}

/** Which runs to list: at most `limit` of those that pass the filter, after the place where the last page ended. */
export interface ListPage {
  limit: number;
  before?: { createdAt: number; id: string };
  filter?: RunFilter;
}

/** One page of a search. */
export interface SearchPage {
  limit: number;
  from?: FoundFrom;
}

/** Which events to read: at most `limit`, and with `maxChars` none that follows so many UTF-16 units of others. */
export interface EventRange {
  afterSeq: number;
  limit: number;
  maxChars?: number;
}

/** Which stored texts to read: at most `limit`, and none that follows `maxChars` UTF-16 units of others. */
export interface TextRange extends EventRange {
  maxChars: number;
}

/** An event as the text that is stored: for those who hand it on and need not know what is in it. */
export interface EventText {
  readonly run_id: string;
  readonly seq: number;
  readonly type: string;
  /** The whole event as JSON in one line. */
  readonly json: string;
}

/** The reading half of a store. */
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
  /** The newest runs first. */
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
  /** Runs without `run.ended`, oldest first: what a starting worker looks at. */
  unfinished(): Promise<RunSummary[]>;
  /** Runs that were made from this one, oldest first. */
  forksOf(runId: string): Promise<RunSummary[]>;
  /** An experiment with all its items in order. */
  experiment(id: string): Promise<{ summary: ExperimentSummary; items: ExperimentItem[] } | undefined>;
  /** The newest experiments first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** Those that wait, run, or have a run in hand, oldest first: what a starting worker looks at. */
  unfinishedExperiments(): Promise<ExperimentSummary[]>;
  /** All share links, the newest first. */
  shares(): Promise<ShareRecord[]>;
  /** The link whose token has this SHA-256 (hex). */
  shareByHash(tokenHash: string): Promise<ShareRecord | undefined>;
  /** How the replies of each model were read, over all runs there ever were, by the model's name in them (P17). */
  readings(): Promise<Map<string, ModelReading>>;
  /** The figures of all stored checks of models, the newest first. */
  modelChecks(): Promise<CheckSummary[]>;
  /** The whole check of a model: of this digest, or without one the newest. */
  modelCheck(model: string, digest?: string): Promise<ModelCheck | undefined>;
}

/**
 * The durable truth. Every store passes the same contract suite. An append is durable (also against power loss) when
 * its promise resolves; events of one append are stored together or not at all.
 */
export interface RunStore extends RunReader {
  /** Makes a run with its `run.created` event (seq 1, epoch 0). A repeated idempotency key brings the first run again. */
  create(run: {
    id: string;
    config: RunConfig;
    parent?: { run_id: string; seq: number };
    idempotencyKey?: string;
  }): Promise<{ runId: string; created: boolean }>;
  /**
   * Makes a run out of the beginning of another, whose log stays as it is (docs/decisions/0020): the copied events, then
   * the given ones, `run.forked` first; all together or not at all. Epoch 0, like a new run. What the copied replies
   * were read from is not counted a second time. A repeated idempotency key brings the first run again.
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
  }): Promise<{ runId: string; created: boolean }>;
  /**
   * Stores a run that came as a file, under its own name, all its events or none. It is not taken up, not even when its
   * log has no end: its phase is `ended`. A run of the same name stays as it is.
   */
  importRun(run: {
    /** 1, 2, 3 … without gaps, `run.created` first. */
    events: readonly RunEvent[];
    /** Milliseconds since 1970. */
    importedAt: number;
  }): Promise<{ runId: string; created: boolean }>;
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
  append(runId: string, request: AppendRequest): Promise<RunEvent[]>;
  /** Stores an experiment and those of its items that are given, together or not at all. */
  saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void>;
  /** Stores the check of a model in place of an earlier one of the same digest. */
  saveModelCheck(check: ModelCheck): Promise<void>;
  /**
   * Deletes a run that has ended, with its log. Its links are revoked in the same transaction and stay in the list; what
   * was counted of its replies stays counted.
   *
   * @throws {RunNotFoundError | RunNotEndedError}
   */
  deleteRun(runId: string): Promise<void>;
  /** Stores a new link. @throws {RunNotFoundError} */
  addShare(share: ShareRecord): Promise<void>;
  /** Revokes a link, once: the first time counts. Returns whether there is such a link. */
  revokeShare(shareId: string, at: number): Promise<boolean>;
  /** Counts that the page of a link was opened. */
  countShareView(shareId: string, at: number): Promise<void>;
  /**
   * Counts that the run is being taken up after its server was lost, and returns how often that has happened since the
   * last `settleRecovery`: a run that brings the server down again and again is told by it.
   */
  beginRecovery(runId: string): Promise<number>;
  /** The run got on, or the server was stopped in good order: the count begins anew. */
  settleRecovery(runId: string): Promise<void>;
  /** Called in this process after a commit, with the run and its last seq. Only wakes; the store is the source. */
  onAppend(listener: (runId: string, lastSeq: number) => void): () => void;
  close(): Promise<void>;
}
