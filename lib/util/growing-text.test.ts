import { expect, it } from 'vitest';
import { GrowingText } from './growing-text.ts';

it('is its pieces in order, and can be read while it grows', () => {
  const text = new GrowingText();
  expect(`${text}`).toBe('');
  for (let piece = 0; piece < 10_000; piece += 1) text.add(`${piece % 10}`);
  expect(text.length).toBe(10_000);
  expect(`${text}`).toBe('0123456789'.repeat(1000));
  text.add('');
  text.add('end');
  expect(`${text}`.slice(-6)).toBe('789end');
});
