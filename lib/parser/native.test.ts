import { describe, expect, it } from 'vitest';
import { readNative } from './native.ts';
import { TOOLS } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';

const read = (...entries: unknown[]) => readNative(entries, new ToolIndex(TOOLS));
const calls = (...entries: unknown[]) =>
  read(...entries).calls.map(({ name, arguments: args }) => [name, args]);

describe('P3: entries of the native field', () => {
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
      'with broken JSON text that a reader can mend',
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

it('P15: refuses arguments that are no object or were cut, and says so', () => {
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

it('P14: takes anything else for an empty field', () => {
  for (const field of [undefined, null, {}, 'x', 5])
    expect(readNative(field, new ToolIndex([]))).toEqual({ calls: [], refusals: [] });
});
