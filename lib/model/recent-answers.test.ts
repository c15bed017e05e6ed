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

it('knows the age of its answer', async () => {
  const { answers, ask, wait } = answersAt();
  expect(answers.ageMs('a')).toBeUndefined();
  await answers.get('a', ask);
  wait(7);
  expect(answers.ageMs('a')).toBe(7);
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

it('returns no answer that is older than the caller accepts', async () => {
  const { answers, ask, wait } = answersAt();
  await answers.get('a', ask);
  wait(20);
  expect(await answers.get('a', ask, { maxAgeMs: 21 })).toBe(1);
  expect(await answers.get('a', ask, { maxAgeMs: 20 })).toBe(2);
});

it('callers at the same time share a question, but not its failure', async () => {
  const { answers, ask } = answersAt();
  const { promise, resolve } = Promise.withResolvers<number>();
  const first = answers.get('a', () => promise);
  const second = answers.get('a', ask);
  resolve(7);
  expect(await Promise.all([first, second])).toEqual([7, 7]);
  expect(ask).not.toHaveBeenCalled();

  const failing = answers.get('b', () => Promise.reject(new Error('stopped')));
  const other = answers.get('b', ask);
  await expect(failing).rejects.toThrow('stopped');
  expect(await other).toBe(1);
});

it('a caller that is stopped does not wait for the question of another', async () => {
  const { answers } = answersAt();
  const stop = new AbortController();
  void answers.get('a', () => new Promise<never>(() => {}));
  const stopped = answers.get('a', async () => stop.signal.throwIfAborted() ?? 0, { signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
});

it('keeps the answer to the latest question, whichever comes first', async () => {
  const { answers, ask, wait } = answersAt();
  const { promise, resolve } = Promise.withResolvers<number>();
  const slow = answers.renew('a', () => promise);
  wait(1);
  expect(await answers.renew('a', ask)).toBe(1);
  resolve(0);
  expect(await slow).toBe(0);
  expect(await answers.get('a', ask)).toBe(1);
});
