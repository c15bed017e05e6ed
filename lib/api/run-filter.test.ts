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
    tags: ['x', 'y z'],
    folder: '/home/me/a b',
    since: new Date(2026, 10, 21).getTime(),
    until: 1_795_263_559_947,
    archived: 'all',
    pinned: false,
    family: 'exp-1',
  } as const;
  const written = writeRunFilter(new URLSearchParams('q=words&mode=explore'), filter);
  expect(written.get('q')).toBe('words');
  expect(readRunFilter(written)).toEqual({ filter, problems: [] });
  expect(written.get('since')).toBe('2026-11-21');
  expect(writeRunFilter(written, filter, { exact: true }).get('since')).toBe(String(filter.since));
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

it('includes the last day of a period, and rejects invalid days', () => {
  const { filter, problems } = readRunFilter(new URLSearchParams('until=2026-03-29&since=2026-02-30'));
  expect(filter).toEqual({ until: new Date(2026, 2, 30).getTime() });
  expect(problems).toEqual([expect.stringContaining('since is "2026-02-30"')]);
  expect(writeRunFilter(new URLSearchParams(), filter).get('until')).toBe('2026-03-29');
});
