import { expect, it } from 'vitest';
import { createRunRequest } from './create-run.ts';

const problems = (changes: object) =>
  createRunRequest
    .safeParse({ model: 'play', task: 'Do it', ...changes })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

it('names a mode that does not exist, beside all other problems', () => {
  const found = problems({ mode: 'foo', model: '' });
  expect(found).toEqual([expect.stringMatching(/^mode: /), 'model: Choose a model.']);
});

it('misses the task only in modes that need one', () => {
  expect(problems({ task: '' })).toEqual(['task: Say what the agent should do.']);
  expect(problems({ mode: 'session', task: '' })).toEqual([]);
});

it.each(['5m', '1h30m', '-1', -1, 0, 300, '2.5s'])(
  'takes %j as the time to keep a model loaded',
  (keep_alive) => {
    expect(problems({ keep_alive })).toEqual([]);
  },
);

it.each(['forever', '5 minutes', '', '5x'])('refuses %j as the time to keep a model loaded', (keep_alive) => {
  expect(problems({ keep_alive })).toEqual([
    expect.stringMatching(/^keep_alive: Enter a duration such as 30m/),
  ]);
});
