import { expect, it } from 'vitest';
import { shortMiddle } from './short-text.ts';

it('keeps the start and the end of a long path', () => {
  expect(shortMiddle('deep/.envrc', 11)).toBe('deep/.envrc');
  expect(shortMiddle(`${'folder/'.repeat(20)}.envrc`, 15)).toBe('folder/…/.envrc');
});

it('never splits a surrogate pair', () => {
  for (let shift = 0; shift < 4; shift += 1) {
    const short = shortMiddle('x'.repeat(shift) + '🙂'.repeat(100), 40);
    expect(short.isWellFormed()).toBe(true);
    expect(short.length).toBeGreaterThan(37);
    expect(short.length).toBeLessThanOrEqual(40);
  }
});
