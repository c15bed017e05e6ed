import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { endedLog, longLog } from '../../testing/sample-logs.ts';
import { exploreLog } from '../../testing/sample-modes.ts';
import { outlineIndex, outlineOf, outlineY } from './outline.ts';

const rowsOf = (log: { events: Parameters<typeof foldTimeline>[1] }) =>
  foldTimeline(emptyTimeline, log.events).rows;

it('needs no more lines for ten thousand rows than the strip has', () => {
  const rows = rowsOf(longLog(10_000));
  const { paths, labels } = outlineOf(rows, 600);
  const lines = Object.values(paths).join('').match(/M/g)?.length ?? 0;
  expect(lines).toBeLessThanOrEqual(600);
  expect(labels.length).toBeLessThan(30);
  expect(labels[0]?.text).toBe('1');
});

it('shows the most severe row of each line', () => {
  const rows = rowsOf(endedLog('error'));
  const { paths } = outlineOf(rows, 1);
  expect(paths.fail).not.toBe('');
  expect([paths.quiet, paths.ink, paths.brass, paths.warn].join('')).toBe('');
});

it('maps a row to its position and back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(499), (count, at) => {
      const index = at % count;
      expect(outlineIndex(outlineY(index, count, 1000) + 0.5, count, 1000)).toBe(index);
    }),
  );
  expect(outlineIndex(-5, 10, 100)).toBe(0);
  expect(outlineIndex(500, 10, 100)).toBe(9);
  expect(outlineIndex(5, 0, 100)).toBe(0);
});

it.each([
  ['an exploration', rowsOf(exploreLog(200))],
  ['a task', rowsOf(longLog(3000))],
])('numbers the parts of %s in one count', (_, rows) => {
  for (const height of [60, 400, 740, 5000]) {
    const numbers = outlineOf(rows, height).labels.map(({ text }) => Number(text));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers.length).toBeGreaterThan(1);
  }
});
