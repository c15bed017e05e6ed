import { z } from 'zod';
import { COMMAND_TOOL_SECONDS, MAX_COMMAND_NAME_CHARS, SERVER_NAME } from './mcp-names.ts';

/** Custom tools in the file, and in a run. */
export const MAX_COMMAND_TOOLS = 100;
const MAX_COMMAND_PARTS = 50;
const MAX_PART_CHARS = 4000;

const commandToolName = z
  .string()
  .max(MAX_COMMAND_NAME_CHARS)
  .regex(SERVER_NAME, 'Use lowercase letters, digits and single underscores, such as "count_words".');

const noNul = (text: string) => !text.includes('\0');
const NUL = 'This contains a NUL character.';

/** A custom tool without its name. */
export const commandToolFields = z.strictObject({
  /** Part of the tool definition that models receive. */
  description: z.string().trim().min(1, 'Describe what it does: models choose by this.').max(4000),
  /** A JSON schema of an object: what the model passes. */
  parameters: z.record(z.string(), z.json()),
  /** The program and its arguments; `{name}` is replaced by an argument of the call. */
  command: z
    .array(z.string().min(1).max(MAX_PART_CHARS).refine(noNul, NUL))
    .min(1, 'Enter the program.')
    .max(MAX_COMMAND_PARTS),
  /** `json`: the program gets all arguments of the call as a JSON object on its standard input. */
  stdin: z.enum(['none', 'json']).default('none'),
  /** Its access to the workspace. */
  access: z.enum(['read', 'write']).default('write'),
  timeout_seconds: z.int().min(1).max(COMMAND_TOOL_SECONDS.max).default(COMMAND_TOOL_SECONDS.default),
});

/** A custom tool. */
export const commandTool = commandToolFields.extend({ name: commandToolName });
export type CommandTool = z.output<typeof commandTool>;

/** A part of a command: text, and names of parameters in braces. `{{` and `}}` stand for braces. */
const PLACEHOLDER = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The parameters that a part of a command takes. */
export function placeholdersOf(part: string): string[] {
  return [...part.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []);
}

/** A part with the values of its parameters, each of them as one piece of text. Pure. */
export function filledPart(part: string, textOf: (name: string) => string): string {
  return part.replaceAll(PLACEHOLDER, (whole, name: string | undefined) =>
    name === undefined ? whole.charAt(0) : textOf(name),
  );
}
