import { expect, it } from 'vitest';
import { readAnswerSchema, SAMPLE_SCHEMA } from './answer-schema.ts';

it('reads the schema of the answer, or reports what is wrong with it', () => {
  expect(readAnswerSchema(' \n')).toEqual({ ok: true, schema: undefined });
  expect(readAnswerSchema(SAMPLE_SCHEMA)).toMatchObject({ ok: true, schema: { required: ['answer'] } });
  const problem = (text: string) => {
    const read = readAnswerSchema(text);
    return read.ok ? undefined : read.problem;
  };
  expect(problem('{"type": ')).toMatch(/^This is not JSON: /);
  expect(problem('["type"]')).toMatch(/must be a JSON object/);
  expect(problem(JSON.stringify({ description: 'x'.repeat(20_000) }))).toMatch(/at most 20,000 characters/);
  expect(problem('{"type": "text"}')).toBe('schema/type: "text" is not a type of JSON schema.');
});
