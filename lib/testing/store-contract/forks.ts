import { beforeEach, describe, expect, it } from 'vitest';
import { summarizeRun } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import type { NewEvent } from '../../events/registry.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { Store } from '../../store/store.ts';
import { appendTo } from '../append-to.ts';
import { config, modelCall, reply, warned } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeForks(subject: () => StoreUnderTest): void {
  describe('a fork', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    const forked = (seq: number): NewEvent => ({
      type: 'run.forked',
      from: { run_id: 'a', seq },
      iteration: 0,
      cycle: 0,
      edits: [],
      settings: [],
      answered: false,
      files: { kind: 'same' },
    });

    /** A run of four events, of a worker's second epoch. */
    async function parent(): Promise<void> {
      await store.create({ id: 'a', config });
      await store.claim('a', 'first');
      const { epoch } = await store.claim('a', 'second');
      await appendTo(store, 'a', {
        epoch,
        expectedSeq: 1,
        events: [{ type: 'run.started', worker: 'second', epoch }, warned('kept'), warned('left')],
      });
    }
    const log = (id: string) => store.read(id, { afterSeq: 0, limit: 100 });

    it('begins with the events of the other run, which stays as it is, and is nobody’s yet', async () => {
      await parent();
      const before = await log('a');
      const changed = { ...config, model: 'other' };
      expect(
        await store.fork({
          id: 'b',
          config: changed,
          parent: { run_id: 'a', seq: 3 },
          events: [forked(3), warned('new')],
        }),
      ).toMatchObject({ runId: 'b', created: true });
      expect(await log('a')).toEqual(before);
      const events = await log('b');
      expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
      expect(events[0]).toEqual({
        ...before[0],
        run_id: 'b',
        config: changed,
        parent: { run_id: 'a', seq: 3 },
      });
      expect(events.slice(1, 3)).toEqual(before.slice(1, 3).map((event) => ({ ...event, run_id: 'b' })));
      expect(events[3]).toMatchObject({ type: 'run.forked', from: { run_id: 'a', seq: 3 } });
      const summary = await store.summary('b');
      expect(summary).toEqual({ ...summarizeRun(foldAll(emptyRunState('b'), events)), family: 'a' });
      expect(summary).toMatchObject({
        model: 'other',
        phase: 'queued',
        parent: { run_id: 'a', seq: 3 },
        created_at: events[3]?.at,
        last_seq: 5,
      });
      expect(await store.claim('b', 'worker')).toEqual({ epoch: 1, lastSeq: 5 });
    });

    it('is listed with the run it comes from, with the newest runs, and after a reopening', async () => {
      await parent();
      await store.fork({ id: 'b', config, parent: { run_id: 'a', seq: 2 }, events: [forked(2)] });
      await store.fork({ id: 'c', config, parent: { run_id: 'a', seq: 3 }, events: [forked(3)] });
      await store.fork({ id: 'd', config, parent: { run_id: 'b', seq: 3 }, events: [forked(3)] });
      store = await subject().reopen();
      const forks = async (id: string) => (await store.forksOf(id)).map((run) => run.id);
      expect(await forks('a')).toEqual(['b', 'c']);
      expect(await forks('b')).toEqual(['d']);
      expect(await forks('d')).toEqual([]);
      expect(await forks('nobody')).toEqual([]);
      expect((await store.list({ limit: 10 })).map((run) => run.id)).toEqual(['d', 'c', 'b', 'a']);
      expect((await log('d')).map(({ type }) => type)).toEqual([
        'run.created',
        'run.started',
        'run.forked',
        'run.forked',
      ]);
    });

    it('is made once for a repeated key [D3]', async () => {
      await parent();
      const parentOf = { run_id: 'a', seq: 2 };
      const key = { idempotencyKey: 'key' };
      await store.fork({ id: 'b', config, parent: parentOf, events: [forked(2)], ...key });
      expect(await store.fork({ id: 'c', config, parent: parentOf, events: [forked(2)], ...key })).toEqual({
        runId: 'b',
        created: false,
      });
      expect(await store.summary('c')).toBeUndefined();
    });

    it('is refused, and leaves nothing, where there is no such run or event, or no readable event', async () => {
      await parent();
      const nobody = store.fork({ id: 'b', config, parent: { run_id: 'x', seq: 1 }, events: [forked(1)] });
      await expect(nobody).rejects.toMatchObject({ code: 'run_not_found' });
      const beyond = store.fork({ id: 'b', config, parent: { run_id: 'a', seq: 5 }, events: [forked(5)] });
      await expect(beyond).rejects.toMatchObject({ code: 'event_not_found' });
      const unreadable = { ...forked(3), iteration: -1 } as NewEvent;
      await expect(
        store.fork({ id: 'b', config, parent: { run_id: 'a', seq: 3 }, events: [unreadable] }),
      ).rejects.toThrow();
      expect(await store.summary('b')).toBeUndefined();
      expect(await log('b')).toEqual([]);
      expect(await store.forksOf('a')).toEqual([]);
    });

    it('does not count a second time how the copied replies were read [P17]', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', {
        epoch,
        expectedSeq: 1,
        events: [{ ...modelCall, call: 1 }, reply({ calls: ['native'] })],
      });
      const before = await store.readings();
      await store.fork({ id: 'b', config, parent: { run_id: 'a', seq: 3 }, events: [forked(3)] });
      expect(await store.readings()).toEqual(before);
    });
  });
}
