import { expect, it } from 'vitest';
import { tokensPerSecond } from './speed.ts';

it('returns no speed if a value is missing', () => {
  expect(tokensPerSecond(100, 2000)).toBe(50);
  expect(tokensPerSecond(undefined, 2000)).toBeUndefined();
  expect(tokensPerSecond(100, undefined)).toBeUndefined();
  expect(tokensPerSecond(100, 0)).toBeUndefined();
  // An imported log can claim it: the speed would be infinite.
  expect(tokensPerSecond(Number.MAX_SAFE_INTEGER, Number.MIN_VALUE)).toBeUndefined();
});

it('returns no speed for too few tokens', () => {
  expect(tokensPerSecond(1, 0.004)).toBeUndefined();
  expect(tokensPerSecond(9, 100)).toBeUndefined();
  expect(tokensPerSecond(10, 100)).toBe(100);
});
