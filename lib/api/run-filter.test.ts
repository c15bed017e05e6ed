import { expect, it } from 'vitest';
import { readRunFilter, writeRunFilter } from './run-filter.ts';

it('reads what it wrote, and leaves what is not its business', () => {
  const filter = { mode: 'task', model: 'qwen3:8b', reason: 'stall', state: 'ended', text: 'a & b' } as const;
  const written = writeRunFilter(new URLSearchParams('q=words&mode=explore'), filter);
  expect(written.get('q')).toBe('words');
  expect(readRunFilter(written)).toEqual({ filter, problems: [] });
  expect(writeRunFilter(written, {}).toString()).toBe('q=words');
});

it('says what it does not know, and keeps the rest', () => {
  const { filter, problems } = readRunFilter(
    new URLSearchParams(`mode=tusk&state=ended&reason=bored&text=${'x'.repeat(201)}`),
  );
  expect(filter).toEqual({ state: 'ended' });
  expect(problems).toEqual([
    'mode is "tusk"; it must be one of task, session, explore.',
    expect.stringContaining('reason is "bored"; it must be one of final_answer,'),
    'text is longer than 200 characters.',
  ]);
});
