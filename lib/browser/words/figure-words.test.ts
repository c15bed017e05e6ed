import { expect, it } from 'vitest';
import { figureWords } from './figure-words.ts';

const summary = { mean: 1100, median: 1000, low: 900, high: 1200, runs: 4 };
const figures = {
  tokens_in: summary,
  tokens_out: { ...summary, low: 1000, high: 1000 },
  tool_calls: summary,
};

it('writes the median of a figure with its quartiles, if these differ', () => {
  const cell = { figures, tokens_estimated: 0 };
  expect(figureWords(cell, 'tokens_in')).toBe('1k (900 to 1.2k)');
  expect(figureWords(cell, 'tokens_out')).toBe('1k');
  expect(figureWords(cell, 'cost_usd')).toBe('–');
});

it('marks tokens that include estimates, and no other figure [T8]', () => {
  const cell = { figures, tokens_estimated: 12 };
  expect(figureWords(cell, 'tokens_in')).toBe('≈1k (900 to 1.2k)');
  expect(figureWords(cell, 'tokens_out')).toBe('≈1k');
  expect(figureWords(cell, 'tool_calls')).toBe('1,000 (900 to 1,200)');
});
