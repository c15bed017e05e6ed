import type { ToolTaskKind } from '../api/tool-check.ts';
import { serverAndTool } from '../events/mcp-names.ts';
import type { ParameterSchema, ToolDefinition } from '../parser/types.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { sampleArguments, sampleValue } from './sample-values.ts';

/** Max additional values of enum parameters, per tool. */
const MAX_CHOICES = 3;
const MAX_DESCRIPTION_CHARS = 400;
/** Max requests of one check. */
const MAX_TOOL_TASKS = 400;

/** A request for one call of a tool. */
export interface ToolTask {
  id: string;
  title: string;
  /** The name of the expected tool, as models get it. */
  tool: string;
  kind: ToolTaskKind;
  prompt: string;
  /** The arguments that the request names. */
  expected: JsonObject;
}

/**
 * Requests for calls of tools, generated from their names, descriptions and parameters: with only the required
 * parameters, with all of them, with other values of enum parameters, and once by name. The same tools give the same
 * requests. A tool whose values cannot be made up has none. Pure.
 */
export function toolTasks(tools: readonly ToolDefinition[]): ToolTask[] {
  return tools.flatMap(tasksOf).slice(0, MAX_TOOL_TASKS);
}

function tasksOf({ function: { name: tool, description, parameters } }: ToolDefinition): ToolTask[] {
  const fits = (args: JsonObject | undefined) =>
    args !== undefined && validateArguments(args, parameters).length === 0;
  const required = sampleArguments(parameters, { optional: false });
  const all = sampleArguments(parameters, { optional: true });
  // A schema can require one of several parameters, so that none of them alone is required.
  const base = [required, all].find(fits);
  if (!base) return [];
  const words = wordsOf(tool);
  const byDescription = sentenceOf(description) ?? words;
  const seen = new Set<string>();
  const task = (kind: ToolTaskKind, about: string, expected: JsonObject, title: string): ToolTask[] => {
    const same = `${about} ${sortedJson(expected)}`;
    if (seen.has(same) || !fits(expected)) return [];
    seen.add(same);
    const id = `${tool}:${kind}${kind === 'choice' ? `:${seen.size}` : ''}`;
    return [
      { id, title: `${tool}: ${title}`, tool, kind, prompt: promptOf(about, expected, parameters), expected },
    ];
  };
  return [
    ...(required ? task('required', byDescription, required, 'required parameters') : []),
    ...(all ? task('all', byDescription, all, 'all parameters') : []),
    ...choicesOf(parameters, base).flatMap(({ name, value }) =>
      task(
        'choice',
        byDescription,
        { ...base, [name]: value },
        `${name} = ${shortText(JSON.stringify(value), 40)}`,
      ),
    ),
    ...task('name', words, base, 'by its name'),
  ];
}

/** Other values of enum parameters: the second and the last. */
function choicesOf(
  { properties = {} }: ParameterSchema,
  base: JsonObject,
): { name: string; value: JsonValue }[] {
  return Object.entries(properties)
    .flatMap(([name, schema]) => {
      const count = schema.enum?.length ?? 0;
      const indexes = count < 2 ? [] : [...new Set([1, count - 1])];
      return indexes.flatMap((index) => {
        const value = sampleValue(name, schema, index);
        return value === undefined || value === base[name] ? [] : [{ name, value }];
      });
    })
    .slice(0, MAX_CHOICES);
}

function promptOf(about: string, expected: JsonObject, { properties = {} }: ParameterSchema): string {
  const lines = Object.entries(expected).map(([name, value]) => {
    const description = properties[name]?.description;
    const meaning =
      typeof description === 'string' ? ` (${shortText(description.replace(/\s+/g, ' '), 160)})` : '';
    return `- ${name}${meaning}: ${JSON.stringify(value)}`;
  });
  const values =
    lines.length === 0 ? 'It needs no values.' : `Use exactly these values:\n${lines.join('\n')}`;
  return `Do this with one call of the right tool, and leave out parameters that are not listed:\n${about}\n\n${values}`;
}

/** The first sentence of a description. */
function sentenceOf(description: string): string | undefined {
  const line = description.replace(/\s+/g, ' ').trim();
  const sentence = /^.{8,}?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  return sentence === '' ? undefined : shortText(sentence, MAX_DESCRIPTION_CHARS);
}

/** The name of a tool as words: `files__read_text_file` is "read text file". */
function wordsOf(tool: string): string {
  const own = serverAndTool(tool)?.tool ?? tool;
  return own
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.]+/g, ' ')
    .toLowerCase()
    .trim();
}
