import { expect, it } from 'vitest';
import { tableLines } from './table.ts';

const rows = [
  ['20261127-1136-raxw2rqg', 'Answered', 'qwen3:8b', '日本語のファイルを読んで要約してください'],
  ['20261127-1136-jsgm9z99', 'Waiting for you', '千問', 'Family 👩‍👩‍👧‍👦, flag 🇩🇪, accent e\u0301'],
];

it('aligns columns by the width that a terminal gives their characters', () => {
  expect(tableLines(rows)).toEqual([
    '20261127-1136-raxw2rqg  Answered         qwen3:8b  日本語のファイルを読んで要約してください',
    '20261127-1136-jsgm9z99  Waiting for you  千問      Family 👩‍👩‍👧‍👦, flag 🇩🇪, accent e\u0301',
  ]);
  const emoji = ['👩‍👩‍👧‍👦', '🇩🇪', '한글', 'e\u0301e\u0301'].map((text) => [text, '|']);
  expect(tableLines(emoji).map((line) => line.replace(/^.*? /u, ' '))).toEqual([
    '    |',
    '    |',
    '  |',
    '    |',
  ]);
});

it('shortens the last column if that suffices for the terminal', () => {
  expect(tableLines(rows, { columns: 76, shortensLast: true })).toEqual([
    '20261127-1136-raxw2rqg  Answered         qwen3:8b  日本語のファイルを読んで…',
    '20261127-1136-jsgm9z99  Waiting for you  千問      Family 👩‍👩‍👧‍👦, flag 🇩🇪, acce…',
  ]);
});

it('puts rows that are too wide on several lines, and breaks only words that are longer than a line', () => {
  const path = [...'abcdefgh'].map((letter) => letter.repeat(5)).join('/');
  expect(tableLines([...rows, ['id', path]], { columns: 40, shortensLast: true })).toEqual([
    '20261127-1136-raxw2rqg  Answered',
    '    qwen3:8b',
    '    日本語のファイルを読んで要約してくだ',
    '    さい',
    '20261127-1136-jsgm9z99  Waiting for you',
    '    千問  Family 👩‍👩‍👧‍👦, flag 🇩🇪, accent e\u0301',
    'id',
    '    aaaaa/bbbbb/ccccc/ddddd/eeeee/fffff/',
    '    ggggg/hhhhh',
  ]);
});

it('names the column of each text where a table with a head is too wide', () => {
  const table = [['1', '2/2', 'plain, temperature 0.7']];
  const head = ['cell', 'passed', 'model and settings'];
  expect(tableLines(table, { head, columns: 80 })).toEqual([
    'cell  passed  model and settings',
    '1     2/2     plain, temperature 0.7',
  ]);
  expect(tableLines(table, { head, columns: 30 })).toEqual([
    'cell: 1  passed: 2/2',
    '    model and settings: plain,',
    '    temperature 0.7',
  ]);
});
