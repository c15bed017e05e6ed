import { scaleLinear } from 'd3-scale';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FIGURE_WORDS } from '../words/figure-words.ts';
import { formatBytes, formatPercent } from '../words/format.ts';
import { durationScale, durationLabel as durations } from './duration-scale.ts';
import { labeledTicks, spacedTicks } from './labeled-ticks.ts';

const labels = (max: number, count: number, format: (value: number) => string) =>
  labeledTicks(scaleLinear([0, max], [0, 1]).nice(), count, format).map(({ label }) => label);

const MAX = fc.oneof(fc.double({ min: 1e-7, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 100_000 }));
const COUNT = fc.integer({ min: 0, max: 20 });
const FORMATS = [
  ...Object.values(FIGURE_WORDS).map(({ format }) => format),
  ...[durations, formatBytes, formatPercent],
];

/** The number of seconds in a duration; one below a millisecond is a tenth of it. */
function secondsOf(duration: string): number {
  if (duration === '< 1 ms') return 0.0001;
  if (duration.endsWith(' ms')) return Number.parseFloat(duration) / 1000;
  return duration.split(':').reduce((sum, part) => sum * 60 + Number.parseFloat(part), 0);
}

it('has fewer ticks where a format rounds two of them to the same label', () => {
  expect(labels(2.3, 8, durations)).toEqual(['0', '1 ms', '2 ms']);
  expect(labels(2.3, 5, String)).toEqual(['0', '0.5', '1', '1.5', '2']);
  expect(labels(6, 5, durations)).toEqual(['0', '1 ms', '2 ms', '3 ms', '4 ms', '5 ms', '6 ms']);
  expect(labels(0.4, 8, durations)).toEqual(['0', '< 1 ms']);
});

it('leaves out ticks without a label', () => {
  const whole = (value: number) => (Number.isInteger(value) ? String(value) : '');
  expect(labels(2, 5, whole)).toEqual(['0', '1', '2']);
  expect(labels(1, 5, whole)).toEqual(['0', '1']);
});

it('labels ascending values, and no two of them alike', () => {
  fc.assert(
    fc.property(MAX, COUNT, fc.constantFrom(...FORMATS), (max, count, format) => {
      const ticks = labeledTicks(scaleLinear([0, max], [0, 1]).nice(), count, format);
      const values = ticks.map(({ value }) => value);
      expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
      expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length);
      expect(ticks.map(({ value }) => format(value))).toEqual(ticks.map(({ label }) => label));
      expect(ticks[0]?.value).toBe(0);
    }),
  );
});

it('labels that are numbers or durations ascend', () => {
  const ascends = (read: number[]) =>
    read.every((value, index) => index === 0 || value > (read[index - 1] ?? 0));
  fc.assert(
    fc.property(MAX, COUNT, fc.integer({ min: 0, max: 4 }), (max, count, digits) => {
      expect(ascends(labels(max, count, (value) => value.toFixed(digits)).map(Number))).toBe(true);
      expect(ascends(labels(max, count, durations).map(secondsOf))).toBe(true);
    }),
  );
});

it('leaves a gap between the labels of a narrow axis', () => {
  const labelsOf = (seconds: number, width: number) =>
    spacedTicks(
      durationScale(seconds, { msPerUnit: 1000, range: [46, width - 40], rounded: true }),
      Math.floor(width / 80),
      (value) => durations(value * 1000),
    ).map(({ label }) => label);
  expect(labelsOf(0.265, 592)).toEqual(['0', '50 ms', '100 ms', '150 ms', '200 ms', '250 ms']);
  expect(labelsOf(0.265, 336)).toEqual(['0', '100 ms', '200 ms']);
  fc.assert(
    fc.property(
      MAX,
      fc.integer({ min: 120, max: 900 }),
      fc.constantFrom(...FORMATS),
      (max, width, format) => {
        const scale = scaleLinear([0, max], [46, width - 20]).nice();
        const ticks = spacedTicks(scale, Math.floor(width / 80), format);
        expect(ticks.length).toBeGreaterThan(0);
        for (const [index, { value, label }] of ticks.entries()) {
          const next = ticks[index + 1];
          if (!next || ticks.length === 2) continue;
          const half = (label.length + next.label.length) * 3;
          expect(scale(next.value) - scale(value)).toBeGreaterThanOrEqual(half + 10);
        }
      },
    ),
  );
});
