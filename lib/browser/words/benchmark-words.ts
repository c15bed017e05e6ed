import type { BenchmarkCell, BenchmarkStatus } from '#lib/api/benchmark.ts';
import { CATEGORIES } from '#lib/api/benchmark-categories.ts';
import type { ResultFilter } from '#lib/api/benchmark-filter.ts';
import { formatCount, formatPercent } from './format.ts';
import { exactPointsWords } from './pair-words.ts';
import { intervalWords } from './rate-words.ts';

export const BENCHMARK_STATUS: Readonly<Record<BenchmarkStatus, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  stopped: 'Stopped',
  finished: 'Finished',
};

export const FILTER_WORDS: Readonly<Record<ResultFilter, string>> = {
  all: 'All cases',
  gained: 'Right only with Loupe',
  lost: 'Right only natively',
  wrong: 'Wrong with Loupe',
  failed: 'No reply',
};

/** The name of a row: its category, or all of a model's. */
export function cellName({ category }: BenchmarkCell): string {
  return category === undefined ? 'All categories' : CATEGORIES[category].label;
}

/** The judged cases of a row, and of how many if others had no reply: `20`, `12 of 20`. */
export function casesWords({ judged, failed }: Pick<BenchmarkCell, 'judged' | 'failed'>): string {
  return failed > 0 ? `${formatCount(judged)} of ${formatCount(judged + failed)}` : formatCount(judged);
}

/** A share with its interval: `62% (51% to 72%)`. */
export function rateWords(rate: BenchmarkCell['read']): string {
  return rate ? `${formatPercent(rate.share)} (${intervalWords(rate)})` : '–';
}

/** The gain from parsing calls in the text, in percentage points: `+12.4 (+4 to +20)`. */
export function gainWords(gain: BenchmarkCell['gain']): string {
  if (!gain) return '–';
  const [difference, low, high] = [gain.difference, gain.low, gain.high].map(exactPointsWords);
  return `${difference} (${low} to ${high})`;
}

/** A probability, never shown as 0. */
export function pWords(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
