import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../util/json.ts';
import { commandArgv } from './command-argv.ts';

function argv(command: string[], args: JsonObject): readonly string[] {
  const filled = commandArgv({ command }, args);
  if ('problem' in filled) throw new Error(filled.problem);
  return filled.argv;
}

function problem(command: string[], args: JsonObject): string {
  const filled = commandArgv({ command }, args);
  return 'problem' in filled ? filled.problem : '';
}

it('puts each value into one argument, whatever it contains [O25]', () => {
  const text = fc
    .string({ unit: 'binary' })
    .filter((value) => !value.includes('\0') && !value.startsWith('-'));
  fc.assert(
    fc.property(text, (value) => {
      expect(argv(['grep', '--', '{pattern}', 'a.txt'], { pattern: value })).toEqual([
        'grep',
        '--',
        value,
        'a.txt',
      ]);
      expect(argv(['wc', '--files={path}'], { path: value })).toEqual(['wc', `--files=${value}`]);
    }),
  );
});

it('writes numbers, switches and data as JSON, and one argument per item of a list', () => {
  expect(argv(['x', '-n', '{count}', '{on}', '{data}'], { count: -3, on: true, data: { a: [1] } })).toEqual([
    'x',
    '-n',
    '-3',
    'true',
    '{"a":[1]}',
  ]);
  expect(argv(['cat', '--', '{files}'], { files: ['a b', 'c', 7] })).toEqual(['cat', '--', 'a b', 'c', '7']);
  expect(argv(['x', 'of {files}'], { files: ['a', 'b'] })).toEqual(['x', 'of ["a","b"]']);
});

it('leaves out arguments whose optional parameter was not given', () => {
  const command = ['head', '--lines={lines}', '{path}'];
  expect(argv(command, { path: 'a' })).toEqual(['head', 'a']);
  expect(argv(command, { path: 'a', lines: null })).toEqual(['head', 'a']);
  expect(argv(command, { path: 'a', lines: 3 })).toEqual(['head', '--lines=3', 'a']);
});

it('reads doubled braces as braces, and never fills in a value again', () => {
  expect(argv(['jq', '.{{a}} {x}', '{y}'], { x: '{y}', y: '{x}' })).toEqual(['jq', '.{a} {y}', '{x}']);
  expect(argv(['x', '{toString}'], {})).toEqual(['x']);
});

it('refuses text that the program would take for an option', () => {
  expect(problem(['wc', '{path}'], { path: '--files0-from=/etc/passwd' })).toContain('begins with "-"');
  expect(problem(['cat', '{files}'], { files: ['a', '-e'] })).toContain('begins with "-"');
  expect(problem(['x', '{a}{b}'], { a: '', b: '-v' })).toContain('begins with "-"');
  expect(argv(['wc', '--', '{path}'], { path: '-v' })).toEqual(['wc', '--', '-v']);
  expect(argv(['wc', './{path}'], { path: '-v' })).toEqual(['wc', './-v']);
});

it('treats a number as an option only where text of the model follows it', () => {
  expect(argv(['seq', '{range}'], { range: [-3, 2] })).toEqual(['seq', '-3', '2']);
  expect(argv(['head', '{count}c'], { count: -3 })).toEqual(['head', '-3c']);
  expect(problem(['ls', '{count}{unit}'], { count: -1, unit: 'la' })).toContain('begins with "-"');
  expect(problem(['seq', '{range}'], { range: ['-3', 2] })).toContain('begins with "-"');
});

it('refuses values that no argument can hold', () => {
  expect(problem(['x', '{a}'], { a: 'a\0b' })).toContain('NUL');
  expect(problem(['x', '{a}'], { a: 'x'.repeat(70_000) })).toContain('longer than 65536 bytes');
  expect(problem(['x', '{a}'], { a: Array.from({ length: 10 }, () => 'x'.repeat(60_000)) })).toContain(
    'all together',
  );
});
