import { expect, it } from 'vitest';
import { judgeInThread } from './judge-in-thread.ts';

const { signal } = new AbortController();

it('judges in a thread as in the caller', async () => {
  const check = { type: 'answer_matches', pattern: '^4\\d$' } as const;
  expect(await judgeInThread({ check, answer: '42' }, { signal })).toEqual({
    passed: true,
    output: 'It matches "42".',
  });
});

it('ends a pattern that would take years', async () => {
  const check = { type: 'answer_matches', pattern: '^(a+)+$' } as const;
  const judged = await judgeInThread({ check, answer: `${'a'.repeat(60)}!` }, { signal, maxMs: 50 });
  expect(judged).toEqual({
    passed: false,
    output: 'It takes more than 0.05 s on this answer. Use a simpler pattern or schema.',
  });
});

it('ends a schema whose references multiply', async () => {
  const twice = (name: string) => ({ allOf: [{ $ref: name }, { $ref: name }] });
  const names = Array.from({ length: 60 }, (_, at) => `d${at}`);
  const $defs = Object.fromEntries(
    names.map((name, at) => [name, at === 59 ? { type: 'number' } : twice(`#/$defs/d${at + 1}`)]),
  );
  const check = { type: 'answer_schema' as const, schema: { $ref: '#/$defs/d0', $defs } };
  const judged = await judgeInThread({ check, answer: '1' }, { signal, maxMs: 50 });
  expect(judged.passed).toBe(false);
  expect(judged.output).toMatch(/takes more than/);
});

it('fails a schema that refers to itself without end', async () => {
  const check = { type: 'answer_schema' as const, schema: { $ref: '#' } };
  const judged = await judgeInThread({ check, answer: '1' }, { signal });
  expect(judged).toMatchObject({ passed: false });
  expect(judged.output).toMatch(/cannot be judged: Maximum call stack/);
});

it('stops with the run', async () => {
  const stop = new AbortController();
  const check = { type: 'answer_matches', pattern: '^(a+)+$' } as const;
  const judged = judgeInThread(
    { check, answer: `${'a'.repeat(60)}!` },
    { signal: stop.signal, maxMs: 60_000 },
  );
  stop.abort();
  expect(await judged).toEqual({ passed: false, output: 'The run was stopped.' });
});
