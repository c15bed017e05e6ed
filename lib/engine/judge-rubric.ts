import type { RubricCheck } from '../events/check-kinds.ts';
import type { Opinion } from '../events/verification.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { RUBRIC_FORMAT, readOpinion, rubricPrompt } from '../policies/rubric.ts';
import type { ReadyState } from '../policies/rule.ts';
import { shortText } from '../util/short-text.ts';

const JUDGE_TIMEOUT_MS = 180_000;
const JUDGE_WINDOW_TOKENS = 16_384;
const JUDGE_REPLY_TOKENS = 512;
const MAX_REPLY_CHARS = 4000;

/**
 * Asks a model of the run's server for its opinion on an answer: one call with a fixed prompt, at temperature 0, held to a
 * schema. A failure is an opinion without a verdict, never an error of the run.
 */
export async function judgeRubric(
  check: RubricCheck,
  { task, answer }: { task: string; answer: string },
  { config, model, signal }: { config: ReadyState['config']; model: ChatModel; signal: AbortSignal },
): Promise<Opinion> {
  const name = check.model ?? config.model;
  const prompt = rubricPrompt({ criteria: check.criteria, task, answer });
  const startedAt = performance.now();
  const opinion = (read: Pick<Opinion, 'reply' | 'verdict' | 'reason'>): Opinion => ({
    ...{ check, model: name, prompt, ...read },
    duration_ms: Math.round(performance.now() - startedAt),
  });
  if (answer.trim() === '') return opinion({ reason: 'There is no answer to judge.' });
  try {
    const { message } = await model.chat(
      {
        ...{ model: name, messages: [{ role: 'user', content: prompt }], tools: [] },
        // The run's own model keeps its window, so that it is not loaded again.
        options: {
          num_ctx: name === config.model ? config.window_tokens : JUDGE_WINDOW_TOKENS,
          num_predict: JUDGE_REPLY_TOKENS,
          ...{ temperature: 0, seed: 1 },
        },
        ...{ think: false, format: RUBRIC_FORMAT, stream: false, keepAlive: config.keep_alive },
      },
      { signal, timeoutMs: JUDGE_TIMEOUT_MS },
    );
    return opinion({ reply: shortText(message.content, MAX_REPLY_CHARS), ...readOpinion(message.content) });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return opinion({ reason: error.message });
  }
}
