import { expect, it } from 'vitest';
import { forkQuery } from './fork-query.ts';

it('writes a place as the API takes it', () => {
  expect(forkQuery({ before_iteration: 2, attempt: 1 })).toBe('before_iteration=2&attempt=1');
  expect(forkQuery({ before_call: 'a b' })).toBe('before_call=a+b');
  expect(forkQuery({ end: true })).toBe('end=1');
});
