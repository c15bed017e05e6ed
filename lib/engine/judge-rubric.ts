import { isRubric, type RubricCheck } from '../events/check-kinds.ts';
import type { AttemptOutcome } from '../events/run-state.ts';
import type { Opinion } from '../events/verification.ts';
import { requestedWindow } from '../events/window.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { noAnswer } from '../policies/judge-answer.ts';
import {
  RUBRIC_FORMAT,
  RUBRIC_NUM_PREDICT,
  readOpinion,
  rubricPrompt,
  rubricWindow,
} from '../policies/rubric.ts';
import type { ReadyState } from '../policies/rule.ts';
import { shortText } from '../util/short-text.ts';

const MAX_REPLY_CHARS = 4000;
const MAX_REASON_CHARS = 2000;

interface Asked {
  model: Pick<ChatModel, 'chat'>;
  signal: AbortSignal;
  /** Waits for a slot at the model server. @returns whether the run has one now, and how long it waited */
  takeSlot: () => Promise<{ hasSlot: boolean; waitedMs: number }>;
}

/** What a model thinks, and how long the run waited for a slot before. */
type Read = Pick<Opinion, 'prompt' | 'reply' | 'verdict' | 'reason'> & { waitedMs?: number };

/**
 * Asks models for their opinions on an attempt's answer, one at a time, in the run's slot. A failure becomes an opinion
 * without a verdict, never an error of the run.
 *
 * @returns the opinions so far when the signal is aborted, and how long the run waited for a slot
 */
export async function judgeRubrics(
  state: ReadyState,
  attempt: AttemptOutcome,
  { model, signal, takeSlot }: Asked,
): Promise<{ opinions: Opinion[]; waitedMs: number }> {
  const opinions: Opinion[] = [];
  let totalWaitedMs = 0;
  for (const check of state.config.checks) {
    if (signal.aborted) break;
    if (!isRubric(check)) continue;
    const startedAt = performance.now();
    const { waitedMs = 0, ...read } = await opinionOn(attempt, check, state, { model, signal, takeSlot });
    totalWaitedMs += waitedMs;
    opinions.push({
      ...{ check, model: judgeOf(check, state), ...read, reason: shortText(read.reason, MAX_REASON_CHARS) },
      duration_ms: Math.max(0, Math.round(performance.now() - startedAt - waitedMs)),
    });
  }
  return { opinions, waitedMs: totalWaitedMs };
}

function judgeOf(check: RubricCheck, { config }: ReadyState): string {
  return check.model ?? config.model;
}

/** One call with a fixed prompt, at temperature 0, constrained by a schema. */
async function opinionOn(
  { reason, output }: AttemptOutcome,
  check: RubricCheck,
  state: ReadyState,
  { model, signal, takeSlot }: Asked,
): Promise<Read> {
  const { config } = state;
  if (reason !== 'final_answer') return { reason: noAnswer(reason).output };
  if (output.trim() === '') return { reason: 'The answer is empty.' };
  const prompt = rubricPrompt({ criteria: check.criteria, task: config.task, answer: output });
  const { hasSlot, waitedMs } = await takeSlot();
  if (!hasSlot) return { reason: 'The run was stopped before the model was asked.', waitedMs };
  const judge = judgeOf(check, state);
  try {
    const { message } = await model.chat(
      {
        ...{ model: judge, messages: [{ role: 'user', content: prompt }], tools: [] },
        options: {
          num_ctx: rubricWindow(prompt, judge === config.model ? requestedWindow(state) : 0),
          num_predict: RUBRIC_NUM_PREDICT,
          ...{ temperature: 0, seed: 1 },
        },
        ...{ think: false, format: RUBRIC_FORMAT, stream: false, keepAlive: config.keep_alive },
      },
      { signal, timeoutMs: config.call_timeout_ms },
    );
    const reply = shortText(message.content, MAX_REPLY_CHARS);
    return { prompt, reply, ...readOpinion(message.content), waitedMs };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { prompt, reason: error.message, waitedMs };
  }
}
