import { beforeEach, describe, expect, it } from 'vitest';
import { passesFilter, type RunFilter } from '../../api/run-filter.ts';
import {
  compareRuns,
  type ListPosition,
  NEWEST_FIRST,
  RUN_SORTS,
  type RunOrder,
  sortValue,
} from '../../api/run-order.ts';
import { familyOf, type RunSummary } from '../../api/run-summary.ts';
import type { RunConfig } from '../../events/config.ts';
import { MAX_TAGS } from '../../events/limits.ts';
import type { NewEvent } from '../../events/registry.ts';
import type { ListPage } from '../../store/list-page.ts';
import type { Store } from '../../store/store.ts';
import { keysOf } from '../../util/records.ts';
import { appendTo } from '../append-to.ts';
import { completedLog, runningLog, sampleFile } from '../sample-logs.ts';
import { config, ended, share } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeAnnotations(subject: () => StoreUnderTest): void {
  describe('what people note about runs', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    const create = async (id: string, change: Partial<RunConfig> = {}, folder?: string) => {
      await store.create({ id, config: { ...config, ...change }, folder });
    };
    const end = async (id: string, tokens_in = 1) => {
      const { epoch } = await store.claim(id, 'worker');
      const result = { ...ended.result, tokens_in };
      const started: NewEvent = { type: 'run.started', worker: 'worker', epoch };
      const events: NewEvent[] = [started, { ...ended, result, outcome: { kind: 'answered' } }];
      await appendTo(store, id, { epoch, expectedSeq: 1, events });
    };
    const pages = async (page: Omit<ListPage, 'limit' | 'after'>) => {
      const seen: RunSummary[] = [];
      for (let after: ListPosition | undefined; ; ) {
        const found = await store.list({ ...page, limit: 2, after });
        seen.push(...found);
        const last = found.at(-1);
        if (!last) return seen;
        after = { value: sortValue(last, (page.order ?? NEWEST_FIRST).by), id: last.id };
      }
    };

    it('is kept beside the log, also through appends, a restart and a fork', async () => {
      await create('a');
      const full = { title: 'Mine', tags: ['b', 'a', 'b'], note: 'Good\nindeed', score: 7, pinned: true };
      await store.annotate(['a'], full);
      await end('a');
      await store.fork({ id: 'b', config, parent: { run_id: 'a', seq: 1 }, events: [] });
      const reopened = await subject().reopen();
      const annotations = { ...full, tags: ['a', 'b'] };
      expect(await reopened.summary('a')).toMatchObject({ title: 'Mine', phase: 'ended', annotations });
      expect(await reopened.extras('a')).toEqual({ annotations });
      expect(await reopened.extras('b')).toEqual({ family: 'a' });
      expect(await reopened.extras('none')).toBeUndefined();
      expect(JSON.stringify(await reopened.read('a', { afterSeq: 0, limit: 9 }))).not.toContain('Mine');

      await reopened.annotate(['a'], { title: null, tags: [], note: null, score: null, pinned: false });
      expect(await reopened.extras('a')).toEqual({});
    });

    it('keeps all changes that are made at the same time', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
      for (const id of ids) await create(id);
      const changes = [{ pinned: true }, { note: 'Good' }, { title: 'Mine' }, { tags: ['a'] }];
      await Promise.all(ids.flatMap((id) => changes.map((change) => store.annotate([id], change))));
      for (const id of ids) {
        const annotations = { pinned: true, note: 'Good', title: 'Mine', tags: ['a'] };
        expect(await store.extras(id)).toEqual({ annotations });
      }
    });

    it('changes all of the runs or none, and allows a limited number of tags', async () => {
      for (const id of ['a', 'b']) await create(id);
      await store.annotate(['a', 'b'], { add_tags: ['x', 'y'], archived: true });
      await store.annotate(['b'], { add_tags: ['z'], remove_tags: ['x'], archived: false });
      expect(await store.extras('a')).toEqual({ annotations: { tags: ['x', 'y'], archived: true } });
      expect(await store.extras('b')).toEqual({ annotations: { tags: ['y', 'z'] } });
      await expect(store.annotate(['a', 'none'], { tags: [] })).rejects.toMatchObject({
        code: 'run_not_found',
      });
      const many = Array.from({ length: MAX_TAGS }, (_, index) => `t${index}`);
      await expect(store.annotate(['b', 'a'], { add_tags: many })).rejects.toMatchObject({
        code: 'too_many_tags',
      });
      expect(await store.extras('b')).toEqual({ annotations: { tags: ['y', 'z'] } });
    });

    it('filters and sorts the list page by page, as the page itself does', async () => {
      const folders = ['/home/a', undefined, '/home/ä', '/home/b'];
      const titles = ['Zebra', 'apple', 'Äpfel', '𝒳 marks', 'apple'];
      for (let index = 0; index < 12; index += 1) {
        const model = index === 6 ? 'm0:latest' : `m${index % 3}`;
        await create(`r${index}`, { title: titles[index % 5], model }, folders[index % 4]);
        if (index % 3 > 0) await end(`r${index}`, index * 7);
        if (index % 2 > 0) {
          await store.annotate([`r${index}`], {
            tags: index % 4 === 1 ? ['good', 'sö "so"'] : ['good'],
            score: index % 5,
            ...(index === 7 ? { archived: true } : {}),
            ...(index === 3 ? { pinned: true, title: 'Renamed run' } : {}),
          });
        }
      }
      const all = await store.list({ limit: 100, filter: { archived: 'all' } });
      expect(all).toHaveLength(12);
      const middle = all[5]?.created_at ?? 0;
      const filters: RunFilter[] = [
        {},
        { archived: 'only' },
        { archived: 'all', tags: ['good'] },
        { tags: ['sö "so"'] },
        { tags: ['good', 'sö "so"'] },
        { tags: ['goo'] },
        { tags: ['so'] },
        { folder: '/home/ä' },
        { folder: '/home' },
        { since: middle },
        { until: middle },
        { pinned: true },
        { pinned: false, tags: ['good'] },
        { family: 'r2' },
        { text: 'renamed' },
      ];
      const orders = keysOf(RUN_SORTS).flatMap((by): RunOrder[] => [
        { by, direction: 'asc' },
        { by, direction: 'desc' },
      ]);
      for (const filter of filters) {
        for (const order of orders) {
          const wanted = all.filter((run) => passesFilter(run, filter)).sort(compareRuns(order));
          const ids = (await pages({ filter, order })).map(({ id }) => id);
          expect(ids, JSON.stringify({ filter, order })).toEqual(wanted.map(({ id }) => id));
        }
      }
      expect(await store.facets()).toEqual({
        tags: [
          { name: 'good', runs: 5 },
          { name: 'sö "so"', runs: 3 },
        ],
        folders: [
          { name: '/home/a', runs: 3 },
          { name: '/home/ä', runs: 3 },
          { name: '/home/b', runs: 2 },
        ],
        models: [
          { name: 'm0', runs: 4 },
          { name: 'm2', runs: 4 },
          { name: 'm1', runs: 3 },
        ],
      });
    });

    it('lists one run per family: forks with their origin, and the runs of an experiment', async () => {
      for (const id of ['a', 'b', 'c']) await create(id);
      await store.create({ id: 'x1', config, family: 'exp' });
      await store.create({ id: 'x2', config, family: 'exp' });
      const fork = (id: string, run_id: string) =>
        store.fork({ id, config, parent: { run_id, seq: 1 }, events: [] });
      await fork('a1', 'a');
      await fork('a11', 'a1');
      await fork('x1f', 'x1');
      await end('x2');
      await store.annotate(['a11'], { tags: ['late'] });
      await store.importRun(sampleFile(runningLog()));

      const families = async (filter: RunFilter) => {
        const runs = await pages({ filter, oneOfFamily: true });
        return Object.fromEntries(runs.map((run) => [familyOf(run), run.id]));
      };
      const newest = {
        a: 'a11',
        b: 'b',
        c: 'c',
        exp: 'x2',
        [sampleFile(runningLog()).summary.id]: 'sample',
      };
      expect(await families({})).toEqual(newest);
      expect(await families({ tags: ['late'] })).toEqual({ a: 'a11' });
      expect(await families({ state: 'ended', mode: 'task' })).toMatchObject({ exp: 'x2' });
      await store.annotate(['a11'], { archived: true });
      expect(await families({})).toMatchObject({ a: 'a1' });

      const found = await store.families(['a', 'exp', 'none'], {});
      expect(found.get('a')).toMatchObject({ runs: 2, active: 2, outcomes: {} });
      expect(found.get('exp')).toMatchObject({ runs: 3, active: 2, outcomes: { answered: 1 } });
      expect(found.size).toBe(2);
    });

    it('hides deleted runs until they are restored or purged, even after a restart', async () => {
      for (const id of ['a', 'b', 'c']) {
        await create(id);
        if (id !== 'c') await end(id);
      }
      await store.annotate(['a'], { tags: ['kept'] });
      await store.addShare(share('f1', 'a'));
      await expect(store.hideRuns(['a', 'c'], 1000)).rejects.toMatchObject({ code: 'run_not_ended' });
      await expect(store.hideRuns(['a', 'none'], 1000)).rejects.toMatchObject({ code: 'run_not_found' });
      expect(await store.summary('a')).toBeDefined();

      await store.hideRuns(['a', 'b'], 1000);
      await expect(store.hideRuns(['a'], 1000)).rejects.toMatchObject({ code: 'run_not_found' });
      const reopened = await subject().reopen();
      expect(await reopened.summary('a')).toBeUndefined();
      expect(await reopened.read('a', { afterSeq: 0, limit: 9 })).toEqual([]);
      expect((await reopened.list({ limit: 9 })).map(({ id }) => id)).toEqual(['c']);
      expect((await reopened.facets()).tags).toEqual([]);
      await expect(reopened.claim('a', 'worker')).rejects.toMatchObject({ code: 'run_not_found' });
      await expect(reopened.deleteRun('a')).rejects.toMatchObject({ code: 'run_not_found' });
      expect((await reopened.shares())[0]?.revoked_at).toBe(1000);

      expect(await reopened.restoreRuns(['a', 'c', 'none'])).toEqual(['a']);
      expect(await reopened.summary('a')).toMatchObject({
        phase: 'ended',
        annotations: { tags: ['kept'] },
      });
      expect(await reopened.read('a', { afterSeq: 0, limit: 9 })).toHaveLength(3);

      expect(await reopened.finalizeDeletions(1000)).toEqual([]);
      expect(await reopened.purgeRuns(1000)).toEqual([]);
      expect(await reopened.finalizeDeletions(1001)).toEqual(['b']);
      expect(await reopened.finalizeDeletions(1001)).toEqual(['b']);
      expect(await reopened.restoreRuns(['b'])).toEqual([]);
      expect(await reopened.purgeRuns(1001)).toEqual(['b']);
      expect(await reopened.finalizeDeletions(1001)).toEqual([]);
      expect(await reopened.summary('a')).toBeDefined();
    });

    it('gives way to an import of the same run once it is deleted', async () => {
      const file = sampleFile(completedLog());
      await store.importRun(file);
      await store.annotate([file.summary.id], { tags: ['old'] });
      await store.hideRuns([file.summary.id], 1000);
      expect(await store.importRun(sampleFile(completedLog()))).toMatchObject({ created: true });
      expect(await store.extras(file.summary.id)).toEqual({});
      expect(await store.restoreRuns([file.summary.id])).toEqual([]);
    });
  });
}
