import { expect, it } from 'vitest';
import { readRunFilter, writeRunFilter } from './run-filter.ts';

it('reads back what it wrote, and keeps other parameters', () => {
  const filter = {
    mode: 'task',
    model: 'qwen3:8b',
    reason: 'stall',
    outcome: 'stall',
    state: 'ended',
    text: 'a & b',
  } as const;
  const written = writeRunFilter(new URLSearchParams('q=words&mode=explore'), filter);
  expect(written.get('q')).toBe('words');
  expect(readRunFilter(written)).toEqual({ filter, problems: [] });
  expect(writeRunFilter(written, {}).toString()).toBe('q=words');
});

it('reports unknown values, and keeps the rest', () => {
  const { filter, problems } = readRunFilter(
    new URLSearchParams(`mode=tusk&state=ended&reason=bored&outcome=fine&text=${'x'.repeat(201)}`),
  );
  expect(filter).toEqual({ state: 'ended' });
  expect(problems).toEqual([
    'mode is "tusk"; it must be one of task, session, explore.',
    expect.stringContaining('reason is "bored"; it must be one of final_answer,'),
    expect.stringContaining('outcome is "fine"; it must be one of answered, answered_checks_failed,'),
    'text is longer than 200 characters.',
  ]);
});
