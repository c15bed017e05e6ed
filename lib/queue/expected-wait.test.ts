import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectedWaitsMs, type Line, RecentStays } from './expected-wait.ts';

/** The entries ahead of one that waits. */
interface Ahead {
  inside: Line['inside'];
  ahead: Line['waiting'];
}

function expectedWaitMs({ inside, ahead }: Ahead, recent: RecentStays): number | undefined {
  return expectedWaitsMs({ inside, waiting: [...ahead, { kind: undefined }] }, recent).at(-1);
}

const KINDS = ['task small', 'task large'];
const times = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 3, maxLength: 10 });
const kind = fc.constantFrom<string | undefined>(...KINDS, 'task new', undefined);
const anyLine: fc.Arbitrary<Ahead> = fc.record({
  inside: fc.array(fc.record({ kind, forMs: fc.nat(1_000_000) }), { minLength: 1, maxLength: 3 }),
  ahead: fc.array(fc.record({ kind }), { maxLength: 6 }),
});
const history = fc.tuple(times, times);

function recentOf(stays: readonly (readonly number[])[], factor = 1): RecentStays {
  const recent = new RecentStays();
  for (const [index, known] of stays.entries()) {
    for (const ms of known) recent.add(KINDS[index] ?? '', ms * factor);
  }
  return recent;
}

it('an entry further back never has a shorter estimate', () => {
  fc.assert(
    fc.property(anyLine, history, kind, (line, stays, last) => {
      const recent = recentOf(stays);
      const before = expectedWaitMs(line, recent);
      const behind = expectedWaitMs({ ...line, ahead: [...line.ahead, { kind: last }] }, recent);
      if (behind === undefined) return;
      expect(before).toBeDefined();
      expect(behind).toBeGreaterThanOrEqual(before ?? Number.POSITIVE_INFINITY);
    }),
  );
});

it('an estimate is never negative and never exceeds the longest stay of everything ahead', () => {
  fc.assert(
    fc.property(anyLine, history, (line, stays) => {
      const ms = expectedWaitMs(line, recentOf(stays));
      if (ms === undefined) return;
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(Math.max(...stays.flat()) * (1 + line.ahead.length));
    }),
  );
});

it('the estimate doubles when all times double', () => {
  fc.assert(
    fc.property(anyLine, history, (line, stays) => {
      const ms = expectedWaitMs(line, recentOf(stays));
      const inside = line.inside.map((one) => ({ ...one, forMs: one.forMs * 2 }));
      const twice = expectedWaitMs({ ...line, inside }, recentOf(stays, 2));
      expect(twice).toBe(ms === undefined ? undefined : ms * 2);
    }),
  );
});

it('there is no estimate with fewer than three stays of a kind, or behind an endless run', () => {
  const atWork = (forMs: number, of: string | undefined = KINDS[0]) => [{ kind: of, forMs }];
  expect(expectedWaitMs({ inside: atWork(0), ahead: [] }, recentOf([[9, 9]]))).toBeUndefined();
  const known = recentOf([[50_000, 40_000, 10_000]]);
  expect(expectedWaitMs({ inside: atWork(0), ahead: [] }, known)).toBe(40_000);
  expect(expectedWaitMs({ inside: [{ kind: undefined, forMs: 0 }], ahead: [] }, known)).toBeUndefined();
  expect(expectedWaitMs({ inside: atWork(0), ahead: [{ kind: KINDS[1] }] }, known)).toBeUndefined();
  expect(expectedWaitMs({ inside: atWork(0), ahead: [{ kind: KINDS[0] }] }, known)).toBe(80_000);
});

it('the time left is the median of the longer stays; there is no estimate beyond the longest stay', () => {
  const known = recentOf([[50_000, 40_000, 10_000]]);
  const wait = (forMs: number) => expectedWaitMs({ inside: [{ kind: KINDS[0], forMs }], ahead: [] }, known);
  expect(wait(30_000)).toBe(15_000);
  expect(wait(45_000)).toBe(5000);
  expect(wait(50_000)).toBeUndefined();
});

it('takes the mean of the two middle stays of an even number', () => {
  const known = recentOf([[10_000, 90_000, 20_000, 40_000]]);
  const wait = (forMs: number) => expectedWaitMs({ inside: [{ kind: KINDS[0], forMs }], ahead: [] }, known);
  expect(wait(0)).toBe(30_000);
  expect(wait(20_000)).toBe(45_000);
});

it('uses the first slot to become free, and only the last ten stays', () => {
  const recent = recentOf([[...Array(20).fill(90_000), ...Array(10).fill(10_000)]]);
  const line = {
    inside: [
      { kind: KINDS[0], forMs: 4000 },
      { kind: undefined, forMs: 0 },
    ],
    ahead: [],
  };
  expect(expectedWaitMs(line, recent)).toBe(6000);
});

it('estimates all waits of a queue as it estimates each', () => {
  fc.assert(
    fc.property(anyLine, history, ({ inside, ahead }, stays) => {
      const recent = recentOf(stays);
      const each = ahead.map((_, index) => expectedWaitMs({ inside, ahead: ahead.slice(0, index) }, recent));
      expect(expectedWaitsMs({ inside, waiting: ahead }, recent)).toEqual(each);
    }),
  );
});
