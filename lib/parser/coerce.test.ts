import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { coerceArguments } from './coerce.ts';
import type { ParameterSchema } from './types.ts';

const schemaOf = (
  properties: { [name: string]: ParameterSchema },
  required: string[] = [],
): ParameterSchema => ({
  type: 'object',
  properties,
  required,
});
const coerced = (value: JsonValue, property: ParameterSchema, untyped = false) =>
  coerceArguments({ x: value }, schemaOf({ x: property }), { untyped }).arguments.x;
const unknown = (args: JsonObject, untyped = false) =>
  coerceArguments(args, undefined, { untyped }).arguments;

describe('converts text where the schema expects another type [P9, P10]', () => {
  it.each<[string, ParameterSchema, JsonValue]>([
    ['true', { type: 'boolean' }, true],
    ['False', { type: 'boolean' }, false],
    ['30', { type: 'integer' }, 30],
    ['-7', { type: 'integer' }, -7],
    ['2.5', { type: 'number' }, 2.5],
    ['1e3', { type: 'number' }, 1000],
    ['[1, "2"]', { type: 'array', items: { type: 'integer' } }, [1, 2]],
    ["{'a': True}", { type: 'object' }, { a: true }],
    ['null', { type: ['integer', 'null'] }, null],
    ['None', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, null],
    ['5', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 5],
    ['Celsius', { type: 'string', enum: ['celsius', 'fahrenheit'] }, 'celsius'],
    ['[{\\"id\\": 1, \\"path\\": \\"C:\\\\\\\\a\\"}]', { type: 'array' }, [{ id: 1, path: 'C:\\a' }]],
    ['4.0', { type: 'integer' }, 4],
    ['-3.', { type: 'integer' }, -3],
    ['4', { type: 'int' }, 4],
    ['42', { type: 'uint32' }, 42],
    ['4.5', { type: 'float' }, 4.5],
    ['1e3', { type: 'double' }, 1000],
    ['true', { type: 'bool' }, true],
    ['{"a": 1}', { type: 'dict' }, { a: 1 }],
    ['[1]', { type: 'list[int]' }, [1]],
    ['7', { type: 'INTEGER' }, 7],
    ['5', { anyOf: [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'boolean' }] }, 5],
    ['5', { allOf: [{ type: 'integer' }] }, 5],
    ['5', { type: 'integer', anyOf: [{ minimum: 1 }, { maximum: 9 }] }, 5],
  ])('%s', (text, property, value) => {
    expect(coerced(text, property)).toEqual(value);
  });
});

describe('leaves values that do not fit unchanged', () => {
  it.each<[JsonValue, ParameterSchema]>([
    ['30s', { type: 'integer' }],
    ['abc', { type: 'integer' }],
    ['2.5', { type: 'integer' }],
    ['4.01', { type: 'integer' }],
    ['5', { type: 'interval' }],
    ['5', { type: 'any' }],
    ['none', { type: ['string', 'null'] }],
    ['NULL', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['9007199254740993', { type: 'integer' }],
    ['1e999', { type: 'number' }],
    ['yes', { type: 'boolean' }],
    ['{"a": 1', { type: 'object' }],
    ['[1]', { type: 'object' }],
    ['[{\\"id\\": "1"}]', { type: 'array' }],
    ['kelvin', { type: 'string', enum: ['celsius'] }],
    [5, { type: 'string' }],
  ])('%j as %j', (value, property) => {
    expect(coerced(value, property)).toEqual(value);
  });
});

it('keeps text for a parameter that accepts text [K-4]', () => {
  for (const text of ['true', '42', '{"a": 1}', 'null', '[1]']) {
    expect(coerced(text, { type: 'string' })).toBe(text);
    expect(coerced(text, { type: 'str' }, true)).toBe(text);
  }
});

it('converts booleans and well-known integers for parameters missing from the schema [P9, P10]', () => {
  const args = {
    flag: 'true',
    start_line: '30',
    end_line: '30s',
    other: '5',
    timeout_ms: '100',
    max_results: 'abc',
  };
  expect(unknown(args)).toEqual({ ...args, flag: true, start_line: 30, timeout_ms: 100 });
});

it('reads literals from text-only formats where no schema decides', () => {
  const args = { a: '5', b: 'True', c: '[1, 2]', d: 'text', e: '"quoted"', f: '' };
  expect(unknown(args, true)).toEqual({ a: 5, b: true, c: [1, 2], d: 'text', e: '"quoted"', f: '' });
  expect(coerced('7', { type: 'array', items: { type: 'integer' } }, true)).toEqual([7]);
  expect(coerced('[NaN]', { type: 'array' }, true)).toBe('[NaN]');
  expect(coerced('7', { type: ['string', 'integer'] }, true)).toBe(7);
  expect(coerced('7', { type: ['string', 'integer'] })).toBe('7');
});

it('reads only the literals as null where text is allowed', () => {
  const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
  for (const untyped of [true, false]) {
    expect(coerced('null', nullable, untyped)).toBe(null);
    expect(coerced('None', nullable, untyped)).toBe(null);
    expect(coerced('none', nullable, untyped)).toBe('none');
    expect(coerced('Null', nullable, untyped)).toBe('Null');
    expect(coerced('none', { type: ['integer', 'null'] }, untyped)).toBe(null);
  }
});

it('converts nested values and records each change with its path', () => {
  const schema = schemaOf({
    items: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer' } } } },
  });
  expect(coerceArguments({ items: [{ count: '1' }, { count: 2, name: '3' }] }, schema)).toEqual({
    arguments: { items: [{ count: 1 }, { count: 2, name: '3' }] },
    coercions: [{ path: 'items.0.count', before: '1', after: 1 }],
  });
});

it('omits an optional parameter given as null', () => {
  const schema = schemaOf(
    { path: { type: 'string' }, line: { type: 'integer' }, note: { type: ['string', 'null'] } },
    ['path'],
  );
  expect(coerceArguments({ path: 'a', line: null, note: null }, schema)).toEqual({
    arguments: { path: 'a', note: null },
    coercions: [{ path: 'line', before: null, after: undefined }],
  });
  expect(coerceArguments({ path: null }, schema).arguments).toEqual({ path: null });
});
