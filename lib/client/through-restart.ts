import { setTimeout as delay } from 'node:timers/promises';
import { isLostAnswer, isLostConnection, reconnectWaitMs } from './http.ts';

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

/**
 * Sends a request that may be repeated, and repeats it if its answer is lost. A server that cannot be reached at first is
 * an error immediately.
 *
 * @param onWait called before each repetition but the first, with the time until then
 * @throws the last error, after almost a minute
 */
export async function repeatIfLost<Reply>(
  ask: () => Promise<Reply>,
  onWait: (waitMs: number) => void,
): Promise<Reply> {
  try {
    return await ask();
  } catch (error) {
    if (!isLostAnswer(error)) throw error;
    return throughRestart(ask, onWait);
  }
}
