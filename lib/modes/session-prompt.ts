import type { ToolDefinition } from '../parser/types.ts';

/** The system prompt of a session whose workspace has no SYSTEM_PROMPT.md (S5). */
export const BUILT_IN_SYSTEM_PROMPT = [
  'You work on your own in a workspace folder, for as long as you are left to. Nobody gives you a task: look at what is there, decide what would be worth doing, and do it with the tools.',
  'Paths are relative to the workspace folder. Read a file before you change it. Nothing happens unless you call a tool: describing a step does not do it.',
  'Between your turns the system says "Continue."; that is no request and needs no answer. A person may also say something: then answer, and take it into account.',
].join('\n\n');

/** One line per tool: its name and description. */
export function toolDescriptions(tools: readonly ToolDefinition[]): string {
  return tools.map(({ function: tool }) => `- ${tool.name}: ${tool.description}`).join('\n');
}

/**
 * The system prompt of a session: the workspace's prompt or the built-in one, followed by the model's name and the
 * tool descriptions (S5). Pure.
 *
 * @param workspacePrompt text of SYSTEM_PROMPT.md; an empty text counts as missing
 * @param descriptions from `toolDescriptions`
 */
export function buildSystemPrompt(
  workspacePrompt: string | undefined,
  model: string,
  descriptions: string,
): { text: string; source: 'workspace' | 'built-in' } {
  const given = workspacePrompt?.trim() ?? '';
  const words = given === '' ? BUILT_IN_SYSTEM_PROMPT : given;
  const tools = descriptions === '' ? 'There are no tools.' : `Your tools:\n${descriptions}`;
  return {
    text: [words, `You are the model ${model}.`, tools].join('\n\n'),
    source: given === '' ? 'built-in' : 'workspace',
  };
}
