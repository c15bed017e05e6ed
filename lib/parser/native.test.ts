import { describe, expect, it } from 'vitest';
import { readNative } from './native.ts';
import { TOOLS } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';

const read = (...entries: unknown[]) => readNative(entries, new ToolIndex(TOOLS));
const calls = (...entries: unknown[]) =>
  read(...entries).calls.map(({ name, arguments: args }) => [name, args]);

describe('entries of the native field [P3]', () => {
  it.each<[string, unknown, unknown[]]>([
    [
      'as Ollama writes them',
      { function: { name: 'read_file', arguments: { path: 'a' } } },
      [['read_file', { path: 'a' }]],
    ],
    ['without arguments', { function: { name: 'list_directory' } }, [['list_directory', {}]]],
    [
      'with null for arguments',
      { function: { name: 'list_directory', arguments: null } },
      [['list_directory', {}]],
    ],
    [
      'with JSON text',
      { function: { name: 'read_file', arguments: '{"path": "a"}' } },
      [['read_file', { path: 'a' }]],
    ],
    [
      'with broken JSON text that can be repaired',
      { function: { name: 'read_file', arguments: "{'path': 'a',}" } },
      [['read_file', { path: 'a' }]],
    ],
    [
      'without the function level',
      { name: 'read_file', arguments: { path: 'a' } },
      [['read_file', { path: 'a' }]],
    ],
    [
      'with a damaged name',
      { function: { name: 'functions.read_file<|channel|>commentary', arguments: {} } },
      [['read_file', {}]],
    ],
    [
      'with an unknown name',
      { function: { name: 'fly', arguments: { to: 'Oslo' } } },
      [['fly', { to: 'Oslo' }]],
    ],
    ['without a name', { function: { arguments: {} } }, []],
    ['with an empty name', { function: { name: ' ', arguments: {} } }, []],
    ['that are no objects', 'read_file', []],
  ])('%s', (_, entry, expected) => {
    expect(calls(entry)).toEqual(expected);
  });
});

it('refuses arguments that are not an object or are cut off, and reports it [P15]', () => {
  expect(
    read({ function: { name: 'write_file', arguments: '{"path": "a", "content": "half' } }),
  ).toMatchObject({
    calls: [],
    refusals: [{ draft: { reason: 'malformed', name: 'write_file' } }],
  });
  expect(read({ function: { name: 'read_file', arguments: 5 } }).refusals).toHaveLength(1);
});

it('refuses keys that could reach a prototype', () => {
  const args = JSON.parse('{"path": {"__proto__": {"admin": true}}}');
  expect(read({ function: { name: 'read_file', arguments: args } })).toMatchObject({
    calls: [],
    refusals: [{ draft: { reason: 'unsafe-key' } }],
  });
});

it('treats any other value as an empty field [P14]', () => {
  for (const field of [undefined, null, {}, 'x', 5])
    expect(readNative(field, new ToolIndex([]))).toEqual({ calls: [], refusals: [] });
});

describe('calls misread by a server that expects another format', () => {
  it.each<[string, string, object, unknown[]]>([
    [
      'JSON as the name',
      '{"name": "read_file", "arguments": {"path": "a"}}',
      {},
      [['read_file', { path: 'a' }]],
    ],
    [
      'elements as the name',
      '<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>',
      {},
      [['read_file', { path: 'a' }]],
    ],
    ['Python as the name', '[read_file(path="a")]', {}, [['read_file', { path: 'a' }]]],
    ['a name with its arguments as the name', 'read_file\n{"path": "a"}', {}, [['read_file', { path: 'a' }]]],
    ['a separator glued to the name', 'read_file<tool_sep>', { path: 'a' }, [['read_file', { path: 'a' }]]],
    [
      'a call as its own arguments',
      'read_file',
      { action: 'read_file', action_input: { path: 'a' } },
      [['read_file', { path: 'a' }]],
    ],
    [
      'a call of another tool as arguments',
      'write_file',
      { name: 'read_file', arguments: { path: 'a' } },
      [['write_file', { name: 'read_file', arguments: { path: 'a' } }]],
    ],
    ['a name with parentheses in it', 'open (door)', { door: 'front' }, [['open (door)', { door: 'front' }]]],
  ])('%s', (_, name, given, expected) => {
    expect(calls({ function: { name, arguments: given } })).toEqual(expected);
  });

  it('records the repair', () => {
    const { calls: found } = read({ function: { name: 'read_file {"path": "a"}', arguments: {} } });
    expect(found[0]?.repairs).toMatchObject([{ rule: 'call-in-name', before: 'read_file {"path": "a"}' }]);
  });
});
