import type { ToolDefinition } from '../parser/types.ts';

/** The system prompt of a session that waits for the operator, if its workspace has no SYSTEM_PROMPT.md (S5). */
export const CHAT_SYSTEM_PROMPT = [
  'You help a person with the files in a workspace folder. Answer questions directly. When a request needs work in the folder, do it with the tools, then say briefly what you did.',
  'Paths are relative to the workspace folder. Read a file before you change it. Nothing happens unless you call a tool; describing a step does not perform it.',
  'The person reads your answer and replies. The message "Continue." is sent automatically: go on with your work, and do not reply to it.',
].join('\n\n');

/** The system prompt of a session on autopilot, if its workspace has no SYSTEM_PROMPT.md (S5). */
export const BUILT_IN_SYSTEM_PROMPT = [
  'You work on your own in a workspace folder until someone stops you. Nobody gives you a task: look at what is there, decide what is worth doing, and do it with the tools.',
  'Paths are relative to the workspace folder. Read a file before you change it. Nothing happens unless you call a tool; describing a step does not perform it.',
  'Between your turns the message "Continue." is sent automatically; do not reply to it. A person may also send a message: answer it, and take it into account.',
].join('\n\n');

/** One line per tool: its name and description. */
export function toolDescriptions(tools: readonly ToolDefinition[]): string {
  return tools.map(({ function: tool }) => `- ${tool.name}: ${tool.description}`).join('\n');
}

/** The end of the system prompt. @param descriptions from `toolDescriptions` */
export function toolsPart(descriptions: string): string {
  return descriptions === '' ? 'There are no tools.' : `Your tools:\n${descriptions}`;
}

/**
 * The system prompt of a session: the workspace's prompt or the built-in one, followed by the model's name and the
 * tool descriptions (S5). Pure.
 *
 * @param workspacePrompt text of SYSTEM_PROMPT.md; an empty text counts as missing
 * @param options.tools from `toolDescriptions`
 * @param options.autopilot whether the session starts on autopilot
 */
export function buildSystemPrompt(
  workspacePrompt: string | undefined,
  model: string,
  { tools: descriptions, autopilot }: { tools: string; autopilot: boolean },
): { text: string; source: 'workspace' | 'built-in' } {
  const given = workspacePrompt?.trim() ?? '';
  const builtIn = autopilot ? BUILT_IN_SYSTEM_PROMPT : CHAT_SYSTEM_PROMPT;
  const words = given === '' ? builtIn : given;
  return {
    text: [words, `You are the model ${model}.`, toolsPart(descriptions)].join('\n\n'),
    source: given === '' ? 'built-in' : 'workspace',
  };
}
