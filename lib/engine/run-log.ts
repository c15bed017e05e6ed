import type { RunDelta } from '../events/delta.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/**
 * A run's log as held by its worker, and the loop's only way to read or change state. Serializes appends from several
 * sources (the loop, an operator's stop); each is durable before its promise resolves.
 */
export interface RunLog {
  /** The fold of everything appended so far. */
  readonly state: RunState;
  /**
   * Appends the events in one transaction and folds them.
   *
   * @throws {StaleEpochError} when another worker has taken over the run; the caller must stop immediately
   */
  append(events: readonly NewEvent[]): Promise<RunState>;
  /** Sends a delta to viewers without storing it. Never throws, never waits (E12). */
  delta(delta: RunDelta): void;
  /** Resolves at the next append after `seq` (for waits that a stop must cut short). */
  changed(seq: number, signal: AbortSignal): Promise<void>;
}
