import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAX_MEMORY_MB = 128;

/**
 * Has a process of its own do one job whose memory depends on what others wrote. A thread is not enough for that: V8 aborts
 * the whole process when a thread needs far more than its limit in one step, as for a large array.
 * The process ends after the time limit, or at 128 MB.
 *
 * @param module the process: it sends one message when it is ready, and one answer to the message that it then gets
 * @returns `undefined` if it takes too long
 * @throws the reason of the signal; an error if the process fails
 */
export async function askProcess<Answer>(
  module: URL,
  job: string | object,
  { signal, maxMs }: { signal: AbortSignal; maxMs: number },
): Promise<Answer | undefined> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(module), [], {
    env: { NODE_ENV: process.env.NODE_ENV },
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${MAX_MEMORY_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    // V8 aborts when it runs out of memory; the kernel's OOM killer sends SIGKILL.
    child.once('exit', (code, killedBy) =>
      reject(
        new Error(
          killedBy === 'SIGABRT' || killedBy === 'SIGKILL'
            ? `It takes more than ${MAX_MEMORY_MB} MB of memory.`
            : `Its process ended with ${killedBy ?? code}.`,
        ),
      ),
    );
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
    ended.catch(() => undefined);
    child.kill('SIGKILL');
  }
}
