/** Why a call is retried. */
type RetryCause = 'length' | 'malformed' | 'transient' | 'overflow' | 'thinking';

/** Numbers of retries, by cause. */
export type Retries = Readonly<Record<RetryCause, number>>;

export const NO_RETRIES: Retries = { length: 0, malformed: 0, transient: 0, overflow: 0, thinking: 0 };

/** Max consecutive waits for a server that comes back and goes down again before it has answered a call. */
export const MAX_SERVER_WAITS = 3;

/** Max retries per iteration, by cause (T21, T22). Used by the rules and shown in the dashboard. */
export const RETRY_LIMITS: Retries = {
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
  { retries, transientSince }: { readonly retries: Retries; readonly transientSince: number | undefined },
  cause: RetryCause,
): number {
  return cause === 'transient' && transientSince === undefined ? 0 : retries[cause];
}
