import { expect, it } from 'vitest';
import { tool } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';

const index = new ToolIndex([tool('read_file'), tool('Search'), tool('fs.read'), tool('a'), tool('A')]);

it('finds a tool by its name without namespace, index and control tokens, in any case [P8, P16]', () => {
  for (const written of [
    'read_file',
    'functions.read_file',
    'functions.read_file:0',
    'default_api.read_file',
    'READ_FILE',
    'read_file<|channel|>commentary',
    ' read_file ',
    'read_file.call',
  ]) {
    expect(index.offered(written), written).toBe('read_file');
  }
  expect(index.offered('fs.read')).toBe('fs.read');
  expect(index.offered('search')).toBe('Search');
});

it('does not guess [P16]', () => {
  for (const written of ['read_files', 'readfile', 'read', '', 'toString', '__proto__'])
    expect(index.offered(written), written).toBeUndefined();
});

it('does not ignore case where two tools differ only in case', () => {
  expect(index.offered('a')).toBe('a');
  expect(index.offered('A')).toBe('A');
  expect(index.offered('functions.A')).toBe('A');
});

it('cleans the names it passes on', () => {
  expect(index.resolve('functions.get_time:3')).toBe('get_time');
  expect(index.resolve('api.tools.search')).toBe('api.tools.search');
});

it('finds the only tool whose parameters pass a predicate', () => {
  const tools = new ToolIndex([tool('x', { a: {} }), tool('y', { b: {} }), tool('z', { b: {} })]);
  expect(tools.onlyOne(({ properties }) => Object.hasOwn(properties ?? {}, 'a'))).toBe('x');
  expect(tools.onlyOne(({ properties }) => Object.hasOwn(properties ?? {}, 'b'))).toBeUndefined();
  expect(tools.onlyOne(() => false)).toBeUndefined();
});

it('names the nearest offered tool if one is close', () => {
  expect(index.nearest('read_fil')).toBe('read_file');
  expect(index.nearest('readFile')).toBe('read_file');
  expect(index.nearest('open_the_browser')).toBeUndefined();
});
