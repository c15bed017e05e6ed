import { describe, expect, it } from 'vitest';
import type { JsonReaderOptions } from './json-cursor.ts';
import { readJson } from './json-reader.ts';

const read = (text: string, options?: JsonReaderOptions) => readJson(text, 0, options);
const readValue = (text: string, options?: JsonReaderOptions) => {
  const reading = read(text, options);
  return reading.ok ? reading.value : reading.reason;
};
const rulesOf = (text: string, options?: JsonReaderOptions) => {
  const reading = read(text, options);
  return reading.ok ? reading.repairs.map((repair) => repair.rule) : reading.reason;
};

it('reads strict JSON without repairs, as JSON.parse does', () => {
  for (const text of [
    '{"a": [1, -2.5e3, true, null, "\\u00e9\\n\\"\\\\"], "b": {}}',
    '[]',
    '"x"',
    '12',
    '{"a":1,"a":2}',
  ]) {
    expect(read(text)).toMatchObject({
      ok: true,
      value: JSON.parse(text),
      repairs: [],
      closed: true,
      end: text.length,
    });
  }
});

it('stops after the value and leaves the rest', () => {
  expect(readJson('x {"a": 1} y', 2)).toMatchObject({ ok: true, value: { a: 1 }, end: 10 });
});

describe('repairs what models write, and records it', () => {
  it.each([
    ['trailing-comma', '{"a": [1, 2,],}', { a: [1, 2] }],
    ['missing-comma', '{"a": 1 "b": 2}', { a: 1, b: 2 }],
    ['missing-comma', '[{"a": 1}{"a": 2}]', [{ a: 1 }, { a: 2 }]],
    ['single-quotes', "{'a': 'it\\'s'}", { a: "it's" }],
    ['smart-quotes', '{“a”: “x”}', { a: 'x' }],
    ['triple-quotes', '{"a": """say "hi"\nthere"""}', { a: 'say "hi"\nthere' }],
    ['python-literal', '{"a": True, "b": None}', { a: true, b: null }],
    ['bare-key', '{a: 1, b-c: 2}', { a: 1, 'b-c': 2 }],
    ['comment', '{"a": 1, // one\n "b": 2 /* two */}', { a: 1, b: 2 }],
    ['raw-control-character', '{"a": "x\ny"}', { a: 'x\ny' }],
    ['bad-escape', '{"a": "\\$5 \\d"}', { a: '$5 \\d' }],
    ['number-as-text', '{"a": +5, "b": .5}', { a: 5, b: 0.5 }],
    ['number-as-text', '{"a": 007}', { a: '007' }],
    ['missing-closer', '{"a": [1, 2}', { a: [1, 2] }],
  ])('%s: %s', (rule, text, value) => {
    expect(readValue(text)).toEqual(value);
    expect(rulesOf(text)).toContain(rule);
  });

  it('records each repair before and after', () => {
    expect(read("{'a': True}")).toMatchObject({
      repairs: [
        { rule: 'single-quotes', before: "'", after: '"' },
        { rule: 'python-literal', before: 'True', after: 'true' },
      ],
    });
  });
});

describe('never completes a value that was cut off', () => {
  it.each([
    '{',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a": "x',
    '{"a": 1',
    '{"a": 1e',
    '{"a": -',
    '{"a": tru',
    '{"a": 1,',
    '[1, ',
    '{“a',
    "{'a': '",
    '{"a": 1 /* x',
  ])('%s', (text) => {
    expect(readValue(text)).toBe('cut');
  });

  it('adds closing brackets only after complete values', () => {
    expect(read('{"a": {"b": "x"')).toMatchObject({ ok: true, value: { a: { b: 'x' } }, closed: false });
    expect(rulesOf('[{"a": []')).toEqual(['missing-closer']);
  });

  it('ends the value at a marker where one may follow', () => {
    const text = '{"a": {"b": 1</tool_call>';
    expect(readValue(text)).toBe('malformed');
    expect(read(text, { closeAtMarker: true })).toMatchObject({
      value: { a: { b: 1 } },
      closed: false,
      end: 13,
    });
  });
});

describe('gives up on text that is not a value', () => {
  it.each([
    '{a}',
    '{1: 2}',
    '{"a" 1}',
    '{"a": b}',
    '{"a": 15:30}',
    '[1 2]',
    '{"a": }',
    '{,}',
    '{"a": 1 b',
    '{{}}',
    '}',
  ])('%s', (text) => {
    expect(readValue(text)).toBe('malformed');
  });
});

describe('unescaped quotes', () => {
  const loose = (text: string) => readValue(text, { looseQuotes: true });

  it('belong to the string when no separator follows', () => {
    expect(loose('{"a": "He said "hi" to me", "b": 1}')).toEqual({ a: 'He said "hi" to me', b: 1 });
    expect(loose('{"a": "x = "y"; z", "b": ["p "q" r", "s"]}')).toEqual({
      a: 'x = "y"; z',
      b: ['p "q" r', 's'],
    });
    expect(loose('{"a": "one, "two", three"}')).toEqual({ a: 'one, "two", three' });
  });

  it('are malformed by default', () => {
    expect(readValue('{"a": "He said "hi" to me"}')).toBe('malformed');
  });
});

it('reads 512 levels of nesting and refuses more', () => {
  expect(readValue('['.repeat(513) + ']'.repeat(513))).toBe('too-deep');
  expect(read('['.repeat(512) + ']'.repeat(512))).toMatchObject({ ok: true });
});

it('omits keys that could reach a prototype, and names them', () => {
  const reading = read('{"a": {"__proto__": {"admin": true}, "b": 1}}');
  expect(reading).toMatchObject({ ok: true, value: { a: { b: 1 } }, unsafeKey: '__proto__' });
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
});

it('reads other dialects without recording repairs', () => {
  const python = { native: new Set(['single-quotes', 'python-literal'] as const), python: true };
  expect(read("{'a': (1, True), 'b': r'\\d'}", { dialect: python })).toMatchObject({
    value: { a: [1, true], b: '\\d' },
    repairs: [],
  });
  const map = { native: new Set(['bare-key', 'bare-value'] as const), delimiter: '<escape>' };
  expect(read('{a:<escape>x, "y"<escape>,b:12,c:New York, NY}', { dialect: map })).toMatchObject({
    value: { a: 'x, "y"', b: 12, c: 'New York, NY' },
    repairs: [],
  });
});
