import type { RunState } from './run-state.ts';

/** Max waits in a row for a server that comes back and is gone again before it has answered a call. */
export const MAX_SERVER_WAITS = 3;

/** Max retries per iteration, by cause (T21, T22). Used by the rules and shown in the dashboard. */
export const RETRY_LIMITS: Readonly<Record<keyof RunState['retries'], number>> = {
  length: 1,
  malformed: 1,
  transient: 2,
  /** Each compaction after an overflow sends less, but the rest may still be too long. */
  overflow: 3,
  /** From a level to plain thinking, then to none. */
  thinking: 2,
};

/** Retries that count towards the limit. A success resets those for transient failures. */
export function retriesBefore(
  { retries, transientSince }: Pick<RunState, 'retries' | 'transientSince'>,
  cause: keyof RunState['retries'],
): number {
  return cause === 'transient' && transientSince === undefined ? 0 : retries[cause];
}
