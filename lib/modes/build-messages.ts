import { serverAndTool } from '../events/mcp-names.ts';
import type { OperatorMessage } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { ReadyState } from '../policies/rule.ts';
import { buildAgenticPrompt } from './agentic-prompt.ts';
import { buildCorrectivePrompt } from './corrective-prompt.ts';

/** The images of the task and of later operator messages, for the message that contains both. */
export function attachedImages(state: ReadyState): Pick<ChatMessage, 'images'> {
  const { images: ofTask = [] } = state.config;
  const images = [...ofTask, ...messagesBefore(state).flatMap(({ images = [] }) => images)];
  return images.length > 0 ? { images } : {};
}

/** The task, or after failed checks the corrective prompt (V6). @param tools missing in a quick prompt */
export function taskText(state: ReadyState, tools?: readonly ToolDefinition[]): string {
  const { config, attempts, filesWritten } = state;
  const last = attempts.at(-1);
  if (!last) return config.task;
  const added = messagesBefore(state).map(({ text }) => text);
  const work = tools && { filesWritten, otherTools: tools.some(mayChangeFiles) };
  return buildCorrectivePrompt({ task: config.task, added, last, ...(work && { work }) });
}

/** Whether a tool may change files that the log does not know of: commands, custom tools and tools of MCP servers. */
function mayChangeFiles({ function: { name } }: ToolDefinition): boolean {
  return name === 'run_command' || serverAndTool(name) !== undefined;
}

/** Operator messages to earlier attempts, whose conversations are not part of the new one. */
function messagesBefore({ attempts, operatorMessages }: ReadyState): readonly OperatorMessage[] {
  return attempts.length === 0 ? [] : operatorMessages.filter(({ status }) => status === 'delivered');
}

/**
 * The first messages of a task attempt: a system message with the task's system prompt and the tool rules, and a user
 * message with the task, or after failed checks with the task and the failures to correct (T2, V6).
 */
export function buildMessages(state: ReadyState, tools: readonly ToolDefinition[]): ChatMessage[] {
  const { config } = state;
  return [
    {
      role: 'system',
      content: buildAgenticPrompt({ tools, system: config.system, answerSchema: config.answer_schema }),
    },
    { role: 'user', content: taskText(state, tools), ...attachedImages(state) },
  ];
}
