import { expect, it } from 'vitest';
import { OPTIONAL_TOOLS } from '../events/added-tools.ts';
import { MODES } from '../events/modes.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createExploreTools } from './explore-tools.ts';
import { createTaskTools, createToolBox, getToolDefinitions } from './registry.ts';
import { createSafetyLayer, createSessionTools } from './session-tools.ts';
import type { Tool, ToolBox } from './tool.ts';
import { noSandbox, toolsUnderTest } from './under-test.ts';

const confined: Sandbox = { ...noSandbox, report: { available: true, kind: 'bubblewrap', protections: [] } };

it("offers its tools in Ollama's format [O1, O17]", () => {
  const definitions = getToolDefinitions({ sandbox: confined });
  expect(definitions.map(({ function: { name } }) => name)).toEqual([...MODES.task.tools, ...OPTIONAL_TOOLS]);
  for (const { type, function: tool } of definitions) {
    expect(type).toBe('function');
    expect(tool.description.length).toBeGreaterThan(20);
    expect(tool.parameters.type).toBe('object');
    expect(Object.keys(tool.parameters.properties ?? {})).toEqual(
      expect.arrayContaining([...(tool.parameters.required ?? [])]),
    );
  }
});

it('declares the known integer parameters as integers [O2]', () => {
  const properties = Object.assign(
    {},
    ...getToolDefinitions({ sandbox: confined }).map((tool) => tool.function.parameters.properties),
  );
  for (const name of ['start_line', 'end_line', 'timeout_ms', 'max_results']) {
    expect(properties[name].type).toBe('integer');
  }
});

it('does not offer commands without confinement [O8]', async () => {
  await using tools = await toolsUnderTest();
  expect(tools.box.definitions.map((tool) => tool.function.name)).not.toContain('run_command');
  expect(await tools.error('run_command', { command: 'id' })).toContain('There is no tool "run_command"');
});

it('answers an unknown tool with the offered names and the nearest one [O4]', async () => {
  await using tools = await toolsUnderTest();
  expect(await tools.error('readFile', {})).toBe(
    'There is no tool "readFile". Did you mean read_file? Available: read_file, write_file, edit_file, list_directory, search_files.',
  );
  expect(await tools.error('open_door', {})).not.toContain('Did you mean');
});

it('names a missing or wrongly typed argument, with the usage [O4]', async () => {
  await using tools = await toolsUnderTest();
  expect(await tools.error('write_file', { path: 'a' })).toMatch(
    /"content" is missing.*Usage: write_file\(path: string, content: string\)/,
  );
  expect(await tools.error('read_file', { path: 7 })).toMatch(/"path" must be a string/);
  expect(await tools.error('read_file', { path: 'a', start_line: '30s' })).toMatch(
    /"start_line" must be an integer/,
  );
  expect(await tools.error('read_file', { path: 'a', start_line: 0 })).toMatch(
    /"start_line" must be at least 1/,
  );
  expect(await tools.error('write_file', { path: null, content: '' })).toMatch(/"path" must be a string/);
});

it('an optional argument may be null', async () => {
  await using tools = await toolsUnderTest();
  await tools.output('write_file', { path: 'a', content: 'x' });
  expect(await tools.output('read_file', { path: 'a', start_line: null, end_line: null })).toMatchObject({
    content: 'x',
  });
});

it('a tool that throws gives a failed result [O3]', async () => {
  const broken: Tool = {
    definition: {
      type: 'function',
      function: { name: 'broken', description: '', parameters: { type: 'object' } },
    },
    run: () => Promise.reject(new Error('bug')),
  };
  const { execute } = createToolBox([broken], '/');
  const signal = new AbortController().signal;
  expect(await execute({ name: 'broken', arguments: {} }, { signal })).toEqual({
    success: false,
    tool: 'broken',
    output: { error: 'broken failed unexpectedly: bug' },
  });
});

it('a stopped call says so [O3]', async () => {
  await using tools = await toolsUnderTest();
  for (const [name, args] of [
    ['read_file', { path: 'a' }],
    ['write_file', { path: 'a', content: '' }],
  ] as const) {
    const result = await tools.call(name, args, AbortSignal.abort());
    expect(result).toMatchObject({ success: false, output: { error: 'Stopped by the operator.' } });
  }
  expect(await tools.output('list_directory', {})).toMatchObject({ count: 0 });
});

it('offers fetch_url only where it is chosen', () => {
  const workspace = '/w';
  const box = (offered?: string[]) => createTaskTools({ workspace, sandbox: confined, offered });
  expect(namesOf(box())).toEqual(MODES.task.tools);
  expect(namesOf(box(['read_file', 'fetch_url']))).toEqual(['read_file', 'fetch_url']);
  const session = createSafetyLayer({ sandbox: confined, offered: ['fetch_url'], fetchHosts: ['a.example'] });
  const { definitions, isReadOnly } = createSessionTools({ workspace, safety: session });
  expect(definitions[0]?.function.description).toContain('Allowed hosts: a.example.');
  // A GET request can have effects, so its intent is on disk first and it is not repeated.
  expect(isReadOnly('fetch_url')).toBe(false);
});

it('offers the tools listed for each mode', () => {
  const workspace = '/w';
  const safety = createSafetyLayer({ sandbox: confined });
  expect(namesOf(createSessionTools({ workspace, safety }))).toEqual(MODES.session.tools);
  expect(namesOf(createExploreTools())).toEqual(MODES.explore.tools);
});

function namesOf({ definitions }: ToolBox): string[] {
  return definitions.map(({ function: { name } }) => name);
}
