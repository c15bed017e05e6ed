import type { RunDelta } from '../events/delta.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/**
 * A run's log as held by its worker, and the loop's only way to read or change state. An append takes effect at once and
 * is written in the background, in order. Before any effect outside the log, wait for `durable`.
 */
export interface RunLog {
  /** The fold of everything appended so far, whether or not it is on disk. */
  readonly state: RunState;
  /** Aborted when appended events could not be written, with the error as its reason. The run cannot go on. */
  readonly failed: AbortSignal;
  /**
   * Folds the events and queues them for writing; those of one append are stored together or not at all.
   *
   * @throws the reason of `failed`
   */
  append(events: readonly NewEvent[]): RunState;
  /**
   * Resolves once everything appended so far is on disk, also against power loss.
   *
   * @throws {StaleEpochError} when another worker has taken over the run; the caller must stop immediately
   * @throws the reason of `failed`
   */
  durable(): Promise<void>;
  /** After a failure: goes back to what is on disk, and takes appends again. */
  revert(): void;
  /** Sends a delta to viewers without storing it. Never throws, never waits (E12). */
  delta(delta: RunDelta): void;
  /** Resolves at the next append after `seq` (for waits that a stop must cut short). */
  changed(seq: number, signal: AbortSignal): Promise<void>;
  /** Resolves once the state meets the condition, which is asked after each append, and when `signal` fires. */
  when(condition: (state: RunState) => boolean, signal: AbortSignal): Promise<void>;
}
