import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How much of a process's standard error is kept, in UTF-16 units. */
const STDERR_CHARS = 2000;

/** How a process ended by itself. */
interface ProcessEnd {
  /** Whether it needed more memory than it may, or than there is. */
  outOfMemory: boolean;
  /** Its exit code, or the signal that killed it. */
  by: string | number | null;
  /** The end of what it wrote to standard error. */
  stderr: string;
}

/**
 * Starts a process for a job whose memory use depends on untrusted input. A thread is not enough for that: V8 aborts
 * the whole process when a thread needs far more than its limit in one step, as for a large array. Of the environment,
 * the process gets `NODE_ENV` only.
 *
 * @param options.maxMemoryMb the limit of its heap, in MiB
 * @param options.failure the error for a process that ended by itself
 * @returns the process, and a promise that rejects when it ends by itself or cannot be started
 */
export function startBoundedProcess(
  module: URL,
  {
    args = [],
    maxMemoryMb,
    failure,
  }: { args?: readonly string[]; maxMemoryMb: number; failure: (end: ProcessEnd) => Error },
): { child: ChildProcess; ended: Promise<never> } {
  const child = fork(fileURLToPath(module), args, {
    env: { NODE_ENV: process.env.NODE_ENV },
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${maxMemoryMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS);
  });
  const ended = new Promise<never>((_, reject) => {
    child.on('error', reject);
    child.once('close', (code, signal) => {
      // V8 aborts when it runs out of memory; the kernel's OOM killer sends SIGKILL.
      const outOfMemory = signal === 'SIGABRT' || signal === 'SIGKILL';
      reject(failure({ outOfMemory, by: signal ?? code, stderr }));
    });
  });
  ended.catch(() => undefined); // Nobody may be waiting for it any more.
  return { child, ended };
}
