import { expect, it } from 'vitest';
import {
  formatBothTokens,
  formatBytes,
  formatClock,
  formatDuration,
  formatEstimate,
  formatOffset,
  formatPercent,
  formatRate,
  formatShortCount,
  formatWhen,
  plural,
  runsOf,
} from './format.ts';

it.each([
  [0, '< 1 ms'],
  [7, '7 ms'],
  [999, '999 ms'],
  [999.7, '1.0 s'],
  [1000, '1.0 s'],
  [9940, '9.9 s'],
  [9960, '10 s'],
  [59_400, '59 s'],
  [59_600, '1:00'],
  [411_000, '6:51'],
  [3_729_000, '1:02:09'],
  [-5, '< 1 ms'],
])('writes a duration of %d ms as %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

it('marks both counts of tokens if they include estimates [T8]', () => {
  const used = { tokens_in: 4000, tokens_out: 300 };
  expect(formatBothTokens({ ...used, tokens_estimated: 0 }, formatShortCount)).toEqual(['4k', '300']);
  expect(formatBothTokens({ ...used, tokens_estimated: 120 })).toEqual(['≈4,000', '≈300']);
});

it('counts up without switching units at first', () => {
  expect([0, 40, 4210, 41_200].map(formatOffset)).toEqual(['0.0 s', '0.0 s', '4.2 s', '41 s']);
});

it('never shows a clock below zero', () => {
  expect([-900, 0, 7400, 60_000].map(formatClock)).toEqual(['0:00', '0:00', '0:07', '1:00']);
});

it('writes sizes in decimal units, as Ollama does', () => {
  expect([143, 4_000_000, 7_900_000_000, 250_000_000, 999_600].map(formatBytes)).toEqual([
    '143 B',
    '4.0 MB',
    '7.9 GB',
    '250 MB',
    '1.0 MB',
  ]);
});

it('never rounds a share to 100% or 0% unless it is exact', () => {
  expect([0, 0.004, 0.61, 0.999, 1, 1.2].map(formatPercent)).toEqual([
    '0%',
    '< 1%',
    '61%',
    '99%',
    '100%',
    '120%',
  ]);
});

it('shortens counts', () => {
  expect([950, 12_340, 999_949, 999_960, 1_200_000].map(formatShortCount)).toEqual([
    '950',
    '12.3k',
    '999.9k',
    '1M',
    '1.2M',
  ]);
  expect([plural(1, 'call'), plural(2, 'entry', 'entries')]).toEqual(['1 call', '2 entries']);
});

it('shows recent times more precisely', () => {
  const now = new Date(2026, 10, 20, 14, 5).getTime();
  const before = (ms: number) => formatWhen(now - ms, now);
  expect(before(3000)).toBe('just now');
  expect(before(240_000)).toBe('4 min ago');
  expect(before(2 * 3_600_000)).toBe('12:05');
  expect(before(26 * 3_600_000)).toBe('Thu 12:05');
  expect(before(20 * 86_400_000)).toBe('31 Oct');
  expect(before(400 * 86_400_000)).toContain('2025');
});

it('writes low speeds with decimals, and 0 only if there is none', () => {
  expect([0, 0.24, 8.24, 9.94, 9.96, 41.4, 1204].map(formatRate)).toEqual([
    ...['0', '0.2', '8.2', '9.9', '10', '41', '1,204'],
  ]);
  expect([0.0049, 0.01, 0.04, 0.094, 0.096].map(formatRate)).toEqual([
    ...['< 0.01', '0.01', '0.04', '0.09', '0.1'],
  ]);
});

it.each([
  [0, '~5 s'],
  [7400, '~5 s'],
  [41_200, '~40 s'],
  [57_600, '~1 min'],
  [170_000, '~3 min'],
  [3_590_000, '~1 h'],
  [7_300_000, '~2 h'],
])('an estimate of %j ms is said as %s, no finer', (ms, words) => {
  expect(formatEstimate(ms)).toBe(words);
});

it('counts runs of a total', () => {
  expect(runsOf(1, 1)).toBe('1 of 1 run');
  expect(runsOf(4, 1200)).toBe('4 of 1,200 runs');
});
