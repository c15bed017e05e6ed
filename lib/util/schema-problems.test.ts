import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeFieldProblems, fieldProblems, IN_WORDS } from './schema-problems.ts';

function problems(schema: z.ZodType, value: unknown): string[] {
  const { issues = [] } = schema.safeParse(value, IN_WORDS).error ?? {};
  return describeFieldProblems(issues, 'body');
}

it.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is missing.'],
  [z.string(), 5, 'must be a string, not a number.'],
  [z.boolean(), 'yes', 'must be true or false, not a string.'],
  [z.number(), null, 'must be a number, not null.'],
  [z.number(), JSON.parse('1e999'), 'must be a number, not Infinity.'],
  [z.int(), 1.5, 'must be a whole number, not 1.5.'],
  [z.array(z.string()), 'a', 'must be a list, not a string.'],
  [z.array(z.string()).max(2), 'abc', 'must be a list, not a string.'],
  [z.record(z.string(), z.string()), [], 'must be an object, not a list.'],
  [z.int().min(1), 0, 'must be at least 1.'],
  [z.number().gt(0), 0, 'must be more than 0.'],
  [z.int().max(5000), 5001, 'must be at most 5,000.'],
  [z.string().min(1), '', 'must not be empty.'],
  [z.string().max(3), 'four', 'must have at most 3 characters.'],
  [z.string().length(1), 'ab', 'must have exactly 1 character.'],
  [z.array(z.string()).min(2), ['a'], 'must have at least 2 items.'],
  [z.string().regex(/a/), 'b', 'does not have the right form.'],
  [z.string().regex(/a/, 'It needs an a.'), 'b', 'It needs an a.'],
  [z.literal('a'), 'b', 'must be "a".'],
  [z.enum(['read', 'write']), 'writ', 'must be one of "read", "write". Did you mean "write"?'],
  [z.union([z.boolean(), z.enum(['low'])]), 'x', 'must be true, false or "low".'],
  [z.union([z.string(), z.array(z.string()).max(1)]), ['a', 'b'], 'must have at most 1 item.'],
  [
    z.union([z.strictObject({ id: z.int() }), z.strictObject({ role: z.string(), text: z.string() })]),
    { id: 'x' },
    'id: must be a number, not a string.',
  ],
])('describes a wrong value %#', (schema, value, reason) => {
  expect(problems(z.object({ field: schema }), { field: value })).toEqual([`field: ${reason}`]);
});

it('names the values of the field that tells options apart', () => {
  const kinds = z.discriminatedUnion('type', [
    z.object({ type: z.literal('command') }),
    z.object({ type: z.literal('rubric') }),
  ]);
  expect(problems(kinds, { type: 'comand' })).toEqual([
    'type: must be one of "command", "rubric". Did you mean "command"?',
  ]);
});

it('does not name a missing field as a value, if one of the options is the default', () => {
  const kinds = z.discriminatedUnion('type', [
    z.object({ type: z.literal('stdio').default('stdio') }),
    z.object({ type: z.literal('http') }),
  ]);
  expect(problems(kinds, { type: 'https' })).toEqual([
    'type: must be one of "stdio", "http". Did you mean "http"?',
  ]);
});

it('gives the reason of a wrong name in a record', () => {
  const names = z.record(
    z.string().refine((name) => name !== 'x', 'This name is taken.'),
    z.int(),
  );
  expect(problems(names, { x: 1 })).toEqual(['x: This name is taken.']);
});

it('reports each unknown field, with the nearest known one', () => {
  const { issues = [] } =
    z.strictObject({ name: z.string() }).safeParse({ name: 'a', nam: 1, b: 2 }, IN_WORDS).error ?? {};
  expect(fieldProblems(issues, () => ['name']).map(({ path }) => path)).toEqual([['nam'], ['b']]);
  expect(fieldProblems(issues, () => ['name'])[0]?.reason).toMatch(/Did you mean "name"\?$/);
});

it('names the whole value, unless a sentence is about it', () => {
  const schema = z.object({}).refine(() => false, 'Name at least one field.');
  expect(problems(schema, [])).toEqual(['body: must be an object, not a list.']);
  expect(problems(schema, {})).toEqual(['Name at least one field.']);
});

it('describes at most 20 problems, on one line each', () => {
  const value = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a\n${index}`, 1]));
  const found = problems(z.strictObject({}), value);
  expect(found).toHaveLength(21);
  expect(found[0]).toBe('a�0: unknown field.');
  expect(found.at(-1)).toBe('… and 10 more');
});

it('looks up the lines and the similar names of listed problems only', () => {
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`name${index}`, 1]));
  const { issues = [] } = z.strictObject({ title: z.string() }).safeParse(unknown, IN_WORDS).error ?? {};
  let lines = 0;
  let names = 0;
  const lineOf = () => {
    lines += 1;
    return lines;
  };
  const namesAt = () => {
    names += 1;
    return ['title'];
  };
  const described = describeFieldProblems(issues, 'file', { lineOf, namesAt });
  expect(described.at(-1)).toBe('… and 4981 more');
  expect({ lines, names }).toEqual({ lines: 20, names: 20 });
});
