import type { AnswerCheck } from '../events/check-kinds.ts';
import { failed, type Judgment } from '../policies/judge-answer.ts';
import { askThread } from '../util/ask-thread.ts';
import { errorMessage } from '../util/error-message.ts';

/** A check for the thread. */
export interface ToJudge {
  check: AnswerCheck;
  answer: string;
}

/** Time limit of one check. Patterns and schemas that people write take less than a millisecond. */
const MAX_JUDGE_MS = 2000;

/**
 * Judges an answer in a separate thread. The check fails if the pattern or schema takes more than two seconds or 128
 * MB, so no expression in a preset or an imported run can block the server. Never rejects.
 */
export async function judgeInThread(
  job: ToJudge,
  { signal, maxMs = MAX_JUDGE_MS }: { signal: AbortSignal; maxMs?: number },
): Promise<Judgment> {
  try {
    const module = new URL('./judge-thread.ts', import.meta.url);
    const judged = await askThread<Judgment>(module, job, { signal, maxMs });
    return (
      judged ??
      failed(`It takes more than ${maxMs / 1000} s on this answer. Use a simpler pattern or schema.`)
    );
  } catch (error) {
    if (signal.aborted) return failed('The run was stopped.');
    return failed(`The check cannot be judged: ${errorMessage(error)}`);
  }
}
