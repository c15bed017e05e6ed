import type { NewEvent, RunEvent } from '../events/registry.ts';
import type { RunStore } from './run-store.ts';

/** A run that nobody holds: it was not begun yet, its worker gave it back, or its worker is gone. */
export interface FreeRun {
  id: string;
  model: string;
  stopRequested: boolean;
  /** It has no end of its own. */
  endless: boolean;
}

/** A run in the hands of a worker. */
export interface HeldRun {
  runId: string;
  epoch: number;
}

/** A lease is prolonged this often before it would run out. */
export const BEATS_PER_LEASE = 3;

/** What a store adds that several processes work on (docs/decisions/0022). A lease is measured by the database's clock. */
export interface SharedRunStore extends RunStore {
  /** For how long a claim and a renewal hold, in milliseconds. */
  readonly leaseMs: number;
  /** Unfinished runs that nobody holds, a bounded number of them, those that wait longest first. */
  free(): Promise<FreeRun[]>;
  /**
   * Takes a run that is free, if fewer than `places` runs are at work with the same model server, whoever works on them.
   * The epoch rises as with `claim`.
   *
   * @returns `undefined` when the run was taken by another, has ended, or there is no place
   */
  claimFree(
    runId: string,
    claim: { worker: string; host: string; places: number },
  ): Promise<{ epoch: number; lastSeq: number } | undefined>;
  /** Prolongs the leases. Returns the runs that are held no more: another worker has them. */
  renew(held: readonly HeldRun[]): Promise<string[]>;
  /** The run waits for a person and leaves its place at the model server to others, without being given back. */
  leavePlace(run: HeldRun): Promise<void>;
  /** Takes a place again. Returns `false` while there is none. */
  takePlace(run: HeldRun, claim: { host: string; places: number }): Promise<boolean>;
  /**
   * Takes a place at a model server for what is no run, or prolongs its lease. As soon as it was asked for, no run takes
   * the place that it waits for.
   *
   * @returns `false` while there is none
   */
  holdPlace(id: string, claim: { host: string; places: number }): Promise<boolean>;
  dropPlace(id: string): Promise<void>;
  /** Gives a run back: others may take it at once. With `last`, those that wait already come first. */
  release(run: HeldRun, options?: { last?: boolean }): Promise<void>;
  /**
   * Appends what a person does to a run, whoever holds it: fenced by the length of the log alone.
   *
   * @throws {SeqConflictError | RunNotFoundError | RunEndedError | StorageFullError}
   */
  intervene(
    runId: string,
    request: { expectedSeq: number; events: readonly NewEvent[] },
  ): Promise<RunEvent[]>;
  /** Takes an experiment for a worker. Returns `false` when another worker holds it. */
  holdExperiment(experimentId: string, worker: string): Promise<boolean>;
  /** Prolongs the lease of an experiment. Returns `false` when the worker no longer holds it: another took it meanwhile. */
  keepExperiment(experimentId: string, worker: string): Promise<boolean>;
  releaseExperiment(experimentId: string, worker: string): Promise<void>;
  /** Says something to the other processes: no two alike, at most 7500 bytes each, stored nowhere, lost where nobody listens. */
  say(messages: readonly string[]): Promise<void>;
  onSaid(listener: (message: string) => void): () => void;
  /** Called when another process has appended, and with 0 when it has deleted the run. Only wakes, and may be late: the store is the source. */
  onOthersAppend(listener: (runId: string, lastSeq: number) => void): () => void;
}
