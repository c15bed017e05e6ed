import { afterEach, expect, it } from 'vitest';
import { PromptAnswers } from './prompt-answers.ts';

const answers = new PromptAnswers<string>(50);
afterEach(() => answers.close());

it('returns an answer within the limit, and asks again each time', async () => {
  let asked = 0;
  const question = async () => `answer ${++asked}`;
  expect(await answers.ask('a', question)).toEqual({ answer: 'answer 1' });
  expect(await answers.ask('a', question)).toEqual({ answer: 'answer 2' });
});

it('returns nothing after the time limit, and the late answer to the next caller', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const asked: string[] = [];
  const question = (name: string) => () => {
    asked.push(name);
    return promise;
  };
  expect(await answers.ask('a', question('first'))).toBeUndefined();
  expect(await answers.ask('a', question('second'))).toBeUndefined();
  const third = answers.ask('a', question('third'));
  resolve('late');
  expect(await third).toEqual({ answer: 'late' });
  expect(asked).toEqual(['first']);
});

it('passes on a failure, and asks again after a late one', async () => {
  const failure = new Error('no');
  await expect(answers.ask('a', () => Promise.reject(failure))).rejects.toBe(failure);
  const { promise, reject } = Promise.withResolvers<string>();
  expect(await answers.ask('a', () => promise)).toBeUndefined();
  reject(failure);
  await promise.catch(() => undefined);
  expect(await answers.ask('a', async () => 'again')).toEqual({ answer: 'again' });
});

it('ends open questions when it is closed', async () => {
  const closing = new PromptAnswers<string>(20);
  let signal: AbortSignal | undefined;
  await closing.ask('a', (closed) => {
    signal = closed;
    return new Promise<string>(() => {});
  });
  closing.close();
  expect(signal?.aborted).toBe(true);
});
