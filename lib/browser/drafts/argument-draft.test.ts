import { expect, it } from 'vitest';
import { argumentFieldsOf, argumentsOf } from './argument-draft.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'A text' },
    count: { type: 'integer', default: 3 },
    on: { type: 'boolean' },
    kind: { type: 'string', enum: ['a', 'b'] },
    size: { type: 'integer', enum: [1, 2] },
    list: { type: 'array', items: { type: 'string' } },
    odd: true,
  },
  required: ['text', 'count'],
};

it('makes a field for each parameter', () => {
  expect(argumentFieldsOf(schema).map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ['text', 'text', true],
    ['count', 'number', true],
    ['on', 'switch', false],
    ['kind', 'choice', false],
    ['size', 'choice', false],
    ['list', 'json', false],
    ['odd', 'json', false],
  ]);
  expect(argumentFieldsOf({})).toEqual([]);
  expect(argumentFieldsOf({ properties: [] })).toEqual([]);
});

it('accepts JSON for an unknown type, even one named like an object property', () => {
  const fields = argumentFieldsOf({ properties: { x: { type: 'constructor' }, y: { type: ['string'] } } });
  expect(fields.map(({ kind }) => kind)).toEqual(['json', 'text']);
});

it('reads entered values and omits empty ones', () => {
  const fields = argumentFieldsOf(schema);
  const texts = { text: 'x', count: '7', on: 'false', kind: 'b', size: '2', list: '["y"]' };
  expect(argumentsOf(fields, texts)).toEqual({
    ok: true,
    arguments: { text: 'x', count: 7, on: false, kind: 'b', size: 2, list: ['y'] },
  });
  expect(argumentsOf(fields, { count: '1' })).toEqual({ ok: true, arguments: { text: '', count: 1 } });
  expect(argumentsOf(fields, { count: 'x', list: '[' })).toEqual({
    ok: false,
    problems: { count: 'Enter a number.', list: 'This is not JSON.' },
  });
});
