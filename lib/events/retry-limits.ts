import type { RunState } from './run-state.ts';

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
