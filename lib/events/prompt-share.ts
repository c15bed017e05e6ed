/** An estimate may be this far above the truth before it is an alarm. */
const ALARM_SHARE = 0.3;
/** Short prompts are mostly template, of which the estimate knows nothing. */
const ALARM_TOKENS = 400;

/**
 * Share of a request, 0 to 1, that the server did not read, when it is more than an estimate can be wrong (OL17); else
 * `undefined`.
 *
 * @param estimated characters / 4 over all that was sent (C1)
 * @param evaluated what the server says it read, when it says
 */
export function unreadShare(estimated: number, evaluated: number | undefined): number | undefined {
  if (evaluated === undefined || estimated < ALARM_TOKENS) return undefined;
  const missing = 1 - evaluated / estimated;
  return missing > ALARM_SHARE ? missing : undefined;
}
