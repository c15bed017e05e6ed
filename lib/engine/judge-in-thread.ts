import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AnswerCheck } from '../events/check-kinds.ts';
import { failed, type Judgement } from '../policies/judge-answer.ts';

/** A check for the thread. */
export interface ToJudge {
  check: AnswerCheck;
  answer: string;
}

/** A message from the thread. */
export type FromJudge = { kind: 'ready' } | { kind: 'judged'; judgement: Judgement };

/** Time limit of one check. Patterns and schemas that people write take less than a millisecond. */
const MAX_JUDGE_MS = 2000;
const MAX_MEMORY_MB = 128;

/**
 * Judges an answer in a thread of its own, which ends with a failed check if the pattern or schema takes more than two
 * seconds or 128 MB: no expression of a preset or an imported run can stop the server. Never rejects.
 */
export async function judgeInThread(
  job: ToJudge,
  { signal, maxMs = MAX_JUDGE_MS }: { signal: AbortSignal; maxMs?: number },
): Promise<Judgement> {
  const thread = new Worker(new URL('./judge-thread.ts', import.meta.url), {
    // Don't inherit this process's flags: some describe its entry point (--input-type).
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB, maxYoungGenerationSizeMb: 16 },
  });
  const closed = new AbortController();
  try {
    const heard = AbortSignal.any([signal, closed.signal]);
    await once(thread, 'message', { signal: heard });
    const late = setTimeout(() => closed.abort(), maxMs);
    thread.postMessage(job);
    const [message]: FromJudge[] = await once(thread, 'message', { signal: heard }).finally(() =>
      clearTimeout(late),
    );
    return message?.kind === 'judged' ? message.judgement : failed('The check could not be judged.');
  } catch (error) {
    if (signal.aborted) return failed('The run was stopped.');
    if (closed.signal.aborted) {
      return failed(`It takes more than ${maxMs / 1000} s on this answer. Use a simpler pattern or schema.`);
    }
    return failed(`The check cannot be judged: ${error instanceof Error ? error.message : error}`);
  } finally {
    await thread.terminate();
  }
}
