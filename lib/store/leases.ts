/**
 * A run that no worker holds: it has not started yet, its worker released it, or its worker died. Excludes runs that
 * wait for a message.
 */
export interface FreeRun {
  id: string;
  model: string;
  stopRequested: boolean;
  /** Whether its next step uses the model server. A run that waits for a person or runs tools needs no slot yet. */
  needsSlot: boolean;
  /** Whether it has no iteration limit. */
  endless: boolean;
}

/** A run that a worker holds. */
export interface HeldRun {
  runId: string;
  epoch: number;
}

/** Renewals per lease duration, so that a late one does no harm. */
export const BEATS_PER_LEASE = 3;

/** The leases of runs. The database's clock measures every lease. */
export interface RunLeases {
  /** How long a claim and a renewal last, in milliseconds. */
  readonly leaseMs: number;
  /** Unfinished runs that no worker holds, up to a limit for each model: first those that need no slot, then the longest wait first. */
  free(): Promise<FreeRun[]>;
  /**
   * Claims a free run if fewer than `slots` runs use the same model server, across all processes. Increments the epoch
   * like `claim`. Without a model server, the run gets no slot and needs none.
   *
   * @returns `undefined` if another worker claimed the run, it has ended, or all slots are taken
   */
  claimFree(
    runId: string,
    claim: { worker: string; host?: string; slots: number },
  ): Promise<{ epoch: number; lastSeq: number } | undefined>;
  /** Renews the leases. Returns the runs that other workers have taken over. */
  renew(held: readonly HeldRun[]): Promise<string[]>;
  /** Releases a run, so that another worker can claim it. With `last`, it queues behind the runs that already wait. */
  release(run: HeldRun, options?: { last?: boolean }): Promise<void>;
}

/** The leases of slots at model servers. */
export interface SlotLeases {
  /** Releases the slot of a run that waits for a person. The worker keeps the run. */
  yieldSlot(run: HeldRun): Promise<void>;
  /** Takes a slot again. Returns `false` while none is free. */
  retakeSlot(run: HeldRun, claim: { host: string; slots: number }): Promise<boolean>;
  /**
   * Takes a slot for a model check, or renews its lease. From the first request on, no run takes the slot it waits for.
   *
   * @returns `false` while none is free
   */
  holdSlot(id: string, claim: { host: string; slots: number }): Promise<boolean>;
  dropSlot(id: string): Promise<void>;
}

/** The leases of experiments, each held by one process at a time. */
export interface ExperimentLeaseStore {
  /** Claims an experiment for a worker. Returns `false` if another worker holds it, or it was deleted. */
  holdExperiment(experimentId: string, worker: string): Promise<boolean>;
  /** Renews the lease of an experiment. Returns `false` if another worker has claimed it since. */
  keepExperiment(experimentId: string, worker: string): Promise<boolean>;
  releaseExperiment(experimentId: string, worker: string): Promise<void>;
}

/** Messages between the processes. */
export interface ProcessMessages {
  /** Sends messages to the other processes: no duplicates, at most 7500 bytes each. They are not stored, and lost if no one listens. */
  broadcast(messages: readonly string[]): Promise<void>;
  onBroadcast(listener: (message: string) => void): () => void;
}
