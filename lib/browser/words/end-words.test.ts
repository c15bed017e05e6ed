import { expect, it } from 'vitest';
import { endAdvice } from './end-words.ts';

it('advises only what a run of its mode can do', () => {
  const full = { kind: 'context_full' } as const;
  expect(endAdvice(full, 'task')).toContain('split the task');
  for (const mode of ['session', 'explore'] as const) {
    expect(endAdvice(full, mode)).toBe(
      'Use a larger window, or hand over to a fresh context before it is full.',
    );
  }
  const spent = { kind: 'budget_exceeded' } as const;
  expect(endAdvice(spent, 'task')).toContain('continue from the files');
  expect(endAdvice(spent, 'session')).toContain('continue from the files');
  expect(endAdvice(spent, 'explore')).toBe('Raise the budget.');
});
