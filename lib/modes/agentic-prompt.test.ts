import { expect, it } from 'vitest';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { executeTool } from '../tools/execute-tool.ts';
import { getToolDefinitions } from '../tools/registry.ts';
import { buildAgenticPrompt, exampleCalls } from './agentic-prompt.ts';

const tools = getToolDefinitions({ sandbox: openUnconfined() });

it('contains at least two worked calls that the parser accepts, with registered names and valid arguments [T23, N5]', async () => {
  const examples = buildAgenticPrompt({ tools })
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(examples.length).toBeGreaterThanOrEqual(2);
  for (const example of examples) {
    const parsed = parseToolCalls({ content: example }, { tools });
    expect(parsed.type).toBe('tool_calls');
    if (parsed.type !== 'tool_calls') continue;
    expect(parsed.calls).toHaveLength(1);
    expect(parsed.coercions).toEqual([]);
    expect(parsed.repairs).toEqual([]);
    const [call] = parsed.calls;
    const definition = tools.find((tool) => tool.function.name === call?.name)?.function.parameters;
    expect(Object.keys(call?.arguments ?? {})).toEqual(definition?.required ?? []);
  }
  // Executing the calls must not report invalid arguments, only the missing folder.
  for (const { name, arguments: args } of exampleCalls(tools)) {
    const definition = tools.find((tool) => tool.function.name === name);
    if (!definition) throw new Error(name);
    const checked = await executeTool(name, args, '/nowhere', {
      tools: [{ definition, run: async () => ({ success: true, tool: name, output: 'valid' }) }],
      signal: new AbortController().signal,
    });
    expect(checked).toMatchObject({ output: 'valid' });
  }
});

it("starts with the task's system prompt and says when to stop [T2, T23]", () => {
  const prompt = buildAgenticPrompt({ tools, system: '  Be brief.  ' });
  expect(prompt).toMatch(/^Be brief\.\n\n/);
  expect(prompt).toMatch(/When to stop/);
  expect(prompt).toContain('read_file, write_file, edit_file, list_directory, search_files, run_command');
});

it('says how to change a file with the tools that are offered', () => {
  const rules = (...names: string[]) =>
    buildAgenticPrompt({ tools: tools.filter((tool) => names.includes(tool.function.name)) });
  expect(rules('read_file', 'write_file', 'edit_file')).toContain(
    'Use edit_file to change parts of it, and write_file to create a file',
  );
  expect(rules('read_file', 'write_file')).toContain('write_file needs its complete new content.');
  expect(rules('read_file', 'edit_file')).not.toContain('write_file');
  expect(rules('read_file', 'search_files')).not.toContain('before you change');
});

it('creates two different examples of a single tool, and values for every type', () => {
  const only: ToolDefinition = {
    type: 'function',
    function: {
      name: 'odd',
      description: '',
      parameters: {
        type: 'object',
        required: ['path', 'count', 'deep', 'list', 'kind', 'flag'],
        properties: {
          path: { type: 'string' },
          count: { type: 'integer' },
          deep: { type: 'object', required: ['word'], properties: { word: { type: 'string' } } },
          list: { type: 'array', items: { type: 'number' } },
          kind: { type: 'string', enum: ['small', 'large'] },
          flag: { type: 'boolean' },
        },
      },
    },
  };
  expect(exampleCalls([only]).map((call) => call.arguments)).toEqual([
    { path: 'notes.md', count: 1, deep: { word: 'example word' }, list: [1], kind: 'small', flag: true },
    { path: 'src/main.ts', count: 1, deep: { word: 'example word' }, list: [1], kind: 'small', flag: true },
  ]);
});
