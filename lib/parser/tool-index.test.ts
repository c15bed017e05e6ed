import { expect, it } from 'vitest';
import { tool } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';

const index = new ToolIndex([tool('read_file'), tool('Search'), tool('fs.read'), tool('a'), tool('A')]);

it('P8, P16: finds a tool by its name, without namespace, index or control tokens, and in another case', () => {
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

it('P16: does not guess', () => {
  for (const written of ['read_files', 'readfile', 'read', '', 'toString', '__proto__'])
    expect(index.offered(written), written).toBeUndefined();
});

it('takes no case for another where two tools differ in nothing else', () => {
  expect(index.offered('a')).toBe('a');
  expect(index.offered('A')).toBe('A');
  expect(index.offered('functions.A')).toBe('A');
});

it('cleans the name it passes on', () => {
  expect(index.resolve('functions.get_time:3')).toBe('get_time');
  expect(index.resolve('api.tools.search')).toBe('api.tools.search');
});

it('names the nearest offered tool when one is near', () => {
  expect(index.nearest('read_fil')).toBe('read_file');
  expect(index.nearest('readFile')).toBe('read_file');
  expect(index.nearest('open_the_browser')).toBeUndefined();
});
