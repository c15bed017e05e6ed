/** Pauses before the second and the third try of a call that failed for a passing reason. */
export const RETRY_WAITS_MS: readonly number[] = [2000, 8000];

/** From the first failure on; a try that would begin later is not made. */
export const RETRY_WINDOW_MS = 60_000;

/**
 * How long to wait before the next try: three tries in all, within 60 s of the first failure.
 *
 * @param retries how many were made already
 * @param since when the first failure of the series happened, in milliseconds since 1970; `undefined` for the first
 * @returns milliseconds, or `undefined` when no try is left
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
