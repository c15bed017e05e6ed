import { nearestName } from '../util/nearest-name.ts';
import { plural } from '../util/numbers.ts';
import { textArgument } from './arguments.ts';
import { fitStart, jsonTextBytes } from './fit-text.ts';
import type { Tool, ToolContext, ToolRun } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

/** Limits of a run's memory: the log keeps every value ever written, and the state all current ones. */
export const MAX_KEY_CHARS = 200;
export const MAX_VALUE_CHARS = 16_000;
export const MAX_MEMORIES = 1000;

const SNIPPET_CHARS = 120;

const key = { type: 'string', minLength: 1, description: 'Name of the memory' };

/** Stores or replaces the value of a key (O12). */
export const writeMemory: Tool = {
  isReadOnly: true,
  definition: {
    type: 'function',
    function: {
      name: 'write',
      description: 'Store a memory for all later cycles. Replaces an existing memory with the same key.',
      parameters: {
        type: 'object',
        properties: { key, value: { type: 'string', description: 'What to remember' } },
        required: ['key', 'value'],
      },
    },
  },
  async run(args, context) {
    const { memory, record } = runOf(context);
    const name = textArgument(args, 'key');
    const value = textArgument(args, 'value');
    const problem = writeProblem(name, value, memory);
    if (problem) return failed('write', { error: problem });
    const verb = memory.has(name) ? 'Replaced' : 'Stored';
    record({ kind: 'memory-written', key: name, value });
    return succeeded('write', `${verb} "${name}" (${size(value)}).`);
  },
};

function writeProblem(name: string, value: string, memory: ToolRun['memory']): string | undefined {
  if (name.trim() === '') return 'The key is empty.';
  if (name.length > MAX_KEY_CHARS)
    return `The key has ${name.length} characters; at most ${MAX_KEY_CHARS} are allowed.`;
  if (value.length > MAX_VALUE_CHARS) {
    return `The value has ${value.length} characters; at most ${MAX_VALUE_CHARS} are allowed. Store it in parts.`;
  }
  if (memory.size >= MAX_MEMORIES && !memory.has(name)) {
    return `There are already ${MAX_MEMORIES} memories, the most allowed. Delete some first.`;
  }
  return undefined;
}

/** Returns the value of a key (O12). */
export const readMemory: Tool = {
  isReadOnly: true,
  definition: {
    type: 'function',
    function: {
      name: 'read',
      description: 'Read a memory by its key.',
      parameters: { type: 'object', properties: { key }, required: ['key'] },
    },
  },
  async run(args, context) {
    const { memory } = runOf(context);
    const name = textArgument(args, 'key');
    const found = memory.get(name);
    if (!found) return failed('read', { error: missing(name, memory) });
    const text = fitStart(found.value, MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES);
    const left = found.value.length - text.length;
    if (left === 0) return succeeded('read', text);
    return succeeded('read', `${text}\n(${plural(left, 'more character')} not shown)`, { truncated: true });
  },
};

/** Lists every memory with its size (O12). */
export const listMemories: Tool = {
  isReadOnly: true,
  definition: {
    type: 'function',
    function: {
      name: 'list',
      description: 'List the keys of all memories with their sizes.',
      parameters: { type: 'object', properties: {}, required: [] },
    },
  },
  async run(_args, context) {
    const { memory } = runOf(context);
    if (memory.size === 0) return succeeded('list', 'There are no memories yet.');
    const lines = [...memory].map(([name, { value }]) => `${name} (${size(value)})`);
    return fitted('list', lines);
  },
};

/** Removes a memory (K-42). */
export const deleteMemory: Tool = {
  isReadOnly: true,
  definition: {
    type: 'function',
    function: {
      name: 'delete',
      description: 'Delete a memory by its key.',
      parameters: { type: 'object', properties: { key }, required: ['key'] },
    },
  },
  async run(args, context) {
    const { memory, record } = runOf(context);
    const name = textArgument(args, 'key');
    if (!memory.has(name)) return failed('delete', { error: missing(name, memory) });
    record({ kind: 'memory-deleted', key: name });
    return succeeded('delete', `Deleted "${name}".`);
  },
};

/** Finds memories by part of their key or value (K-42). */
export const searchMemories: Tool = {
  isReadOnly: true,
  definition: {
    type: 'function',
    function: {
      name: 'pattern_search',
      description:
        'Search the keys and values of all memories, ignoring case. An asterisk matches any text: "sky*blue".',
      parameters: {
        type: 'object',
        properties: { pattern: { type: 'string', minLength: 1, description: 'What to look for' } },
        required: ['pattern'],
      },
    },
  },
  async run(args, context) {
    const { memory } = runOf(context);
    const pattern = textArgument(args, 'pattern');
    const lines = [...memory].flatMap(([name, { value }]) => {
      const inValue = findPattern(value, pattern);
      if (inValue === undefined && findPattern(name, pattern) === undefined) return [];
      return [`${name}: ${snippet(value, inValue ?? 0)}`];
    });
    if (lines.length === 0) return succeeded('pattern_search', `Nothing matches "${pattern}".`);
    return fitted('pattern_search', lines);
  },
};

/**
 * Index of a pattern's first match, case-insensitive; `*` matches any text. Linear: searches for the parts between
 * asterisks one after another.
 */
export function findPattern(text: string, pattern: string): number | undefined {
  const lower = text.toLowerCase();
  let from = 0;
  let start: number | undefined;
  for (const part of pattern.toLowerCase().split('*')) {
    if (part === '') continue;
    const at = lower.indexOf(part, from);
    if (at === -1) return undefined;
    start ??= at;
    from = at + part.length;
  }
  return start ?? 0;
}

function size(value: string): string {
  return value.length === 1 ? '1 character' : `${value.length} characters`;
}

/** The text around an index, on one line. */
function snippet(text: string, at: number): string {
  const start = Math.max(0, at - 30);
  const piece = text
    .slice(start, start + SNIPPET_CHARS)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ');
  return `${start > 0 ? '…' : ''}${piece}${start + SNIPPET_CHARS < text.length ? '…' : ''}`;
}

function fitted(tool: string, lines: readonly string[]) {
  const shown: string[] = [];
  let bytes = 0;
  // Entries are counted, not lines: a key can contain line breaks.
  for (const line of lines) {
    bytes += jsonTextBytes(`${line}\n`);
    if (bytes > MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES) break;
    shown.push(line);
  }
  const text = shown.join('\n');
  const left = lines.length - shown.length;
  if (left === 0) return succeeded(tool, text);
  return succeeded(tool, `${text}\n(${left} more are not shown)`, { truncated: true });
}

function missing(name: string, memory: ToolRun['memory']): string {
  const near = nearestName(name, [...memory.keys()]);
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  return `There is no memory "${name.slice(0, MAX_KEY_CHARS)}".${meant} Use list to see all keys.`;
}

/** @throws {TypeError} when the tool is used outside a run, where there is no memory */
export function runOf(context: ToolContext): ToolRun {
  if (!context.run) throw new TypeError('This tool works only within a run.');
  return context.run;
}
