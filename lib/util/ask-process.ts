import { once } from 'node:events';
import { startBoundedProcess } from './bounded-process.ts';

const MAX_MEMORY_MB = 128;

/**
 * Runs one job in a separate process, for work whose memory use depends on untrusted input (`startBoundedProcess`). The
 * process ends after the time limit, or at 128 MB.
 *
 * @param module the program: it sends one message when it is ready, and one answer to the message that it then receives
 * @returns `undefined` if it takes too long
 * @throws the reason of the signal; an error if the process fails
 */
export async function askProcess<Answer>(
  module: URL,
  job: string | object,
  { signal, maxMs }: { signal: AbortSignal; maxMs: number },
): Promise<Answer | undefined> {
  signal.throwIfAborted();
  const { child, ended } = startBoundedProcess(module, {
    maxMemoryMb: MAX_MEMORY_MB,
    failure: ({ outOfMemory, by }) =>
      new Error(
        outOfMemory ? `It takes more than ${MAX_MEMORY_MB} MB of memory.` : `Its process ended with ${by}.`,
      ),
  });
  const closed = new AbortController();
  const message = () =>
    Promise.race([once(child, 'message', { signal: AbortSignal.any([signal, closed.signal]) }), ended]);
  try {
    await message();
    const late = setTimeout(() => closed.abort(), maxMs);
    child.send(job, () => undefined); // `ended` has the reason of a failure
    const [answer]: Answer[] = await message().finally(() => clearTimeout(late));
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    child.kill('SIGKILL');
  }
}
