import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FoundFrom } from '../api/search.ts';
import { type FoundEvent, pageOfRuns } from './search-groups.ts';

/** Newest first, as a store finds them. */
const found = (...places: [run_id: string, seq: number][]): FoundEvent[] =>
  places.map(([run_id, seq], index) => ({ id: places.length - index, run_id, seq }));

it('shows the best few of each run, the task before the latest', () => {
  const { runs, next } = pageOfRuns(found(['a', 9], ['a', 8], ['b', 4], ['a', 7], ['a', 3], ['a', 1]), {
    limit: 10,
  });
  expect(next).toBeUndefined();
  expect(runs.map(({ runId, places, shown }) => [runId, places, shown.map(({ seq }) => seq)])).toEqual([
    ['a', 5, [1, 9, 8]],
    ['b', 1, [4]],
  ]);
});

it('ranks what a run is about before what it mentions, then the latest', () => {
  const { runs } = pageOfRuns(found(['late', 5], ['about', 1], ['early', 7], ['also', 1]), { limit: 10 });
  expect(runs.map(({ runId }) => runId)).toEqual(['about', 'also', 'late', 'early']);
});

it('says where only the latest places were looked through, and goes on before them', () => {
  const places = found(['a', 9], ['a', 8], ['a', 7], ['b', 6]);
  const first = pageOfRuns(places, { limit: 5, stretch: 3 });
  expect(first.runs).toMatchObject([{ runId: 'a', places: 3, atLeast: true }]);
  expect(first.next).toEqual({ before: 2, skip: 0 });
});

it('paging returns every run of a range once, in one order, and counts every match', () => {
  const run = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(run, fc.integer({ min: 1, max: 9 })), { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 70 }),
      (pairs, limit, stretch) => {
        const all = found(...pairs);
        let places = 0;
        let pages = 0;
        const seen: string[] = [];
        for (let from: FoundFrom | undefined; ; ) {
          const before = from?.before ?? Number.MAX_SAFE_INTEGER;
          const rows = all.filter(({ id }) => id < before).slice(0, stretch + 1);
          const page = pageOfRuns(rows, { limit, from, stretch });
          places += page.runs.reduce((sum, each) => sum + each.places, 0);
          if (stretch >= all.length) seen.push(...page.runs.map(({ runId }) => runId));
          from = page.next;
          pages += 1;
          if (from === undefined) break;
        }
        expect(places).toBe(all.length);
        expect(new Set(seen).size).toBe(seen.length);
        expect(pages).toBeLessThanOrEqual(all.length + 1);
      },
    ),
  );
});
