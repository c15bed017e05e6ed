import { expect, it } from 'vitest';
import { figureWords, runsWithFigure } from './figure-words.ts';

const summary = { mean: 1100, median: 1000, low: 900, high: 1200, runs: 4 };
const figures = {
  tokens_in: summary,
  tokens_out: { ...summary, low: 1000, high: 1000 },
  tool_calls: summary,
};

it('writes the median of a figure with its quartiles, if these differ', () => {
  const cell = { figures, judged: 4, tokens_estimated: 0 };
  expect(figureWords(cell, 'tokens_in')).toBe('1k (900 to 1.2k)');
  expect(figureWords(cell, 'tokens_out')).toBe('1k');
  expect(figureWords(cell, 'cost_usd')).toBe('–');
});

it('marks tokens that include estimates, and no other figure [T8]', () => {
  const cell = { figures, judged: 4, tokens_estimated: 12 };
  expect(figureWords(cell, 'tokens_in')).toBe('≈1k (900 to 1.2k)');
  expect(figureWords(cell, 'tokens_out')).toBe('≈1k');
  expect(figureWords(cell, 'tool_calls')).toBe('1,000 (900 to 1,200)');
});

it('says how many runs have a figure if others of the cell do not', () => {
  const rate = { ...summary, low: 1000, high: 1000, runs: 3 };
  const cell = { figures: { ...figures, tokens_per_second: rate }, judged: 4, tokens_estimated: 0 };
  expect(figureWords(cell, 'tokens_per_second')).toBe('1,000, 3 of 4 runs');
  expect(runsWithFigure(cell, 'tokens_per_second')).toBe('3 of 4 runs');
  expect(runsWithFigure(cell, 'tokens_in')).toBeUndefined();
  expect(runsWithFigure(cell, 'cost_usd')).toBeUndefined();
});
