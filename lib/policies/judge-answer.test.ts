import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerCheck } from '../events/check-kinds.ts';
import { cpuMs } from '../testing/cpu-time.ts';
import { type JsonObject, jsonValue } from '../util/json.ts';
import { judgeAnswer, noAnswer } from './judge-answer.ts';
import { jsonOfAnswer, lastNumber, normalizedText } from './judged-text.ts';

const passes = (check: AnswerCheck, answer: string) => judgeAnswer(check, answer).passed;

describe('answer_contains [V11]', () => {
  it.each([
    [{ text: 'Paris' }, 'The capital is PARIS.', true],
    [{ text: 'Paris', case_sensitive: true }, 'The capital is PARIS.', false],
    [{ text: 'Paris', case_sensitive: true }, 'Paris it is', true],
    [{ text: 'Rome' }, 'The capital is Paris.', false],
    [{ text: ['4', 'Four'] }, 'It is four.', true],
    [{ text: ['4', 'Four'], case_sensitive: true }, 'It is four.', false],
    [{ text: ['4', 'four'] }, 'It is five.', false],
  ])('%o in "%s": %s', (check, answer, expected) => {
    expect(passes({ type: 'answer_contains', ...check }, answer)).toBe(expected);
  });

  it('says when only upper and lower case differ', () => {
    const check = { type: 'answer_contains', text: 'Paris', case_sensitive: true } as const;
    expect(judgeAnswer(check, 'PARIS').output).toBe(
      'The answer contains the text only in different upper and lower case.',
    );
  });
});

describe('answer_matches [V11]', () => {
  it.each([
    [{ pattern: '^\\d+ km$' }, ' 42 KM\n', true],
    [{ pattern: '^\\d+ km$', case_sensitive: true }, '42 KM', false],
    [{ pattern: '\\p{Lu}{2}', case_sensitive: true }, 'in the EU', true],
    [{ pattern: '^\\d+$' }, 'about 42', false],
  ])('%o on "%s": %s', (check, answer, expected) => {
    expect(passes({ type: 'answer_matches', ...check }, answer)).toBe(expected);
  });

  it('fails for a pattern that is masked beyond recognition', () => {
    expect(judgeAnswer({ type: 'answer_matches', pattern: '(' }, 'x')).toEqual({
      passed: false,
      output: 'The pattern is not a valid regular expression.',
    });
  });
});

describe('answer_equals [V11]', () => {
  it.each([
    ['Paris', ' **paris**. ', true],
    ['The  Seine', '“the seine”', true],
    ['ﬁve', 'Five!', true],
    ['C++', 'C', false],
    ['?', '!', false],
    ['Paris', 'It is Paris', false],
  ])('text "%s", answer "%s": %s', (value, answer, expected) => {
    expect(passes({ type: 'answer_equals', value }, answer)).toBe(expected);
  });

  it.each([
    [42, undefined, '42', true],
    [42, undefined, '5 + 37 = **42** km.', true],
    [41.9, 0.2, 'roughly 42 km', true],
    [41.9, 0.05, 'roughly 42 km', false],
    [0.3, 0.1, '0.4', true],
    [42, undefined, 'I do not know.', false],
    [42, undefined, '42 or 43', false],
  ])('number %s ± %s, answer "%s": %s', (value, tolerance, answer, expected) => {
    const check: AnswerCheck = { type: 'answer_equals', value, ...(tolerance && { tolerance }) };
    expect(passes(check, answer)).toBe(expected);
  });

  it('says which number it found', () => {
    expect(judgeAnswer({ type: 'answer_equals', value: 42, tolerance: 0.5 }, '6 x 7 = 41').output).toBe(
      'The last number in the answer is 41, not 42 ± 0.5.',
    );
  });

  it.each([
    ['-5', -5],
    ['−5 °C', -5],
    ['10-5', 5],
    ['1,234,567.5 people', 1_234_567.5],
    ['3.0e8 m/s', 3e8],
    ['a share of .25', 0.25],
    ['４２', 42],
    ['42 on H2O, GPT4 and v1.2.3', 42],
    ['it is 7.', 7],
    ['none', undefined],
  ])('reads the last number of "%s" as %s', (text, expected) => {
    expect(lastNumber(text)).toBe(expected);
  });

  it('normalizes a text once and for all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = normalizedText(text);
        expect(normalizedText(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds any number that is written at the end', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.lorem(), (value, words) => {
        expect(lastNumber(`${words} ${value}`)).toBe(value + 0); // a minus in front of 0 is lost
      }),
    );
  });

  it('reads long runs of marks and digits in linear time', () => {
    for (const part of ['.', ' ', '1', '1,', '-', '1,111', 'a.']) {
      const text = part.repeat(60_000);
      expect(cpuMs(() => void normalizedText(`x${text}y`))).toBeLessThan(500);
      expect(cpuMs(() => void lastNumber(text))).toBeLessThan(500);
    }
  });
});

