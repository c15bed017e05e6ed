import { describe, expect, it } from 'vitest';
import type { SuiteCase } from '../../api/suite.ts';
import { readSuiteValue } from '../../suites/read-suite.ts';
import { BASICS } from '../../suites/shipped/basics.ts';
import {
  caseDraftOf,
  caseOf,
  duplicateOf,
  EMPTY_CASE,
  formatOf,
  freeCaseId,
  matchingCases,
  withCase,
} from './case-draft.ts';

const read = readSuiteValue(BASICS);
const cases: SuiteCase[] = [
  ...('suite' in read ? read.suite.cases : []),
  {
    ...{
      id: 'all',
      input: 'x',
      target: ['two\nlines', 'b'],
      folder: '/tmp',
      mode: 'task',
      tools: ['read_file'],
    },
    ...{ settings: { tier: 'trivial' }, tags: ['a', 'b c'], metadata: { level: 1 } },
  },
];

describe('the form of a case', () => {
  it.each(cases.map((one) => [one.id, one] as const))('leaves %s as it is', (_, one) => {
    expect(caseOf(caseDraftOf(one), one)).toEqual({ ok: true, value: one });
  });

  it.each(cases.map((one) => [one.id, one] as const))('duplicates %s exactly', (id, one) => {
    const { draft, like } = duplicateOf(one, [id]);
    expect(caseOf(draft, like)).toEqual({ ok: true, value: { ...one, id: `${id}-2` } });
  });

  it('reads what was typed', () => {
    const draft = { ...EMPTY_CASE, id: ' a ', input: 'Do it', target: 'one\n\ntwo\n', tags: 'x, y ,' };
    expect(caseOf(draft)).toEqual({
      ok: true,
      value: { id: 'a', input: 'Do it', target: ['one', 'two'], tags: ['x', 'y'] },
    });
  });

  it('sends no field that the mode lacks', () => {
    const filled = {
      ...EMPTY_CASE,
      id: 'a',
      input: 'x',
      target: 'y',
      files: [{ path: 'a', text: '' }],
      folder: '/a',
    };
    expect(caseOf({ ...filled, mode: 'prompt' })).toEqual({
      ok: true,
      value: { id: 'a', input: 'x', target: 'y', mode: 'prompt' },
    });
    expect(caseOf({ ...filled, mode: 'explore' })).toEqual({ ok: true, value: { id: 'a', mode: 'explore' } });
  });

  it.each([
    ['settings', { settings: '[]' }, 'The settings must be a JSON object.'],
    ['metadata', { metadata: '{' }, 'The metadata must be a JSON object.'],
    [
      'files',
      {
        files: [
          { path: 'a', text: '' },
          { path: 'a', text: '' },
        ],
      },
      'The file "a" is listed twice.',
    ],
  ])('says what is wrong with its %s', (_, change, problem) => {
    expect(caseOf({ ...EMPTY_CASE, ...change })).toEqual({ ok: false, problem });
  });
});

it('gives a copy a free ID', () => {
  expect(freeCaseId('a', ['a', 'a-2'])).toBe('a-3');
  expect(freeCaseId('b', ['a'])).toBe('b');
  expect(freeCaseId('', [])).toBe('case-2');
});

it.each([
  ['x', 'a.YML', 'yaml'],
  ['x', 'a.jsonl', 'jsonl'],
  ['name: A\ncases: []', '', 'yaml'],
  ['{"id": "a"}\n{"id": "b"}', '', 'jsonl'],
  ['{"id":\n', 'a.txt', 'json'],
  ['[{"id": "a"}]', '', 'json'],
])('finds the format of %j in the file "%s"', (text, name, format) => {
  expect(formatOf(text, name)).toBe(format);
});

it('filters cases by text and tag', () => {
  expect(matchingCases(cases, { text: 'KESTREL', tag: '' })).toHaveLength(0);
  expect(matchingCases(cases, { text: 'read.one', tag: 'read' }).map(({ id }) => id)).toEqual([
    'read.one-file',
  ]);
  expect(matchingCases(cases, { text: '', tag: 'edit' })).toHaveLength(5);
});

it('replaces the previous version of a case, or appends the case if that no longer exists', () => {
  const cases = [
    { id: 'a', input: 'A' },
    { id: 'b', input: 'B' },
  ];
  const [first, second] = cases;
  const one = { id: 'c', input: 'C' };
  expect(withCase(cases, one, first)).toEqual([one, second]);
  expect(withCase(cases, one, { id: 'gone', input: '' })).toEqual([first, second, one]);
  expect(withCase(cases, one)).toEqual([first, second, one]);
});
