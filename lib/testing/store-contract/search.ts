import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FoundFrom } from '../../api/search.ts';
import type { Store } from '../../store/store.ts';
import { appendTo } from '../append-to.ts';
import { config, ended, warned } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeSearch(subject: () => StoreUnderTest): void {
  describe('search over all runs', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    const say = async (id: string, ...texts: string[]) => {
      if (!(await store.summary(id)))
        await store.create({ id, config: { ...config, task: `Task of ${id}` } });
      const { epoch, lastSeq } = await store.claim(id, 'worker');
      await appendTo(store, id, { epoch, expectedSeq: lastSeq, events: texts.map(warned) });
    };
    const find = async (query: string) =>
      (await store.search(query, { limit: 50 })).runs.flatMap(({ hits }) =>
        hits.map((hit) => `${hit.run_id}:${hit.seq}`),
      );

    it('finds every event with all the words as soon as it is appended, the latest run first', async () => {
      await say('a', 'The fox went over the hill', 'nothing here');
      await say('b', 'A hill without animals', 'Over there: a fox on a HILL');
      expect(await find('fox hill')).toEqual(['b:3', 'a:2']);
      expect(await find('hil')).toEqual(['b:3', 'b:2', 'a:2']);
      expect(await find('ill')).toEqual([]);
      await say('a', 'again a fox, hills');
      expect(await find('fox hill')).toEqual(['a:4', 'a:2', 'b:3']);
      expect(await find('task')).toEqual(['b:1', 'a:1']);
      store = await subject().reopen();
      expect(await find('fox hill')).toEqual(['a:4', 'a:2', 'b:3']);
    });

    it('takes phrases, names with signs in them, and words without regard to accents', async () => {
      await say('a', 'we read_file("src/Main.ts") and read the file', 'Ein schönes Café');
      expect(await find('read_file')).toEqual(['a:2']);
      expect(await find('src/main.ts')).toEqual(['a:2']);
      expect(await find('"the file"')).toEqual(['a:2']);
      expect(await find('"file the"')).toEqual([]);
      expect(await find('cafe SCHON')).toEqual(['a:3']);
    });

    it('marks the words in a stretch of the text', async () => {
      await say('a', `${'before '.repeat(60)}the\nneedle in\u0000the haystack ${'after '.repeat(60)}`);
      const [hit] = (await store.search('NEED hay', { limit: 5 })).runs.flatMap(({ hits }) => hits);
      expect(hit).toMatchObject({ run_id: 'a', seq: 2, type: 'policy.warned', at: expect.any(Number) });
      expect(hit?.ranges.map(([from, to]) => hit.text.slice(from, to))).toEqual(['needle', 'haystack']);
      expect(hit?.text).toContain('the needle in the haystack');
      expect(hit?.text.length).toBeLessThan(260);
    });

    it('a common word in one run leaves room for the others, and says how often it stands there', async () => {
      await say('rare', 'a common word');
      await say('often', ...Array.from({ length: 250 }, (_, index) => `common ${index}`));
      const { runs, next } = await store.search('common', { limit: 20 });
      expect(runs.map((run) => [run.run_id, run.places, run.hits.map(({ seq }) => seq)])).toEqual([
        ['often', 250, [251, 250, 249]],
        ['rare', 1, [2]],
      ]);
      expect(runs[0]).not.toHaveProperty('at_least');
      expect(next).toBeUndefined();
    });

    it('ranks a run that is about the words before one that mentions them, and its task first', async () => {
      await say('a', 'nothing', 'mentions the task of a');
      await say('b', 'mentions the task of a, later');
      expect(await find('"task of a"')).toEqual(['a:1', 'a:3', 'b:2']);
    });

    it('brings one page after the other, each run once, whatever is written meanwhile', async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await say(id, 'common', 'rare', 'common');
      const seen: string[] = [];
      for (let from: FoundFrom | undefined; ; ) {
        const page = await store.search('common', { limit: 2, from });
        seen.push(...page.runs.map((run) => `${run.run_id}:${run.places}`));
        from = page.next;
        if (from === undefined) break;
        await say('a', 'common');
      }
      expect(seen).toEqual(['e:2', 'd:2', 'c:2', 'b:2', 'a:2']);
    });

    it('finds the beginning and the end of a long text, and answers within its bounds', async () => {
      await say('a', `first ${'x '.repeat(500_000)} last`);
      expect(await find('first')).toEqual(['a:2']);
      expect(await find('last')).toEqual(['a:2']);
    });

    it('finds nothing of a run that was deleted', async () => {
      await say('a', 'a secret fox');
      await say('b', 'a fox');
      expect(await find('fox')).toEqual(['b:2', 'a:2']);
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', { epoch, expectedSeq: 2, events: [ended] });
      await store.deleteRun('a');
      expect(await find('fox')).toEqual(['b:2']);
      expect(await find('secret')).toEqual([]);
    });

    it('takes in the logs of other runs beside one that was deleted before it was taken in, and that one if it is restored', async () => {
      await say('a', 'a secret fox');
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', { epoch, expectedSeq: 2, events: [ended] });
      await store.hideRuns(['a'], 1000);
      await say('b', 'a fox');
      expect(await find('fox')).toContain('b:2');
      expect((await store.search('fox', { limit: 50 })).behind).toBe(0);
      await store.restoreRuns(['a']);
      expect(await find('fox')).toEqual(expect.arrayContaining(['a:2', 'b:2']));
    });

    it('takes any text as a query', async () => {
      await say('a', 'some words');
      for (const query of [
        '',
        ' ',
        '"',
        '*',
        'NOT',
        'a AND',
        '(',
        ')',
        'text:',
        '-',
        '^a',
        '{a b}',
        '\u0000',
      ]) {
        expect(Array.isArray(await find(query))).toBe(true);
      }
      expect(await find('*')).toEqual([]);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (query) => {
          const { runs } = await store.search(query, { limit: 3 });
          for (const { text, ranges } of runs.flatMap(({ hits }) => hits)) {
            for (const [from, to] of ranges) expect(from >= 0 && from < to && to <= text.length).toBe(true);
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}
