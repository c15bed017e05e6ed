import { expect, it } from 'vitest';
import { judgeAnswer } from '../policies/judge-answer.ts';
import type { JsonObject } from '../util/json.ts';
import { sampleOfSchema } from './sample-of-schema.ts';

it.each<JsonObject>([
  {},
  {
    type: 'object',
    properties: { a: { type: 'integer', minimum: 5 }, b: { enum: ['x', 'y'] } },
    required: ['a', 'c'],
  },
  { type: ['array', 'null'], items: { type: 'boolean' }, minItems: 3 },
  { anyOf: [{ type: 'null' }, { type: 'string' }] },
  { const: { a: [1] } },
  {
    properties: { deep: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } } },
  },
])('gives a value that fits %j', (schema) => {
  const answer = JSON.stringify(sampleOfSchema(schema));
  expect(judgeAnswer({ type: 'answer_schema', schema }, answer)).toMatchObject({ passed: true });
});

it('ends for a schema that is nested without end', () => {
  let schema: JsonObject = { type: 'string' };
  for (let depth = 0; depth < 1000; depth++) schema = { type: 'array', items: schema };
  expect(JSON.stringify(sampleOfSchema(schema)).length).toBeLessThan(100);
});
