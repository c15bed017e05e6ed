import { getGate } from '../http/current-gate.ts';
import { getRunService } from './current-service.ts';

/**
 * Whether a signed-in browser requests the first page and has no run to list there, so that the page is complete when it
 * is first drawn (docs/decisions/0082). `false` also if the store cannot be read: the page reads the list again, and shows
 * what is wrong.
 *
 * @param cookies the `Cookie` header of the request
 */
export async function isNewcomer(cookies: string | undefined): Promise<boolean> {
  try {
    if (!(await getGate().hasSignInCookie(cookies))) return false;
    return (await getRunService().stored.list({ limit: 1 })).length === 0;
  } catch (error) {
    console.warn('Could not find out whether there are runs:', error);
    return false;
  }
}
