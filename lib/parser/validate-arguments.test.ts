import { expect, it } from 'vitest';
import type { JsonObject } from '../util/json.ts';
import type { ParameterSchema } from './types.ts';
import { validateArguments } from './validate-arguments.ts';

const schema: ParameterSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    start_line: { type: 'integer', minimum: 1 },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    items: {
      type: 'array',
      maxItems: 2,
      items: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
    },
    limit: { anyOf: [{ type: 'integer', maximum: 10 }, { type: 'null' }] },
  },
  required: ['path'],
  additionalProperties: false,
};

it('accepts arguments that fit [O4]', () => {
  const args = { path: 'a', start_line: 3, unit: 'celsius', items: [{ count: 1.5 }], limit: null };
  expect(validateArguments(args, schema)).toEqual([]);
  expect(validateArguments({ path: 'a', limit: 10 }, schema)).toEqual([]);
});

it.each<[JsonObject, string, string]>([
  [{}, 'path', '"path" is missing; it is required (a string).'],
  [{ path: 5 }, 'path', '"path" must be a string, not 5.'],
  [{ path: '' }, 'path', '"path" must be at least 1 character long, not 0.'],
  [{ path: 'a', start_line: '30s' }, 'start_line', '"start_line" must be an integer, not "30s".'],
  [{ path: 'a', start_line: 1.5 }, 'start_line', '"start_line" must be an integer, not 1.5.'],
  [{ path: 'a', start_line: 0 }, 'start_line', '"start_line" must be at least 1, not 0.'],
  [{ path: 'a', unit: 'kelvin' }, 'unit', '"unit" must be one of "celsius", "fahrenheit", not "kelvin".'],
  [
    { path: 'a', items: [{ count: 1 }, {}] },
    'items.1.count',
    '"items.1.count" is missing; it is required (a number).',
  ],
  [{ path: 'a', items: [{ count: [] }] }, 'items.0.count', '"items.0.count" must be a number, not an array.'],
  [
    { path: 'a', items: [{ count: 1 }, { count: 1 }, { count: 1 }] },
    'items',
    '"items" must be at most 2 items long, not 3.',
  ],
  [{ path: 'a', limit: 'x' }, 'limit', '"limit" must be null or an integer, not "x".'],
  [{ path: 'a', limit: 11 }, 'limit', '"limit" must be at most 10, not 11.'],
  [
    { path: 'a', color: 'red' },
    'color',
    '"color" is not a known parameter; known: path, start_line, unit, items, limit.',
  ],
])('names the field and the expected type: %j [O4]', (args, field, message) => {
  expect(validateArguments(args, schema)).toEqual([{ field, message }]);
});

it('recognizes type aliases', () => {
  const python = { type: 'object', properties: { count: { type: 'int' }, names: { type: 'list[str]' } } };
  expect(validateArguments({ count: 3, names: ['a'] }, python)).toEqual([]);
  expect(validateArguments({ count: 'three' }, python)).toEqual([
    { field: 'count', message: '"count" must be an integer, not "three".' },
  ]);
});

it('reports every problem at once', () => {
  expect(validateArguments({ start_line: 'x', unit: 5 }, schema).map((problem) => problem.field)).toEqual([
    'path',
    'start_line',
    'unit',
  ]);
});

it('does not check what the schema does not describe', () => {
  expect(validateArguments({ anything: { at: ['all'] } }, { type: 'object' })).toEqual([]);
});

it.each([
  [
    'lists of another kind',
    {
      anyOf: [
        { type: 'array', items: { type: 'string' } },
        { type: 'array', items: { type: 'integer' } },
      ],
    },
    [1, 2],
  ],
  [
    'objects with other fields',
    {
      oneOf: [
        { type: 'object', required: ['url'] },
        { type: 'object', required: ['path'] },
      ],
    },
    { path: 'a' },
  ],
  [
    'other limits',
    {
      anyOf: [
        { type: 'integer', maximum: 10 },
        { type: 'integer', minimum: 100 },
      ],
    },
    200,
  ],
])('accepts a value that fits only a later alternative of its type: %s [O4]', (_what, value, given) => {
  const either: ParameterSchema = { type: 'object', properties: { value } };
  expect(validateArguments({ value: given }, either)).toEqual([]);
});

it.each<[string, ParameterSchema, JsonObject[], [JsonObject, string][]]>([
  [
    'fields beside anyOf',
    {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, limit: { type: 'integer' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    },
    [{ id: 1 }, { name: 'a', limit: 3 }],
    [
      [{ limit: 3 }, '"id" is missing; it is required.'],
      [{ id: 'one' }, '"id" must be an integer, not "one".'],
    ],
  ],
  [
    'a limit and a list of values beside oneOf',
    { type: 'object', properties: { value: { type: 'integer', maximum: 9, oneOf: [{ enum: [1, 2, 20] }] } } },
    [{ value: 1 }],
    [
      [{ value: 20 }, '"value" must be at most 9, not 20.'],
      [{ value: 3 }, '"value" must be one of 1, 2, 20, not 3.'],
    ],
  ],
  [
    'an alternative without a type',
    { type: 'object', properties: { value: { anyOf: [{ type: 'string' }, { enum: [1, 2] }] } } },
    [{ value: 'a' }, { value: 2 }],
    [[{ value: 3 }, '"value" must be one of 1, 2, not 3.']],
  ],
  [
    'all parts of allOf',
    { type: 'object', allOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minimum: 5 } } }] },
    [{ a: 1, b: 5 }],
    [
      [{ b: 5 }, '"a" is missing; it is required.'],
      [{ a: 1, b: 4 }, '"b" must be at least 5, not 4.'],
    ],
  ],
  [
    'alternatives within alternatives',
    {
      type: 'object',
      properties: {
        value: { anyOf: [{ type: 'integer', minimum: 5, anyOf: [{ maximum: 7 }] }, { type: 'null' }] },
      },
    },
    [{ value: 6 }, { value: null }],
    [
      [{ value: 4 }, '"value" must be at least 5, not 4.'],
      [{ value: 8 }, '"value" must be at most 7, not 8.'],
    ],
  ],
])('checks %s [O4]', (_what, either, right, wrong) => {
  for (const args of right) expect(validateArguments(args, either)).toEqual([]);
  for (const [args, message] of wrong)
    expect(validateArguments(args, either).map((problem) => problem.message)).toEqual([message]);
});

it('reports what is wrong by the first alternative of the type if none fits [O4]', () => {
  const value = {
    anyOf: [{ type: 'string' }, { type: 'integer', maximum: 10 }, { type: 'integer', minimum: 100 }],
  };
  expect(validateArguments({ value: 50 }, { type: 'object', properties: { value } })).toEqual([
    { field: 'value', message: '"value" must be at most 10, not 50.' },
  ]);
});

it.each([
  ['{ "properties": { "a": true, "b": null } }', '{ "a": 1, "b": 2 }'],
  ['{ "properties": null, "required": true }', '{ "a": 1 }'],
  ['{ "properties": { "a": { "items": 5, "enum": "x" } } }', '{ "a": [1] }'],
])('allows any value where a schema has the wrong form: %s', (schema, args) => {
  expect(validateArguments(JSON.parse(args), JSON.parse(schema))).toEqual([]);
});
