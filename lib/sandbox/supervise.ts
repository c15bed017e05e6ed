import type { Readable } from 'node:stream';
import { OutputCapture } from './output-capture.ts';
import { plainText } from './plain-text.ts';
import type { CapturedOutput, CommandEnd, CommandLimits, ConfinedCommand } from './sandbox.ts';

/** A killed command normally ends immediately, but one stuck in the kernel must not block the run forever. */
const CLOSE_GRACE_MS = 10_000;

export interface Supervised {
  stdout: Readable;
  stderr: Readable;
  /** Resolves when the process has ended; rejects if it could not be started. */
  gone: Promise<void>;
  /** Kills the command with all its processes. May be called repeatedly. */
  kill: () => void;
}

export interface SupervisedOutcome {
  end: CommandEnd;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  durationMs: number;
}

/**
 * Supervises a running command: limits its output, ends it on a timeout, too much output, a stop or a watchdog breach,
 * and waits until it is gone.
 *
 * @param start starts the process; receives the function that a watchdog calls with the exceeded limit
 */
export async function supervise(
  command: Pick<ConfinedCommand, 'timeoutMs' | 'signal' | 'onOutput'>,
  limits: CommandLimits,
  start: (breach: (end: CommandEnd) => void) => Supervised,
): Promise<SupervisedOutcome> {
  const startedAt = performance.now();
  let end: CommandEnd = 'exited';
  let grace: NodeJS.Timeout | undefined;
  const finish = (why: CommandEnd) => {
    if (end !== 'exited') return;
    end = why;
    running.kill();
    grace = setTimeout(() => {
      running.kill();
      running.stdout.destroy();
      running.stderr.destroy();
    }, CLOSE_GRACE_MS);
  };
  const running = start(finish);

  let outputBytes = 0;
  const capture = (stream: 'stdout' | 'stderr') => {
    const kept = new OutputCapture(limits.keptBytes);
    const decoder = new TextDecoder();
    running[stream].on('data', (chunk: Buffer) => {
      outputBytes += chunk.length;
      if (outputBytes > limits.outputBytes) finish('output_limit');
      if (end === 'output_limit') return;
      kept.push(chunk);
      command.onOutput?.(plainText(decoder.decode(chunk, { stream: true })), stream);
    });
    return { kept, closed: new Promise<void>((resolve) => running[stream].once('close', () => resolve())) };
  };
  const stdout = capture('stdout');
  const stderr = capture('stderr');

  const timer = setTimeout(finish, command.timeoutMs, 'timeout' satisfies CommandEnd);
  const onAbort = () => finish('stopped');
  command.signal?.addEventListener('abort', onAbort, { once: true });
  if (command.signal?.aborted) onAbort();
  try {
    await running.gone;
    await Promise.all([stdout.closed, stderr.closed]);
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    command.signal?.removeEventListener('abort', onAbort);
  }
  return {
    end,
    stdout: stdout.kept.read(),
    stderr: stderr.kept.read(),
    durationMs: performance.now() - startedAt,
  };
}
