import { setTimeout as delay } from 'node:timers/promises';
import { getGate } from '../http/current-gate.ts';
import { getRunService } from './current-service.ts';

/** The page does not wait longer for a database that does not answer: its list shows the error. */
const MAX_WAIT_MS = 2000;

/**
 * Whether a signed-in browser requests the first page and has no run to list there, so that the page is complete when it
 * is first drawn (docs/decisions/0082). `false` also if the store cannot be read, or not in time: the page reads the list again,
 * and shows what is wrong.
 *
 * @param cookies the `Cookie` header of the request
 */
export async function isNewcomer(
  cookies: string | undefined,
  { maxWaitMs = MAX_WAIT_MS } = {},
): Promise<boolean> {
  const tooLate = delay(maxWaitMs, false, { ref: false });
  try {
    return await Promise.race([hasNoRuns(cookies), tooLate]);
  } catch (error) {
    console.warn('Could not find out whether there are runs:', error);
    return false;
  }
}

async function hasNoRuns(cookies: string | undefined): Promise<boolean> {
  if (!(await getGate().hasSignInCookie(cookies))) return false;
  return (await getRunService().stored.list({ limit: 1 })).length === 0;
}
