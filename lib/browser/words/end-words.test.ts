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

it('blames the reply limit, and not the model, if the last reply of a silent run was cut off', () => {
  const silent = { kind: 'nudge_exhausted' } as const;
  expect(endAdvice(silent, 'task')).toContain('supports tools');
  expect(endAdvice(silent, 'task', { lastReplyCut: true })).toBe(
    'Raise the reply limit or the window, turn thinking off, or ask for less at once.',
  );
});