describe('answer_schema [V11]', () => {
  const schema = {
    type: 'object',
    required: ['city', 'people'],
    additionalProperties: false,
    properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1 } },
  };

  it.each([
    ['{"city": "Rome", "people": 3}', true],
    ['Here it is:\n```json\n{"city": "Rome", "people": 3}\n```\nDone.', true],
    ['```\n{"city": "Rome"}\n```', false],
    ['{"city": "Rome", "people": 0}', false],
    ['{"city": "Rome", "people": 1, "mayor": "?"}', false],
    ['Rome has 3 people', false],
  ])('%s: %s', (answer, expected) => {
    expect(passes({ type: 'answer_schema', schema }, answer)).toBe(expected);
  });

  it('says what does not fit, and where', () => {
    const { output } = judgeAnswer({ type: 'answer_schema', schema }, '{"people": "many", "mayor": 1}');
    expect(output).toBe(
      [
        'The JSON of the answer does not fit the schema:',
        '- the whole value: Instance does not have required property "city".',
        '- people: Instance type "string" is invalid. Expected "integer".',
        '- the whole value: Property "mayor" does not match additional properties schema.',
      ].join('\n'),
    );
  });

  it('does not change the schema', () => {
    const before = JSON.stringify(schema);
    judgeAnswer({ type: 'answer_schema', schema }, '{}');
    expect(JSON.stringify(schema)).toBe(before);
    expect(Reflect.ownKeys(schema)).not.toContain('__absolute_uri__');
  });

  it('takes the last code block that holds JSON', () => {
    expect(jsonOfAnswer('```json\n1\n```\n~~~\n2\n~~~\n```\nno\n```')).toEqual({ value: 2 });
    expect(jsonOfAnswer('````\n```json\n1\n```\n````')).toHaveProperty('problem');
  });
});

const checks = fc.oneof(
  fc.record({ type: fc.constant('answer_contains' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant('answer_matches' as const), pattern: fc.string({ maxLength: 6 }) }),
  fc.record({
    type: fc.constant('answer_equals' as const),
    value: fc.oneof(fc.string({ minLength: 1 }), fc.double({ noNaN: true })),
  }),
  fc.record({
    type: fc.constant('answer_schema' as const),
    schema: fc.constantFrom<JsonObject>(
      { type: 'object' },
      { enum: [1, 'a', null] },
      { not: {} },
      { items: false },
    ),
  }),
);

it('judges any answer without throwing, and gives a reason', () => {
  fc.assert(
    fc.property(checks, fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (check, answer) => {
      const { passed, output } = judgeAnswer(check, answer);
      expect(typeof passed).toBe('boolean');
      expect(output).not.toBe('');
    }),
    { numRuns: 500 },
  );
});

it('accepts any JSON for a schema without demands', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(jsonValue(json)).toBeDefined();
      expect(passes({ type: 'answer_schema', schema: {} }, json)).toBe(true);
    }),
  );
});

it('fails without an answer, and refuses answers that are too long to judge', () => {
  expect(noAnswer('stall')).toEqual({
    passed: false,
    output: 'There is no answer: the attempt ended with stall.',
  });
  const long = 'a'.repeat(200_001);
  expect(judgeAnswer({ type: 'answer_matches', pattern: 'a' }, long).output).toMatch(/200,001 characters/);
  expect(passes({ type: 'answer_contains', text: 'aa' }, long)).toBe(true);
});
