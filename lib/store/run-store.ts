import type { ExperimentItem, ExperimentSummary } from '../api/experiment.ts';
import type { ModelReading } from '../api/model-reading.ts';
import type { RunSummary } from '../api/run-summary.ts';
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

/** The reading half of a store. */
export interface RunReader {
  /** Events with `seq > afterSeq` in order, at most `limit`. */
  read(runId: string, range: { afterSeq: number; limit: number }): Promise<RunEvent[]>;
  readOne(runId: string, seq: number): Promise<RunEvent | undefined>;
  /** The newest runs first. */
  list(page: { limit: number; before?: { createdAt: number; id: string } }): Promise<RunSummary[]>;
  summary(runId: string): Promise<RunSummary | undefined>;
  /** Runs without `run.ended`, oldest first: what a starting worker looks at. */
  unfinished(): Promise<RunSummary[]>;
  /** An experiment with all its items in order. */
  experiment(id: string): Promise<{ summary: ExperimentSummary; items: ExperimentItem[] } | undefined>;
  /** The newest experiments first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** How the replies of each model were read, over all runs there ever were, by the model's name in them (P17). */
  readings(): Promise<Map<string, ModelReading>>;
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
