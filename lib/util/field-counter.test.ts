import { expect, it } from 'vitest';
import { MAX_MESSAGE_PARTS, MAX_OBJECT_FIELDS, sizeProblem } from './field-counter.ts';

const problem = (value: unknown) => sizeProblem(Buffer.from(JSON.stringify(value)));
const tooMany = (value: unknown) => problem(value) === 'an object with more than 20,000 fields';
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));

it('counts the fields of each object by itself, at any depth', () => {
  expect(tooMany(fields(MAX_OBJECT_FIELDS))).toBe(false);
  expect(tooMany(fields(MAX_OBJECT_FIELDS + 1))).toBe(true);
  expect(tooMany({ a: [{ b: fields(MAX_OBJECT_FIELDS + 1) }] })).toBe(true);
  expect(tooMany(Array.from({ length: 30 }, () => fields(1000)))).toBe(false);
  expect(tooMany({ ...fields(MAX_OBJECT_FIELDS - 1), last: fields(MAX_OBJECT_FIELDS) })).toBe(false);
});

it('counts the objects and lists of a message, at any depth', () => {
  const parts = (count: number) => ({ a: Array.from({ length: count - 2 }, (_, at) => (at % 2 ? {} : [])) });
  expect(problem(parts(MAX_MESSAGE_PARTS))).toBeUndefined();
  expect(problem(parts(MAX_MESSAGE_PARTS + 1))).toBe('more than 300,000 objects and lists');
  expect(problem('[{'.repeat(MAX_MESSAGE_PARTS))).toBeUndefined();
});

it('counts nothing inside a string as a field', () => {
  const colons = ':'.repeat(MAX_OBJECT_FIELDS + 1);
  expect(tooMany({ [`{"a"${colons}`]: `{\\"${colons}\\\\`, text: `"${colons}\n` })).toBe(false);
});
