import type { Readable } from 'node:stream';
import { OutputCapture } from './output-capture.ts';
import { plainText } from './plain-text.ts';
import type { CapturedOutput, CommandEnd, CommandLimits, ConfinedCommand } from './sandbox.ts';

/** A killed command is gone at once; something that hangs in the kernel must not keep the run waiting for ever. */
const CLOSE_GRACE_MS = 10_000;

export interface Supervised {
  stdout: Readable;
  stderr: Readable;
  /** Resolves when the process is gone and rejects when it could not be started. */
  gone: Promise<void>;
  /** Kills the command with all it started. May be called again. */
  kill: () => void;
}

export interface SupervisedOutcome {
  end: CommandEnd;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  durationMs: number;
}

/**
 * Watches over a running command: reads its output within bounds, ends it at its time limit, at too much output, at a
 * stop, or when a watchdog says so, and waits until it is gone.
 *
 * @param start starts the process; gets the function that a watchdog calls with the limit that was passed
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
