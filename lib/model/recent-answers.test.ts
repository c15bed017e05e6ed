import { expect, it, vi } from 'vitest';
import { RecentAnswers } from './recent-answers.ts';

function answersAt() {
  let now = 0;
  const answers = new RecentAnswers<number>(() => now);
  let given = 0;
  const ask = vi.fn(async () => {
    given += 1;
    return given;
  });
  return {
    answers,
    ask,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

it('repeats an answer for some seconds, each under its key', async () => {
  const { answers, ask, wait } = answersAt();
  expect(await answers.get('a', ask)).toBe(1);
  wait(4000);
  expect(await answers.get('a', ask)).toBe(1);
  expect(await answers.get('b', ask)).toBe(2);
  wait(1000);
  expect(await answers.get('a', ask)).toBe(3);
});

it('counts the age of an answer from the question', async () => {
  const { answers, ask, wait } = answersAt();
  await answers.get('a', async () => {
    wait(4900);
    return 0;
  });
  wait(100);
  expect(await answers.get('a', ask)).toBe(1);
});

it('asks again after forgetting, and does not keep an answer that was on its way', async () => {
  const { answers, ask } = answersAt();
  const { promise, resolve } = Promise.withResolvers<number>();
  const first = answers.get('a', () => promise);
  answers.forget();
  resolve(0);
  expect(await first).toBe(0);
  expect(await answers.get('a', ask)).toBe(1);
});

it('renews an answer on request', async () => {
  const { answers, ask } = answersAt();
  await answers.get('a', ask);
  expect(await answers.renew('a', ask)).toBe(2);
  expect(await answers.get('a', ask)).toBe(2);
});

it('does not keep a failure', async () => {
  const { answers, ask } = answersAt();
  await expect(answers.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await answers.get('a', ask)).toBe(1);
});
