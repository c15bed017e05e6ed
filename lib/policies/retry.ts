/** Delays before the second and third attempt of a call that failed transiently. */
export const RETRY_WAITS_MS: readonly number[] = [2000, 8000];

/** Measured from the first failure; no attempt starts later. */
export const RETRY_WINDOW_MS = 60_000;

/**
 * The delay before the next attempt: at most three attempts, all within 60 s of the first failure.
 *
 * @param retries number of retries already made
 * @param since time of the first failure of the series, in milliseconds since 1970; `undefined` for the first
 * @returns milliseconds, or `undefined` when no attempt is left
 */
export function retryWait({
  retries,
  since,
  now,
}: {
  retries: number;
  since: number | undefined;
  now: number;
}): number | undefined {
  const wait = RETRY_WAITS_MS[retries];
  if (wait === undefined) return undefined;
  return since !== undefined && now + wait - since > RETRY_WINDOW_MS ? undefined : wait;
}
