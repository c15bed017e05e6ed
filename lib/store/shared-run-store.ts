import type { NewEvent, RunEvent } from '../events/registry.ts';

/** A run that no worker holds: it has not started yet, its worker released it, or its worker is gone. */
export interface FreeRun {
  id: string;
  model: string;
  stopRequested: boolean;
  /** It has no end of its own. */
  endless: boolean;
}

/** A run that a worker holds. */
export interface HeldRun {
  runId: string;
  epoch: number;
}

/** A lease is renewed this often before it would run out. */
export const BEATS_PER_LEASE = 3;

/** The leases of runs. The database's clock measures every lease. */
export interface RunLeases {
  /** How long a claim and a renewal last, in milliseconds. */
  readonly leaseMs: number;
  /** Unfinished runs that no worker holds, a bounded number of them, those that have waited longest first. */
  free(): Promise<FreeRun[]>;
  /**
   * Takes a free run if fewer than `places` runs are at work with the same model server, in any process. The epoch rises as
   * with `claim`.
   *
   * @returns `undefined` when another worker took the run, it has ended, or all places are taken
   */
  claimFree(
    runId: string,
    claim: { worker: string; host: string; places: number },
  ): Promise<{ epoch: number; lastSeq: number } | undefined>;
  /** Renews the leases. Returns the runs that were lost: another worker has them. */
  renew(held: readonly HeldRun[]): Promise<string[]>;
  /** Releases a run: another worker may take it at once. With `last`, the runs that wait already come first. */
  release(run: HeldRun, options?: { last?: boolean }): Promise<void>;
}

/** The leases of places at model servers. */
export interface PlaceLeases {
  /** The run waits for a person: it leaves its place at the model server to others and stays held. */
  leavePlace(run: HeldRun): Promise<void>;
  /** Takes a place again. Returns `false` while there is none. */
  takePlace(run: HeldRun, claim: { host: string; places: number }): Promise<boolean>;
  /**
   * Takes a place at a model server for something other than a run, or renews its lease. From the first request on, no run
   * takes the place that it waits for.
   *
   * @returns `false` while there is none
   */
  holdPlace(id: string, claim: { host: string; places: number }): Promise<boolean>;
  dropPlace(id: string): Promise<void>;
}

/** The leases of experiments, each held by one process at a time. */
export interface ExperimentLeaseStore {
  /** Takes an experiment for a worker. Returns `false` when another worker holds it. */
  holdExperiment(experimentId: string, worker: string): Promise<boolean>;
  /** Renews the lease of an experiment. Returns `false` when another worker has taken it meanwhile. */
  keepExperiment(experimentId: string, worker: string): Promise<boolean>;
  releaseExperiment(experimentId: string, worker: string): Promise<void>;
}

/** Messages between the processes. */
export interface ProcessMessages {
  /** Sends messages to the other processes: no two alike, at most 7500 bytes each, never stored, lost when nobody listens. */
  say(messages: readonly string[]): Promise<void>;
  onSaid(listener: (message: string) => void): () => void;
}

/** What a store offers in addition when several processes share it (docs/decisions/0022). */
export interface SharedRunStore extends RunLeases, PlaceLeases, ExperimentLeaseStore, ProcessMessages {
  /**
   * Appends what a person does to a run, whichever worker holds it. Fenced by the length of the log alone.
   *
   * @throws {SeqConflictError | RunNotFoundError | RunEndedError | StorageFullError}
   */
  intervene(
    runId: string,
    request: { expectedSeq: number; events: readonly NewEvent[] },
  ): Promise<RunEvent[]>;
  /**
   * Called when another process has appended, and with 0 when it has deleted the run. Only a wake-up call that may be late: the
   * store has the events.
   */
  onOthersAppend(listener: (runId: string, lastSeq: number) => void): () => void;
}
