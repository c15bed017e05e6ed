import { setTimeout as delay } from 'node:timers/promises';
import { isLostConnection, reconnectWaitMs } from '../client/http.ts';

/** A server that is started again answers within seconds. */
const MAX_TRIES = 10;

/**
 * Repeats a request for the progress of work on the server while the server cannot be reached.
 *
 * @param onWait called before each repetition with the time until then
 * @throws the last error, after almost a minute; an error response immediately
 */
export async function throughRestart<Reply>(
  ask: () => Promise<Reply>,
  onWait: (waitMs: number) => void,
): Promise<Reply> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === MAX_TRIES || !isLostConnection(error)) throw error;
      const waitMs = reconnectWaitMs(tries);
      onWait(waitMs);
      await delay(waitMs);
    }
  }
}
