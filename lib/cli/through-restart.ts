import { setTimeout as delay } from 'node:timers/promises';
import { isLostConnection, reconnectWaitMs } from '../client/http.ts';

/** A server that is started again answers within seconds. */
const MAX_TRIES = 10;

/**
 * Repeats a request for the progress of something that goes on by itself, while the server cannot be reached.
 *
 * @param onWait called before each repetition with the time until then
 * @throws the last error, after most of a minute; any error of the server at once
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
