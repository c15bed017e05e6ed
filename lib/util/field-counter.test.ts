import { expect, it } from 'vitest';
import { hasTooManyFields, MAX_OBJECT_FIELDS } from './field-counter.ts';

const tooMany = (value: unknown) => hasTooManyFields(Buffer.from(JSON.stringify(value)));
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));

it('counts the fields of each object by itself, at any depth', () => {
  expect(tooMany(fields(MAX_OBJECT_FIELDS))).toBe(false);
  expect(tooMany(fields(MAX_OBJECT_FIELDS + 1))).toBe(true);
  expect(tooMany({ a: [{ b: fields(MAX_OBJECT_FIELDS + 1) }] })).toBe(true);
  expect(tooMany(Array.from({ length: 30 }, () => fields(1000)))).toBe(false);
  expect(tooMany({ ...fields(MAX_OBJECT_FIELDS - 1), last: fields(MAX_OBJECT_FIELDS) })).toBe(false);
});

it('counts nothing inside a string as a field', () => {
  const colons = ':'.repeat(MAX_OBJECT_FIELDS + 1);
  expect(tooMany({ [`{"a"${colons}`]: `{\\"${colons}\\\\`, text: `"${colons}\n` })).toBe(false);
});
