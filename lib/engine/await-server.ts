import { ModelError } from '../model/model-error.ts';
import { serverPollMs } from '../policies/server-wait.ts';

export interface AwaitServerOptions {
  /** Rejects with a `ModelError` while the server is down. */
  ping: (signal: AbortSignal) => Promise<unknown>;
  /** Aborted by a stop, or when the run is suspended. */
  signal: AbortSignal;
  limitMs: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called before each pause, with the time of the next check. */
  onPause: (nextTryAt: number) => void;
}

/** Polls a server that is down, with growing pauses. Resolves to `undefined` when aborted. */
export async function awaitServer({
  ping,
  signal,
  limitMs,
  clock,
  sleep,
  onPause,
}: AwaitServerOptions): Promise<'back' | 'gave_up' | undefined> {
  const until = clock() + limitMs;
  try {
    for (let checks = 0; !signal.aborted && clock() < until; checks += 1) {
      const pauseMs = Math.min(serverPollMs(checks), until - clock());
      onPause(clock() + pauseMs);
      await sleep(pauseMs, signal);
      if (await answers(ping(signal))) return 'back';
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return signal.aborted ? undefined : 'gave_up';
}

async function answers(ping: Promise<unknown>): Promise<boolean> {
  try {
    await ping;
    return true;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return false;
  }
}
