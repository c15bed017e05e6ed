import type { RunDelta } from '../events/delta.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/**
 * One run's log as its worker holds it: the only way for the loop to see or change anything. Appends of several
 * parties (the loop, a person's stop) are put in order here, and each is durable before its promise resolves.
 */
export interface RunLog {
  /** The fold of everything appended so far. */
  readonly state: RunState;
  /**
   * Appends the events in one transaction and folds them.
   *
   * @throws {StaleEpochError} when another worker has taken the run over: the caller must stop at once
   */
  append(events: readonly NewEvent[]): Promise<RunState>;
  /** Shows something to viewers without storing it. Never throws, never waits (E12). */
  delta(delta: RunDelta): void;
  /** Resolves at the next append after `seq` (for waits that a stop must cut short). */
  changed(seq: number, signal: AbortSignal): Promise<void>;
}
