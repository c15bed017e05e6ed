import { scaleLinear } from 'd3-scale';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatDuration } from '../words/format.ts';
import { durationScale } from './duration-scale.ts';
import { labeledTicks } from './labeled-ticks.ts';

const RANGE: [number, number] = [0, 1];
const inSeconds = (max: number, rounded = true) =>
  durationScale(max, { msPerUnit: 1000, range: RANGE, rounded });
const labels = (seconds: number, count: number) =>
  labeledTicks(inSeconds(seconds), count, (value) => formatDuration(value * 1000)).map(({ label }) => label);

it('divides long durations by half and whole minutes and hours', () => {
  expect(labels(200, 5).slice(1)).toEqual(['30 s', '1:00', '1:30', '2:00', '2:30', '3:00']);
  expect(labels(413, 5).slice(1)).toEqual(['1:00', '2:00', '3:00', '4:00', '5:00', '6:00', '7:00']);
  expect(labels(3300, 5).slice(1)).toEqual(['10:00', '20:00', '30:00', '40:00', '50:00']);
  expect(labels(9000, 5).slice(1)).toEqual(['30:00', '1:00:00', '1:30:00', '2:00:00', '2:30:00']);
});

it('divides short durations like a decimal scale', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 100, noNaN: true }),
      fc.integer({ min: 5, max: 10 }),
      (max, count) => {
        const plain = scaleLinear([0, max], RANGE);
        expect(inSeconds(max, false).ticks(count)).toEqual(
          plain.ticks(count).map((value) => expect.closeTo(value, 9)),
        );
        expect(inSeconds(max).domain()).toEqual(
          plain
            .nice()
            .domain()
            .map((value) => expect.closeTo(value, 9)),
        );
      },
    ),
  );
});

it('has ticks at whole parts of minutes and hours, about as many as asked for, in any unit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 2, max: 12 }),
      (seconds, count) => {
        const scale = inSeconds(seconds);
        const end = scale.domain()[1] ?? 0;
        expect(end).toBeGreaterThanOrEqual(seconds);
        const ticks = scale.ticks(count);
        expect(ticks[0]).toBe(0);
        expect(ticks.length).toBeGreaterThan(count / 2);
        expect(ticks.length).toBeLessThan(2 * count + 2);
        const step = ticks[1] ?? 0;
        expect(ticks).toEqual(ticks.map((_, index) => expect.closeTo(index * step, 6)));
        const larger = [60, 3600].filter((unit) => unit > step);
        for (const unit of larger) expect((unit / step) % 1).toBeCloseTo(0, 6);
        const ms = durationScale(seconds * 1000, { msPerUnit: 1, range: RANGE, rounded: true });
        expect(ms.ticks(count)).toEqual(ticks.map((value) => expect.closeTo(value * 1000, 3)));
      },
    ),
  );
});

it('has a length even if nothing took time', () => {
  expect(inSeconds(0).domain()).toEqual([0, 1]);
});
