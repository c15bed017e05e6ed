import { expect, it } from 'vitest';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createToolBox, getToolDefinitions } from './registry.ts';
import type { Tool } from './tool.ts';
import { noSandbox, toolsUnderTest } from './under-test.ts';

const confined: Sandbox = { ...noSandbox, report: { available: true, kind: 'bubblewrap', protections: [] } };

it("O1: offers five tools in Ollama's format", () => {
  const definitions = getToolDefinitions({ sandbox: confined });
  expect(definitions.map(({ function: { name } }) => name)).toEqual([
    'read_file',
    'write_file',
    'list_directory',
    'search_files',
    'run_command',
  ]);
  for (const { type, function: tool } of definitions) {
    expect(type).toBe('function');
    expect(tool.description.length).toBeGreaterThan(20);
    expect(tool.parameters.type).toBe('object');
    expect(Object.keys(tool.parameters.properties ?? {})).toEqual(
      expect.arrayContaining([...(tool.parameters.required ?? [])]),
    );
  }
});

it('O2: declares the known integer parameters as integers', () => {
  const properties = Object.assign(
    {},
    ...getToolDefinitions({ sandbox: confined }).map((tool) => tool.function.parameters.properties),
  );
  for (const name of ['start_line', 'end_line', 'timeout_ms', 'max_results']) {
    expect(properties[name].type).toBe('integer');
  }
});

it('O8: does not offer commands where nothing confines them', async () => {
  await using tools = await toolsUnderTest();
  expect(tools.box.definitions.map((tool) => tool.function.name)).not.toContain('run_command');
  expect(await tools.error('run_command', { command: 'id' })).toContain('There is no tool "run_command"');
  expect(tools.box.effectOf('run_command')).toBeUndefined();
});

it('tells what a call may change, and what it is about', async () => {
  await using tools = await toolsUnderTest({ sandbox: confined });
  expect(
    ['read_file', 'write_file', 'run_command', 'nothing'].map((name) => tools.box.effectOf(name)),
  ).toEqual(['read', 'write', 'command', undefined]);
  expect(['read_file', 'search_files', 'run_command'].map((name) => tools.box.mainArgumentOf(name))).toEqual([
    'path',
    'pattern',
    'command',
  ]);
});

it('O4: an unknown tool is answered with the names on offer and the nearest one', async () => {
  await using tools = await toolsUnderTest();
  expect(await tools.error('readFile', {})).toBe(
    'There is no tool "readFile". Did you mean read_file? Available: read_file, write_file, list_directory, search_files.',
  );
  expect(await tools.error('open_door', {})).not.toContain('Did you mean');
});

it('O4: a missing or wrongly typed argument is named, with the usage', async () => {
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

it('O3: a tool that throws gives a failed result', async () => {
  const broken: Tool = {
    definition: {
      type: 'function',
      function: { name: 'broken', description: '', parameters: { type: 'object' } },
    },
    effect: 'read',
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

it('O3: a stopped call says so', async () => {
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
