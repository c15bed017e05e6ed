import { expect, it } from 'vitest';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { goOnWords, modeBesideTitle, modeWords, runTitle, waitingWords } from './mode-words.ts';

it('calls the mode Explore, and an untitled run of it an exploration', () => {
  const untitled = sampleConfig({ mode: 'explore', task: '' });
  expect([modeWords(untitled), runTitle(untitled)]).toEqual(['Explore', 'Exploration']);
  const titled = { ...untitled, title: 'Tides\nand moons' };
  expect(runTitle(titled)).toBe('Tides');
});

it('names the mode beside a title that does not say it', () => {
  const run = { mode: 'explore', agentic: true } as const;
  expect(modeBesideTitle(run, 'Exploration')).toBeUndefined();
  expect(modeBesideTitle(run, 'Tides')).toBe('Explore');
  expect(modeBesideTitle({ mode: 'task', agentic: false }, 'What is it?')).toBe('Quick prompt');
});

it('says what waits for a message: a session or an exploration', () => {
  expect(waitingWords('session')).toEqual({ waits: 'The session waits for you.', end: 'End session' });
  expect(waitingWords('explore')).toEqual({
    waits: 'The exploration waits for you.',
    end: 'End exploration',
  });
});

it('offers to follow up on a task that is done, and a hint to one that is not', () => {
  expect(goOnWords('task', { kind: 'answered' }).button).toBe('Follow up');
  expect(goOnWords('task', { kind: 'answered_checks_failed' }).button).toBe('Continue with a hint');
  expect(goOnWords('task', { kind: 'repetition' }).button).toBe('Continue with a hint');
  expect(goOnWords('session', { kind: 'answered' }).button).toBe('Continue with a message');
});
