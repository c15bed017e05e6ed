import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const MAX_MEMORY_MB = 128;

/** The first message of a thread, after which it takes a job. */
export const READY = 'ready';

/**
 * Runs one job in a separate thread, for work whose time depends on untrusted input, such as a regular expression or a
 * schema. The thread ends after the time limit, or at its memory limit: 128 MB by default.
 *
 * @param module the thread's module: it sends `READY`, and one answer to the message that it then receives
 * @returns `undefined` if it takes too long
 * @throws the reason of the signal; an error if the thread fails
 */
export async function askThread<Answer>(
  module: URL,
  job: unknown,
  {
    signal,
    maxMs,
    maxMemoryMb = MAX_MEMORY_MB,
  }: { signal: AbortSignal; maxMs: number; maxMemoryMb?: number },
): Promise<Answer | undefined> {
  signal.throwIfAborted();
  const thread = new Worker(module, {
    // Don't inherit this process's flags: some describe its entry point (--input-type).
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 16 },
  });
  // `once` takes errors only while it waits: a thread that fails while it is terminated must not fail the process.
  thread.on('error', () => undefined);
  const closed = new AbortController();
  try {
    const heard = AbortSignal.any([signal, closed.signal]);
    await once(thread, 'message', { signal: heard });
    const late = setTimeout(() => closed.abort(), maxMs);
    thread.postMessage(job);
    const [answer]: Answer[] = await once(thread, 'message', { signal: heard }).finally(() =>
      clearTimeout(late),
    );
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    await thread.terminate();
  }
}
