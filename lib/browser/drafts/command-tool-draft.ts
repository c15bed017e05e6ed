import type { CommandTool } from '../../events/command-tool.ts';
import { COMMAND_TOOL_SECONDS, MAX_COMMAND_NAME_CHARS, SERVER_NAME } from '../../events/mcp-names.ts';
import { isRecord, type JsonObject, jsonObject } from '../../util/json.ts';

/** The types that the form has for a parameter. */
export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array'] as const;
type ParameterType = (typeof PARAMETER_TYPES)[number];

/** A parameter of a custom tool in the form. */
export interface ParameterRow {
  name: string;
  type: ParameterType;
  description: string;
  required: boolean;
}

/** A custom tool while a person fills in its form. */
export interface CommandToolDraft {
  name: string;
  description: string;
  parameters: readonly ParameterRow[];
  /** The JSON schema of the parameters where it is written by hand. */
  schema: string | undefined;
  /** The program and its arguments, one per line. */
  command: string;
  stdin: CommandTool['stdin'];
  access: CommandTool['access'];
  timeoutSeconds: string;
}

export const emptyCommandToolDraft: CommandToolDraft = {
  name: '',
  description: '',
  parameters: [],
  schema: undefined,
  command: '',
  stdin: 'none',
  access: 'write',
  timeoutSeconds: '',
};

export type CommandToolProblems = Partial<Record<keyof CommandToolDraft, string>>;

/** The draft of a tool. Pure. */
export function commandToolDraftOf(tool: CommandTool): CommandToolDraft {
  const rows = rowsOf(tool.parameters);
  return {
    name: tool.name,
    description: tool.description,
    parameters: rows ?? [],
    schema: rows ? undefined : JSON.stringify(tool.parameters, null, 2),
    command: tool.command.join('\n'),
    stdin: tool.stdin,
    access: tool.access,
    timeoutSeconds: tool.timeout_seconds === COMMAND_TOOL_SECONDS.default ? '' : String(tool.timeout_seconds),
  };
}

/** Reads a draft: the tool, or the problems by field. The server checks whether its parts fit each other. Pure. */
export function commandToolOf(
  draft: CommandToolDraft,
): { ok: true; tool: CommandTool } | { ok: false; problems: CommandToolProblems } {
  const problems: CommandToolProblems = {};
  const name = draft.name.trim();
  if (!SERVER_NAME.test(name) || name.length > MAX_COMMAND_NAME_CHARS) {
    problems.name = `Use lowercase letters, digits and single underscores, at most ${MAX_COMMAND_NAME_CHARS}.`;
  }
  const description = draft.description.trim();
  if (description === '') problems.description = 'Describe what it does: models choose by this.';
  const command = draft.command.split('\n').filter((line) => line !== '');
  if (command.length === 0) problems.command = 'Enter the program.';
  const parameters = parametersOf(draft, problems);
  const seconds =
    draft.timeoutSeconds.trim() === '' ? COMMAND_TOOL_SECONDS.default : Number(draft.timeoutSeconds);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > COMMAND_TOOL_SECONDS.max) {
    problems.timeoutSeconds = `A whole number from 1 to ${COMMAND_TOOL_SECONDS.max}.`;
  }
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const { stdin, access } = draft;
  return {
    ok: true,
    tool: { name, description, parameters, command, stdin, access, timeout_seconds: seconds },
  };
}

function parametersOf({ schema, parameters }: CommandToolDraft, problems: CommandToolProblems): JsonObject {
  if (schema !== undefined) {
    const value = jsonObject(schema);
    if (value) return value;
    problems.schema = 'This is not a JSON object.';
    return {};
  }
  const wrong = parameters.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  const twice = parameters.find(
    ({ name }, index) => parameters.findIndex((row) => row.name === name) < index,
  );
  if (wrong) problems.parameters = 'Names have letters, digits and underscores.';
  else if (twice) problems.parameters = `${twice.name} is used twice.`;
  return schemaOf(parameters);
}

/** The JSON schema of the rows. Pure. */
export function schemaOf(rows: readonly ParameterRow[]): JsonObject {
  const required = rows.flatMap((row) => (row.required ? row.name : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      rows.map(({ name, type, description }) => [
        name,
        {
          type,
          ...(type === 'array' && { items: { type: 'string' } }),
          ...(description.trim() !== '' && { description }),
        },
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** The rows of a schema; `undefined` if rows cannot express it. Pure. */
export function rowsOf(schema: JsonObject): ParameterRow[] | undefined {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required : [];
  const rows = Object.entries(isRecord(properties) ? properties : {}).map(([name, value]): ParameterRow => {
    const { type, description } = isRecord(value) ? value : {};
    return {
      name,
      type: PARAMETER_TYPES.find((known) => known === type) ?? 'string',
      description: typeof description === 'string' ? description : '',
      required: names.includes(name),
    };
  });
  return sameJson(schemaOf(rows), { properties: {}, ...schema }) ? rows : undefined;
}

/** Whether two values are the same, whatever the order of their fields. */
function sameJson(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other)) return JSON.stringify(one) === JSON.stringify(other);
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => sameJson(one[key], other[key]));
}
