import type { RunConfig } from '../events/config.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { ReadyState } from '../policies/rule.ts';
import { buildAgenticPrompt } from './agentic-prompt.ts';
import { buildCorrectivePrompt } from './corrective-prompt.ts';

/** The images attached to a task, as part of the message that tells it. */
export function attachedImages({ images }: Pick<RunConfig, 'images'>): Pick<ChatMessage, 'images'> {
  return images && images.length > 0 ? { images } : {};
}

/**
 * The first messages of a task attempt: a system message with the task's system prompt and the tool rules, and a user
 * message with the task, or after failed checks with the task and the failures to correct (T2, V6).
 */
export function buildMessages(state: ReadyState, tools: readonly ToolDefinition[]): ChatMessage[] {
  const { config } = state;
  const last = state.attempts.at(-1);
  const content = last
    ? buildCorrectivePrompt({ task: config.task, last, filesWritten: state.filesWritten })
    : config.task;
  return [
    {
      role: 'system',
      content: buildAgenticPrompt({ tools, system: config.system, answerSchema: config.answer_schema }),
    },
    { role: 'user', content, ...attachedImages(config) },
  ];
}
