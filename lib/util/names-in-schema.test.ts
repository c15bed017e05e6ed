import { expect, it } from 'vitest';
import { z } from 'zod';
import { namesInSchema } from './names-in-schema.ts';

const limits = z.strictObject({ max_seconds: z.number(), max_tokens: z.number().optional() });
const schema = z
  .strictObject({
    name: z.string(),
    budget: limits.optional(),
    list: z.array(limits).default([]),
    by_name: z.record(z.string(), limits.nullable()),
    check: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('a'), path: z.string() }),
      z.strictObject({ type: z.literal('b'), text: z.string() }),
    ]),
  })
  .refine(() => true);

it('lists the fields of an object at any depth', () => {
  expect(namesInSchema(schema, [])).toEqual(['name', 'budget', 'list', 'by_name', 'check']);
  for (const path of [['budget'], ['list', 3], ['by_name', 'any']]) {
    expect(namesInSchema(schema, path)).toEqual(['max_seconds', 'max_tokens']);
  }
  expect(namesInSchema(schema, ['check'])).toEqual(['type', 'path', 'text']);
});

it('lists nothing where there are no fields', () => {
  for (const path of [['name'], ['list'], ['by_name'], ['other'], ['constructor'], ['name', 0]]) {
    expect(namesInSchema(schema, path)).toEqual([]);
  }
});
