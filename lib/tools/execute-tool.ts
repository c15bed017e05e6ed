import { allowedTypes, soundSchema } from '../parser/schema-types.ts';
import type { ParameterSchema } from '../parser/types.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import { isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { nearestName } from '../util/nearest-name.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';
import { failed, failedWith } from './tool-results.ts';

export interface ExecuteOptions extends Omit<ToolContext, 'workspace'> {
  /** The offered tools. */
  tools: readonly Tool[];
}

/**
 * Runs one tool call. Never throws (O3): an unknown name, invalid arguments, a refused path and an internal error all
 * become failed results whose `output.error` says what to do next (O4).
 *
 * @param workspace from `openWorkspace`
 */
export async function executeTool(
  name: string,
  args: JsonObject,
  workspace: string,
  options: ExecuteOptions,
): Promise<ToolResult> {
  const tool = options.tools.find(({ definition }) => definition.function.name === name);
  if (!tool) return unknownTool(name, options.tools);
  const parameters = soundSchema(tool.definition.function.parameters);
  const given = withoutNulls(args, parameters);
  const problems = validateArguments(given, parameters);
  if (problems.length > 0) {
    const usage = `${name}(${parametersOf(parameters)})`;
    return failed(name, { error: `${problems.map(({ message }) => message).join(' ')} Usage: ${usage}` });
  }
  if (options.signal.aborted) return failed(name, { error: 'Stopped by the operator.' });
  try {
    const { tools: _, ...context } = options;
    return await tool.run(given, { workspace, ...context });
  } catch (error) {
    return options.signal.aborted
      ? failed(name, { error: 'Stopped by the operator.' })
      : failedWith(name, error);
  }
}

function unknownTool(name: string, tools: readonly Tool[]): ToolResult {
  const names = tools.map(({ definition }) => definition.function.name);
  const near = nearestName(name, names);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return failed(name, {
    error: `There is no tool "${name.slice(0, 100)}".${meant} Available: ${names.join(', ') || 'none'}.`,
  });
}

/** Models pass null for optional arguments that they omit, even within a list of objects. */
function withoutNulls(args: JsonObject, { required = [], properties = {} }: ParameterSchema): JsonObject {
  const entries = Object.entries(args).filter(([key, value]) => value !== null || required.includes(key));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const items = Object.hasOwn(properties, key) ? properties[key]?.items : undefined;
      return [
        key,
        items && Array.isArray(value) ? value.map((item) => itemWithoutNulls(item, items)) : value,
      ];
    }),
  );
}

function itemWithoutNulls(item: JsonValue, schema: ParameterSchema): JsonValue {
  return isRecord(item) ? withoutNulls(item, schema) : item;
}

function parametersOf({ properties = {}, required = [] }: ParameterSchema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeWords(schema)}`)
    .join(', ');
}

function typeWords(schema: ParameterSchema): string {
  const { items, enum: values = [] } = schema;
  if (items?.properties) return `[{${parametersOf(items)}}]`;
  const types = allowedTypes(schema);
  return (types.length > 0 ? types : values.map((value) => JSON.stringify(value))).join(' | ') || 'any';
}
