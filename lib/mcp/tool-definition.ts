import { createHash } from 'node:crypto';
import type { McpAnnotations } from '../api/mcp.ts';
import { MAX_TOOL_NAME_CHARS, nameWithServer } from '../events/mcp-names.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { isBoundedObject, isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import { MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_SCHEMA_CHARS, MAX_SCHEMA_DEPTH } from './limits.ts';
import { offeredSchema, SchemaError } from './offered-schema.ts';
import type { SecretMask } from './secrets.ts';

/** A tool as a server lists it; any field may have any size. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
  /** How the tool is called. Missing if the server runs no tasks: then it says nothing. */
  execution?: unknown;
}

/** A tool of a server, within limits. */
export interface ServerTool {
  /** The server's name for it. */
  name: string;
  /** The name for models. */
  offered: string;
  title?: string;
  /** Cleaned, masked and shortened. */
  description: string;
  leftOutChars: number;
  hiddenChars: number;
  /**
   * As the server sent it, except for masked texts. Arguments are validated against it. Empty if the tool is unusable.
   */
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: McpAnnotations;
  /** Identifies everything that the server said about the tool. */
  hash: string;
  /** What models get; `undefined` if the tool is unusable. */
  definition: ToolDefinition | undefined;
  problem?: string;
}

/**
 * Reads a listed tool. Never throws: a tool beyond the limits has a problem instead of a definition. Secrets are masked
 * before texts are cut, because part of a secret is not recognized, and before they are hashed, so that a new token does not
 * change the tool. Pure.
 */
function readTool(server: string, listed: ListedTool, mask: SecretMask): ServerTool {
  const cleaned = cleanText(textStart(listed.description ?? '', 4 * MAX_DESCRIPTION_CHARS));
  const description = textStart(mask.text(cleaned.text), MAX_DESCRIPTION_CHARS);
  const title = cleanLine(listed.title, MAX_NAME_CHARS, mask);
  const base = {
    name: textStart(listed.name.toWellFormed(), MAX_NAME_CHARS),
    offered: offeredName(server, listed.name),
    ...(title === '' ? {} : { title }),
    description,
    leftOutChars: Math.max(0, (listed.description?.length ?? 0) - description.length - cleaned.hidden),
    hiddenChars: cleaned.hidden,
    annotations: annotationsOf(listed.annotations, mask),
  };
  const unusable = (problem: string): ServerTool => ({
    ...base,
    inputSchema: {},
    hash: hashOf({ name: base.name, description, problem }),
    definition: undefined,
    problem,
  });
  if (listed.name.length > MAX_NAME_CHARS) return unusable(`Its name has ${listed.name.length} characters.`);
  if (isOnlyForTasks(listed.execution)) return unusable(ONLY_FOR_TASKS);
  const bounds = { maxChars: MAX_SCHEMA_CHARS, maxDepth: MAX_SCHEMA_DEPTH };
  // Some servers write `null` for missing fields.
  const listedOutput = listed.outputSchema ?? undefined;
  if (!isBounded(listed.inputSchema, bounds)) return unusable(tooLarge('input'));
  if (listedOutput !== undefined && !isBounded(listedOutput, bounds)) return unusable(tooLarge('output'));
  const inputSchema = mask.copy(listed.inputSchema);
  const outputSchema = mask.copy(listedOutput);
  try {
    const parameters = offeredSchema(inputSchema);
    const summary = description.trim() === '' ? (base.title ?? base.name) : description;
    return {
      ...base,
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      hash: hashOf({
        name: listed.name,
        title: mask.copy(listed.title ?? null),
        description: mask.copy(listed.description ?? null),
        inputSchema,
        outputSchema: outputSchema ?? null,
        annotations: { ...base.annotations },
      }),
      definition: {
        type: 'function',
        function: { name: base.offered, description: summary, parameters },
      },
    };
  } catch (error) {
    if (error instanceof SchemaError) return unusable(error.message);
    throw error;
  }
}

/** The tools of a list with unique names: a second tool of the same name could replace the first. Pure. */
export function readTools(server: string, listed: readonly ListedTool[], mask: SecretMask): ServerTool[] {
  const names = new Set<string>();
  const offered = new Set<string>();
  return listed.flatMap((each) => {
    const tool = readTool(server, each, mask);
    if (names.has(tool.name)) return [];
    names.add(tool.name);
    // Names that differ only in case or other characters get digits appended.
    const unique = offered.has(tool.offered.toLowerCase()) ? renamed(server, tool) : tool;
    offered.add(unique.offered.toLowerCase());
    return [unique];
  });
}

/** The name for models: letters, digits and underscores, at most 64 characters. */
function offeredName(server: string, name: string): string {
  const plain = name
    .slice(0, MAX_NAME_CHARS)
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const full = nameWithServer(server, plain === '' ? 'tool' : plain);
  return full.length <= MAX_TOOL_NAME_CHARS ? full : withHash(full, name);
}

function renamed(server: string, tool: ServerTool): ServerTool {
  return offeredAs(withHash(offeredName(server, tool.name), tool.name), tool);
}

function offeredAs<Tool extends ServerTool>(offered: string, tool: Tool): Tool {
  const { definition } = tool;
  return {
    ...tool,
    offered,
    definition: definition && { ...definition, function: { ...definition.function, name: offered } },
  };
}

/**
 * Tools with names for models that no other tool has. A server could later list its tools in another order, so that one
 * gets the name under which another was accepted. Pure.
 */
export function withOwnNames<Tool extends ServerTool>(
  server: string,
  tools: readonly Tool[],
  others: readonly ServerTool[],
): Tool[] {
  const taken = new Set(others.map(({ offered }) => offered.toLowerCase()));
  return tools.map((tool) =>
    taken.has(tool.offered.toLowerCase())
      ? offeredAs(withHash(offeredName(server, tool.name), tool.name), tool)
      : tool,
  );
}

/** The start of a name with four digits from the whole name, so that it is the same in any order of the list. */
function withHash(offered: string, name: string): string {
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 4);
  return `${offered.slice(0, MAX_TOOL_NAME_CHARS - 5).replace(/_+$/, '')}_${digits}`;
}

function annotationsOf(value: unknown, mask: SecretMask): McpAnnotations {
  if (typeof value !== 'object' || value === null) return {};
  const given: Readonly<Record<string, unknown>> = { ...value };
  const title = cleanLine(given.title, MAX_NAME_CHARS, mask);
  const hints = (['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const).flatMap(
    (name) => (typeof given[name] === 'boolean' ? [[name, given[name]]] : []),
  );
  return { ...(title === '' ? {} : { title }), ...Object.fromEntries(hints) };
}

function isBounded(value: unknown, bounds: { maxChars: number; maxDepth: number }): value is JsonObject {
  return isBoundedObject(value, bounds);
}

/**
 * Whether a tool can only be called as a task.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
function isOnlyForTasks(execution: unknown): boolean {
  return isRecord(execution) && execution.taskSupport === 'required';
}

const ONLY_FOR_TASKS =
  'It must be called as a task (its "taskSupport" is "required"), and Loupe does not support tasks.';

function tooLarge(which: string): string {
  return `Its ${which} schema is missing, has more than ${formatCount(MAX_SCHEMA_CHARS)} characters, or is nested too deeply.`;
}

function hashOf(value: JsonValue): string {
  return createHash('sha256').update(sortedJson(value)).digest('hex').slice(0, 32);
}
