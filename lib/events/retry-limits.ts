import type { RunState } from './run-state.ts';

/** How often one iteration may be asked again, by cause (T21, T22, DESIGN 4): the rules hold it, the dashboard shows it. */
export const RETRY_LIMITS: Readonly<Record<keyof RunState['retries'], number>> = {
  length: 1,
  malformed: 1,
  transient: 2,
  /** Each shortening after an overflow sends less, and what remains may be too much. */
  overflow: 3,
  thinking: 1,
};
