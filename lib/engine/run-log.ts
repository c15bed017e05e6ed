import type { RunDelta } from '../events/delta.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/**
 * A run's log as held by its worker, and the loop's only way to read or change state. An append takes effect at once and
 * is written in the background, in order. Before any effect outside the log, wait for `durable`.
 */
export interface RunLog {
  /** The fold of everything appended so far, on disk or not. */
  readonly state: RunState;
  /** Aborted when appended events could not be written, with the error as its reason. The run cannot go on. */
  readonly failed: AbortSignal;
  /**
   * Folds the events and queues them for writing. The events of one append are stored together or not at all.
   *
   * @throws the reason of `failed`
   */
  append(events: readonly NewEvent[]): RunState;
  /**
   * Resolves once everything appended so far is on disk and would survive a power loss.
   *
   * @throws {StaleEpochError} when another worker has taken over the run; the caller must stop immediately
   * @throws the reason of `failed`
   */
  durable(): Promise<void>;
  /** After a failure: reverts to what is on disk, and accepts appends again. */
  revert(): void;
  /** Sends a delta to viewers without storing it. Never throws, never waits (E12). */
  delta(delta: RunDelta): void;
  /** Resolves at the next append after `seq`, for waits that a stop must cut short. */
  changed(seq: number, signal: AbortSignal): Promise<void>;
  /** Resolves once the state meets the condition, which is tested after each append, or when `signal` fires. */
  when(condition: (state: RunState) => boolean, signal: AbortSignal): Promise<void>;
}
