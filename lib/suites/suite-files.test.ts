import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { experimentRequest } from '../api/experiment.ts';
import { CASE_SETTINGS, checksOfCase, type Suite, type SuiteCaseInput, suite } from '../api/suite.ts';
import { MAX_SUITE_BYTES, MAX_SUITE_CASES } from '../events/limits.ts';
import { MAX_CHECKS } from '../events/settings.ts';
import { readSuiteFile, readSuiteValue } from './read-suite.ts';
import { suiteHash } from './suite-hash.ts';
import { describeProblems } from './suite-problem.ts';
import { writeSuite } from './write-suite.ts';

const read = (text: string, format: 'yaml' | 'json' | 'jsonl', name?: string): Suite => {
  const result = readSuiteFile({ text, format, name });
  if ('problems' in result) throw new Error(describeProblems(result.problems));
  return result.suite;
};
const problems = (text: string, format: 'yaml' | 'json' | 'jsonl', name = 'Test'): string => {
  const result = readSuiteFile({ text, format, name });
  return 'problems' in result ? describeProblems(result.problems) : '';
};

/** Texts that writers and readers get wrong. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((value) => value.isWellFormed()),
  fc.constantFrom(
    'yes',
    '007',
    '~',
    '- a: b',
    '# x',
    ' lead',
    'trail ',
    '\n\n',
    'a\n  b\n',
    '1e3',
    '\t',
    '&a',
    '*a',
    '"',
  ),
);
const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => JSON.stringify(value).isWellFormed());
const someCase = fc.record(
  {
    input: text.filter((value) => value.trim() !== ''),
    target: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })),
    files: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}\.[a-z]{1,3}$/), text, { maxKeys: 3 }),
    tags: fc.uniqueArray(fc.constantFrom('read', 'edit', 'naïve tag'), { maxLength: 3 }),
    settings: fc.constantFrom({ tier: 'trivial' as const }, { think: false, budget: { max_seconds: 5 } }),
    checks: fc.array(
      fc.record({ type: fc.constant('file_contains' as const), path: fc.constant('a.txt'), text }),
      { maxLength: 2 },
    ),
    metadata: fc.dictionary(
      fc.string({ minLength: 1, maxLength: 8 }).filter((key) => key !== '__proto__'),
      json.map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'p'))),
      { maxKeys: 3 },
    ),
    mode: fc.constantFrom('task' as const),
  },
  { requiredKeys: ['input'] },
);
const someSuite = fc
  .record({
    name: fc.constantFrom('Basics', 'null', '0x1F', 'a: b'),
    description: fc.constantFrom('', 'Two\nlines.', '# no comment'),
    cases: fc.array(someCase, { minLength: 1, maxLength: 4 }),
  })
  .map(({ cases, ...rest }) =>
    suite.parse({
      ...rest,
      cases: cases.map((one: Omit<SuiteCaseInput, 'id'>, index) => ({ id: `${index}`, ...one })),
    }),
  );

describe('suite files', () => {
  it.each(['yaml', 'json', 'jsonl'] as const)('%s files are read as they were written', (format) => {
    fc.assert(
      fc.property(someSuite, (given) => {
        const found = read(writeSuite(given, format), format);
        expect(found).toEqual(given);
        expect(suiteHash(found.cases)).toBe(suiteHash(given.cases));
      }),
    );
  });

  it('YAML has the same texts for readers of version 1.1', () => {
    const cases = [{ id: 'no', input: '12:30', target: 'Yes' }];
    const text = writeSuite(suite.parse({ name: 'on', cases }), 'yaml');
    expect(parse(text, { version: '1.1' })).toMatchObject({ name: 'on', cases });
  });

  it('no text makes the reader throw', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('yaml', 'json', 'jsonl'),
        (given, format) => {
          expect('problems' in readSuiteFile({ text: given, format, name: 'x' })).toBe(true);
        },
      ),
    );
  });

  it('reads datasets of Inspect as they are', () => {
    const lines = [
      { input: 'What is 2+2?', target: ['4', 'four'], id: 7, metadata: { level: 1 }, choices: null },
      { input: 'Read it.', target: 'blue', files: { 'a/b.txt': 'blue' } },
    ];
    const found = read(lines.map((line) => JSON.stringify(line)).join('\r\n'), 'jsonl', 'Dataset');
    expect(found).toEqual({
      name: 'Dataset',
      description: '',
      cases: [
        { id: '7', input: 'What is 2+2?', target: ['4', 'four'], metadata: { level: 1 } },
        { id: '2', input: 'Read it.', target: 'blue', files: { 'a/b.txt': 'blue' } },
      ],
    });
    expect(read(JSON.stringify(lines), 'json', 'Dataset')).toEqual(found);
  });

  it('shares values with anchors in YAML', () => {
    const found = read(
      'name: A\ncases:\n- {id: a, input: x, files: &f {n.txt: hi}}\n- {id: b, input: y, files: *f}\n',
      'yaml',
    );
    expect(found.cases[1]?.files).toEqual({ 'n.txt': 'hi' });
  });
});

describe('problems', () => {
  it.each([
    [
      'an unknown kind of check',
      'yaml',
      'name: A\ncases:\n  - id: a\n    input: x\n    checks:\n      - type: file_exist\n        path: y\n',
      'line 6: case "a": checks.0.type: must be one of "command", ',
    ],
    [
      'an unknown field',
      'yaml',
      'name: A\ncases:\n  - id: a\n    input: x\n    targets: y\n',
      'line 5: case "a": targets: unknown field. Did you mean "target"?',
    ],
    ['a missing task', 'jsonl', '{"id": "a"}\n', 'line 1: case "a": input: Say what the model should do.'],
    [
      'two cases with one ID',
      'jsonl',
      '{"id": "a", "input": "x"}\n\n{"id": "a", "input": "y"}\n',
      'line 3: case "a": id: Another case has this ID: number 1.',
    ],
    ['a broken line', 'jsonl', '{"id": "a", "input": "x"}\n{"id":\n', 'line 2: This is not JSON: '],
    [
      'a wrong type',
      'json',
      '[\n{"id": "a",\n"input": 5}]',
      'line 3: case "a": input: must be a string, not a number.',
    ],
    ['a broken file', 'json', '{"name": "A",\n"cases" [}', '(line 2 column 9).'],
    ['bad YAML', 'yaml', 'name: A\ncases: [\n', 'line 3: '],
    [
      'a key that is given twice',
      'yaml',
      'name: A\nname: B\ncases: []\n',
      'line 2: Map keys must be unique.',
    ],
    ['a tag of YAML', 'yaml', 'name: !!js/function x\ncases: []\n', 'line 1: Unresolved tag'],
    [
      'an ID with a slash',
      'jsonl',
      '{"id": "HumanEval/0", "input": "x"}',
      'line 1: case "HumanEval/0": id: An ID must',
    ],
    [
      'a file outside of the workspace',
      'jsonl',
      '{"id": "a", "input": "x", "files": {"../b": ""}}',
      'line 1: case "a": files.../b: The path must not contain',
    ],
    [
      // The names of all its folders together have 20 GB.
      'a path of 200,000 folders',
      'jsonl',
      JSON.stringify({ id: 'a', input: 'x', files: { ['a/'.repeat(200_000)]: '' } }),
      'A path must have 1 to 500 characters.',
    ],
    [
      'an absolute path',
      'jsonl',
      '{"id": "a", "input": "x", "files": {"/etc/passwd": ""}}',
      'files./etc/passwd: The path must be relative',
    ],
    [
      'a file that is also a folder',
      'jsonl',
      '{"id": "a", "input": "x", "files": {"b": "", "b/c": ""}}',
      'files.b: This is also the folder of another file.',
    ],
    [
      'files beside a folder',
      'jsonl',
      '{"id": "a", "input": "x", "files": {"b": ""}, "folder": "/tmp"}',
      'folder: A case has either files or a folder.',
    ],
    [
      'a tool that the mode lacks',
      'jsonl',
      '{"id": "a", "input": "x", "tools": ["read_fil"]}',
      'tools: The mode "task" has no tool "read_fil". Did you mean read_file?',
    ],
    [
      'a setting of another mode',
      'jsonl',
      '{"id": "a", "input": "x", "settings": {"calls_per_cycle": 3}}',
      'settings.calls_per_cycle: This setting does not apply to the mode "task"',
    ],
    [
      'a task of an exploration',
      'jsonl',
      '{"id": "a", "input": "x", "mode": "explore"}',
      'input: An exploration has no task. Leave it out, or set mode to "task".',
    ],
    [
      'another format',
      'jsonl',
      '{"format": "loupe-suite/9", "name": "A"}',
      'format: must be "loupe-suite/1".',
    ],
    ['no case', 'jsonl', '', 'cases: A suite must have at least one case.'],
  ] as const)('names the place and the reason of %s', (_, format, content, expected) => {
    expect(problems(content, format)).toContain(expected);
  });

  it('refuses alias bombs', () => {
    const levels = Array.from('bcdefghij', (name, index) => {
      const inner = `*${String.fromCharCode(97 + index)}`;
      return `${name}: &${name} [${Array(10).fill(inner).join(', ')}]`;
    });
    expect(problems(['a: &a [x]', ...levels, 'cases: *j'].join('\n'), 'yaml')).toContain('Too many aliases');
  });

  it('counts what an alias stands for each time', () => {
    const cases = Array.from({ length: 30 }, (_, index) => `- {id: c${index}, input: x, files: *f}`);
    const big = `x: &f {a.txt: ${'y'.repeat(MAX_SUITE_BYTES / 20)}}`;
    expect(problems([big, 'cases:', ...cases].join('\n'), 'yaml')).toContain('larger than');
  });

  it.each(['yaml', 'json'] as const)('refuses values nested too deeply in %s', (format) => {
    expect(problems(`${'['.repeat(50_000)}${']'.repeat(50_000)}`, format)).toContain('nested');
  });

  it('bounds the number of cases, the size and the list of problems', () => {
    const line = (id: number) => `{"id": "${id}", "input": "x"}`;
    const many = Array.from({ length: MAX_SUITE_CASES + 1 }, (_, id) => line(id)).join('\n');
    expect(problems(many, 'jsonl')).toContain(`at most ${MAX_SUITE_CASES} cases`);
    expect(problems('x'.repeat(MAX_SUITE_BYTES + 1), 'jsonl')).toContain('larger than');
    const bad = Array.from({ length: 30 }, (_, id) => `{"id": "${id}"}`).join('\n');
    expect(problems(bad, 'jsonl').split('\n').at(-1)).toBe('… and 10 more');
  });

  it('refuses half of a surrogate pair, which a hash cannot tell apart', () => {
    expect(readSuiteValue({ name: 'A', cases: [{ id: 'a', input: '\ud800' }] })).toHaveProperty('problems');
  });
});

it('the hash covers the cases and no more, in any order of their fields', () => {
  const [one, other] = [
    read('{"name": "A"}\n{"id": "a", "input": "x", "tags": ["t"]}', 'jsonl'),
    read('{"name": "B", "description": "D"}\n{"tags": ["t"], "input": "x", "id": "a"}', 'jsonl'),
  ];
  expect(suiteHash(one.cases)).toMatch(/^[0-9a-f]{64}$/);
  expect(suiteHash(one.cases)).toBe(suiteHash(other.cases));
  expect(suiteHash(one.cases)).not.toBe(suiteHash(read('{"id": "a", "input": "x"}', 'jsonl', 'A').cases));
});

it('the target of a case is its first check: the answer contains one of the texts', () => {
  const [one] = suite.parse({
    name: 'A',
    cases: [{ id: 'a', input: 'x', target: ['4', 'four'], checks: [{ type: 'file_exists', path: 'a' }] }],
  }).cases;
  expect(checksOfCase(one as NonNullable<typeof one>)).toEqual([
    { type: 'answer_contains', text: ['4', 'four'] },
    { type: 'file_exists', path: 'a' },
  ]);
  const checks = Array.from({ length: MAX_CHECKS }, () => ({ type: 'file_exists', path: 'a' }));
  expect(problems(JSON.stringify({ id: 'a', input: 'x', target: '4', checks }), 'jsonl')).toContain(
    'target: The target is a check, too',
  );
});

it('a case accepts the settings of an experiment, except its checks', () => {
  const { checks: _checks, ...others } = experimentRequest.shape.settings.unwrap().shape;
  expect([...CASE_SETTINGS].sort()).toEqual(Object.keys(others).sort());
});
