import type { ExperimentLeaseStore, ProcessMessages, RunLeases, SlotLeases } from './leases.ts';
import type { LogGrowth } from './log-growth.ts';

/** Additional methods of a store that several processes share (docs/decisions/0022). */
export interface SharedRunStore extends RunLeases, SlotLeases, ExperimentLeaseStore, ProcessMessages {
  /**
   * Appends a person's action to a run, whichever worker holds it. Fenced only by the length of the log.
   *
   * @throws {SeqConflictError | RunNotFoundError | RunEndedError | StorageFullError}
   */
  intervene(runId: string, growth: LogGrowth): Promise<void>;
  /** The time by the database's clock, in milliseconds since 1970; the clocks of the machines may differ. */
  now(): Promise<number>;
  /**
   * Called when another process has appended, and with 0 when it has deleted the run. Only a notification, which may be
   * late: the store has the events.
   */
  onOthersAppend(listener: (runId: string, lastSeq: number) => void): () => void;
}
