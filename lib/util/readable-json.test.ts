import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { readableJson } from './readable-json.ts';
import { sortedJson } from './sorted-json.ts';

it('shows texts with their line breaks', () => {
  expect(
    readableJson({
      path: 'a.md',
      content: '# One\n\n"two"\n',
      edits: [{ old: 'a\nb', new: '' }],
      options: {},
    }),
  ).toBe(
    [
      'content: |',
      '  # One',
      '  ',
      '  "two"',
      'edits:',
      '  -',
      '    new: ""',
      '    old: |-',
      '      a',
      '      b',
      'options: {}',
      'path: "a.md"',
    ].join('\n'),
  );
  expect(readableJson([])).toBe('[]');
  expect(readableJson({ 'a b': 1 })).toBe('"a b": 1');
});

it('gives equal texts to equal objects only', () => {
  const text = fc.oneof(
    fc.constantFrom('', '\n', 'a\n', 'a', '- ', 'a: 1', '  a', 'a\n\nb', '|'),
    fc.string(),
  );
  const { value } = fc.letrec((tie) => ({
    leaf: fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    value: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('list'), tie('object')),
  }));
  const json = value.map((made): JsonValue => JSON.parse(JSON.stringify(made)));
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(readableJson(one) === readableJson(other)).toBe(sortedJson(one) === sortedJson(other));
    }),
    { numRuns: 500 },
  );
  expect(readableJson({ b: 1, a: 2 })).toBe(readableJson({ a: 2, b: 1 }));
});
