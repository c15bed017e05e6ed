import type { ParameterSchema, ToolDefinition } from '../parser/types.ts';
import { schemaRule } from '../policies/schema-rule.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

const MIN_EXAMPLES = 2;

/** Realistic values for common argument names; others are generated from the schema. */
const EXAMPLE_VALUES: Readonly<Record<string, readonly JsonValue[]>> = {
  path: ['notes.md', 'src/main.ts'],
  content: ['# Notes\n\nThe first line.\n'],
  old_text: ['The first line.'],
  new_text: ['A better first line.'],
  pattern: ['TODO'],
  query: ['TODO'],
  command: ['ls -la', 'npm test'],
};

/** Tools with the simplest examples come first. */
const EXAMPLE_ORDER = [
  'read_file',
  'write_file',
  'edit_file',
  'run_command',
  'search_files',
  'list_directory',
];

/**
 * The task system prompt (T23): tool rules, when to stop, and worked examples that use the given tools with arguments
 * valid for their schemas. Pure.
 *
 * @param tools the tools offered with the requests
 * @param system task-specific text, added first (T2)
 * @param answerSchema the JSON schema that the answer must fit, if any
 */
export function buildAgenticPrompt({
  tools,
  system,
  answerSchema,
}: {
  tools: readonly ToolDefinition[];
  system?: string;
  answerSchema?: JsonObject;
}): string {
  const names = tools.map((tool) => tool.function.name);
  const examples = exampleCalls(tools).map((call) => JSON.stringify(call));
  const parts = [
    ...(system?.trim() ? [system.trim()] : []),
    'You carry out a task in a workspace folder by calling tools. Nothing happens unless you call a tool; describing a step does not perform it.',
    [
      'Rules:',
      `- Available tools: ${names.join(', ')}. Do not use any other name.`,
      '- Act immediately. Do not announce a plan and wait for a reply: nobody is there to answer.',
      '- Paths are relative to the workspace folder.',
      ...changeRule(names),
      '- You may call several tools in one reply; they run in the order you give them.',
      '- Read every result. If a call fails, its result says why. Change the call before you try again.',
    ].join('\n'),
    [
      'When to stop:',
      ...(answerSchema
        ? [`- When you know the answer, do not call a tool. Reply with ${schemaRule(answerSchema)}`]
        : [
            '- When the task is completed, reply without a tool call: say briefly what you did and that the task is completed.',
            '- If the task cannot be completed, reply without a tool call and explain why.',
          ]),
    ].join('\n'),
    ['Example calls (name and arguments):', ...examples].join('\n'),
  ];
  return parts.join('\n\n');
}

/** How to change a file with the offered tools. */
function changeRule(names: readonly string[]): string[] {
  const writes = names.includes('write_file');
  if (names.includes('edit_file')) {
    const create = writes ? ', and write_file to create a file or replace all of it' : '';
    return [`- Read a file before you change it. Use edit_file to change parts of it${create}.`];
  }
  return writes ? ['- Read a file before you change it. write_file needs its complete new content.'] : [];
}

/** At least two worked calls; with a single tool, two different calls of it. */
export function exampleCalls(tools: readonly ToolDefinition[]): { name: string; arguments: JsonObject }[] {
  const rank = (tool: ToolDefinition) => {
    const index = EXAMPLE_ORDER.indexOf(tool.function.name);
    return index === -1 ? EXAMPLE_ORDER.length : index;
  };
  const chosen = [...tools].sort((a, b) => rank(a) - rank(b)).slice(0, MIN_EXAMPLES + 1);
  const [only] = chosen;
  const repeated = chosen.length === 1 && only ? [only, only] : chosen;
  return repeated.map((tool, index) => ({
    name: tool.function.name,
    arguments: exampleArguments(tool.function.parameters, index),
  }));
}

/** Values for the required arguments. */
function exampleArguments(schema: ParameterSchema, variant: number): JsonObject {
  const result: JsonObject = {};
  for (const name of schema.required ?? []) {
    result[name] = exampleValue(schema.properties?.[name] ?? {}, name, variant);
  }
  return result;
}

function exampleValue(schema: ParameterSchema, name: string, variant: number): JsonValue {
  const [choice] = schema.enum ?? [];
  if (choice !== undefined) return choice;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [exampleValue(schema.items ?? {}, name, variant)];
    case 'object':
      return exampleArguments(schema, variant);
    case 'null':
      return null;
    default: {
      const values = EXAMPLE_VALUES[name] ?? [];
      return values[variant % Math.max(1, values.length)] ?? `example ${name}`;
    }
  }
}
