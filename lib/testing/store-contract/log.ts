import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../store/store.ts';
import { appendTo, growthAfter } from '../append-to.ts';
import { config, warned } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeLog(subject: () => StoreUnderTest): void {
  describe('the log of a run', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    it('numbers the events of a run 1, 2, 3 and brings them back as they were [E9]', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const hostile = '\u0000 \ud800 "__proto__" \u2028 🦊';
      const appended = await appendTo(store, 'a', {
        epoch,
        expectedSeq: 1,
        events: [{ type: 'run.started', worker: 'worker', epoch }, warned(hostile)],
      });
      expect(appended.map((event) => event.seq)).toEqual([2, 3]);
      const log = await store.read('a', { afterSeq: 0, limit: 10 });
      expect(log.map((event) => event.seq)).toEqual([1, 2, 3]);
      expect(log.slice(1)).toEqual(appended);
      expect(log[0]).toMatchObject({ type: 'run.created', run_id: 'a', config });
      expect(log[2]).toMatchObject({ message: hostile });
    });

    it('reads after a number, at most as many as asked for, and single events [D5]', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', { epoch, expectedSeq: 1, events: ['2', '3', '4', '5'].map(warned) });
      const seqs = async (afterSeq: number, limit: number) =>
        (await store.read('a', { afterSeq, limit })).map((event) => event.seq);
      expect(await seqs(2, 2)).toEqual([3, 4]);
      expect(await seqs(4, 100)).toEqual([5]);
      expect(await seqs(5, 100)).toEqual([]);
      expect(await store.readOne('a', 4)).toMatchObject({ seq: 4, message: '4' });
      expect(await store.readOne('a', 6)).toBeUndefined();
      expect(await store.readOne('nobody', 1)).toBeUndefined();
      expect(await store.read('nobody', { afterSeq: 0, limit: 5 })).toEqual([]);
    });

    it('brings events as text that says what reading them says, up to a number and a length [E9]', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const hostile = '\u0000 \ud800 "__proto__" \u2028 \r\n \u{10ffff} 🦊';
      const events = [hostile, 'x'.repeat(5000), 'y'.repeat(5000), 'last'].map(warned);
      await appendTo(store, 'a', { epoch, expectedSeq: 1, events });
      const log = await store.read('a', { afterSeq: 0, limit: 10 });
      const texts = await store.readTexts('a', { afterSeq: 0, limit: 10, maxChars: 100_000 });
      expect(texts.map(({ json }) => JSON.parse(json))).toEqual(log);
      expect(texts.map(({ run_id, seq, type }) => ({ run_id, seq, type }))).toEqual(
        log.map(({ run_id, seq, type }) => ({ run_id, seq, type })),
      );
      expect(texts.filter(({ json }) => /[\r\n]/.test(json))).toEqual([]);
      const seqs = async (afterSeq: number, limit: number, maxChars: number) =>
        (await store.readTexts('a', { afterSeq, limit, maxChars })).map(({ seq }) => seq);
      expect(await seqs(1, 2, 100_000)).toEqual([2, 3]);
      expect(await seqs(2, 10, 1)).toEqual([3]);
      expect(await seqs(2, 10, 6000)).toEqual([3, 4]);
      expect(await seqs(5, 10, 6000)).toEqual([]);
      const read = async (afterSeq: number, limit: number, maxChars: number) =>
        (await store.read('a', { afterSeq, limit, maxChars })).map(({ seq }) => seq);
      expect(await read(0, 10, 100_000)).toEqual([1, 2, 3, 4, 5]);
      expect(await read(1, 2, 100_000)).toEqual([2, 3]);
      expect(await read(2, 10, 1)).toEqual([3]);
      expect(await read(2, 10, 6000)).toEqual([3, 4]);
      expect(await store.read('a', { afterSeq: 0, limit: 10, maxChars: 100_000 })).toEqual(log);
    });

    it('refuses an append of an older epoch and changes nothing', async () => {
      await store.create({ id: 'a', config });
      const old = await store.claim('a', 'frozen');
      const young = await store.claim('a', 'awake');
      expect(young.epoch).toBe(old.epoch + 1);
      const stale = appendTo(store, 'a', { epoch: old.epoch, expectedSeq: 1, events: [warned('late')] });
      await expect(stale).rejects.toMatchObject({ code: 'stale_epoch' });
      expect(await store.read('a', { afterSeq: 1, limit: 10 })).toEqual([]);
      await appendTo(store, 'a', { epoch: young.epoch, expectedSeq: 1, events: [warned('mine')] });
      expect(await store.summary('a')).toMatchObject({ last_seq: 2 });
    });

    it('refuses an append that expects another length and stores nothing of it', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      for (const expectedSeq of [0, 2, 7]) {
        const wrong = appendTo(store, 'a', { epoch, expectedSeq, events: [warned('x'), warned('y')] });
        await expect(wrong).rejects.toMatchObject({ code: 'seq_conflict' });
      }
      expect(await store.read('a', { afterSeq: 0, limit: 10 })).toHaveLength(1);
    });

    it('keeps the time of every event of one append', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const growth = await growthAfter(store, 'a', { expectedSeq: 1, events: [warned('1'), warned('2')] });
      const at = growth.rows[0]?.at ?? 0;
      const rows = growth.rows.map((row, index) => ({ ...row, at: at + 10 * index }));
      await store.append('a', { epoch, ...growth, rows });
      const stored = await store.read('a', { afterSeq: 1, limit: 10 });
      expect(stored.map((event) => event.at)).toEqual([at, at + 10]);
    });

    it('stores the events of one append together or not at all', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const growth = await growthAfter(store, 'a', { expectedSeq: 1, events: [warned('first')] });
      const twice = { ...growth, rows: [...growth.rows, ...growth.rows] };
      await expect(store.append('a', { epoch, ...twice })).rejects.toThrow(/unique/i);
      expect(await store.read('a', { afterSeq: 1, limit: 10 })).toEqual([]);
      await appendTo(store, 'a', { epoch, expectedSeq: 1, events: [warned('second')] });
      expect(await store.readOne('a', 2)).toMatchObject({ message: 'second' });
    });

    it('counts how often a run was taken up since it last got on', async () => {
      await store.create({ id: 'a', config });
      expect(await store.beginRecovery('a')).toBe(1);
      expect(await store.beginRecovery('a')).toBe(2);
      await store.settleRecovery('a');
      // What was indexed for the search stays indexed: a word is found once.
      const found = () => store.search('notes', { limit: 10 });
      await vi.waitFor(async () => expect((await found()).behind).toBe(0), { timeout: 10_000 });
      const places = (await found()).runs.map((run) => run.places);
      await store.settleRecovery('a');
      await vi.waitFor(async () => expect((await found()).behind).toBe(0), { timeout: 10_000 });
      expect((await found()).runs.map((run) => run.places)).toEqual(places);
      expect(await store.beginRecovery('a')).toBe(1);
      await expect(store.beginRecovery('nobody')).rejects.toMatchObject({ code: 'run_not_found' });
    });

    it('has everything again after it was closed and opened [D19]', async () => {
      await store.create({ id: 'a', config, idempotencyKey: 'key' });
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', { epoch, expectedSeq: 1, events: [warned('kept')] });
      const log = await store.read('a', { afterSeq: 0, limit: 10 });
      const summary = await store.summary('a');
      store = await subject().reopen();
      expect(await store.read('a', { afterSeq: 0, limit: 10 })).toEqual(log);
      expect(await store.summary('a')).toEqual(summary);
      expect(await store.create({ id: 'b', config, idempotencyKey: 'key' })).toEqual({
        runId: 'a',
        created: false,
      });
      await appendTo(store, 'a', { epoch, expectedSeq: 2, events: [warned('on')] });
      expect(await store.summary('a')).toMatchObject({ last_seq: 3 });
    });

    it('lets only the newest epoch write, in every interleaving of workers, and leaves no gap', async () => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('claim' as const), worker: fc.nat(2) }),
        fc.record({
          kind: fc.constant('append' as const),
          worker: fc.nat(2),
          events: fc.integer({ min: 1, max: 3 }),
        }),
        fc.record({ kind: fc.constant('look' as const), worker: fc.nat(2) }),
      );
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const id = `p${run++}`;
          await store.create({ id, config });
          const workers = [0, 1, 2].map(() => ({ epoch: 0, seq: 0 }));
          const accepted: string[] = [];
          let epoch = 0;
          let count = 0;
          for (const [index, action] of steps.entries()) {
            const worker = workers[action.worker];
            if (!worker) continue;
            if (action.kind === 'claim') {
              const claimed = await store.claim(id, `w${action.worker}`);
              epoch += 1;
              expect(claimed).toEqual({ epoch, lastSeq: count + 1 });
              worker.epoch = claimed.epoch;
              worker.seq = claimed.lastSeq;
            } else if (action.kind === 'look') {
              worker.seq = (await store.summary(id))?.last_seq ?? 0;
            } else {
              const texts = Array.from({ length: action.events }, (_, n) => `${index}.${n}`);
              const attempt = appendTo(store, id, {
                epoch: worker.epoch,
                expectedSeq: worker.seq,
                events: texts.map(warned),
              });
              if (worker.epoch !== epoch || epoch === 0) {
                await expect(attempt).rejects.toMatchObject({ code: 'stale_epoch' });
              } else if (worker.seq !== count + 1) {
                await expect(attempt).rejects.toMatchObject({ code: 'seq_conflict' });
              } else {
                worker.seq = (await attempt).at(-1)?.seq ?? 0;
                accepted.push(...texts);
                count += texts.length;
              }
            }
          }
          const log = await store.read(id, { afterSeq: 1, limit: 1000 });
          expect(log.map((event) => event.seq)).toEqual(accepted.map((_, index) => index + 2));
          expect(log.map((event) => ('message' in event ? event.message : ''))).toEqual(accepted);
        }),
        { numRuns: 40 },
      );
    });

    it('takes exactly one of several appends that were made at the same moment', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.uuid(), async (writers, id) => {
          await store.create({ id, config });
          const { epoch } = await store.claim(id, 'worker');
          const attempts = await Promise.allSettled(
            Array.from({ length: writers }, (_, n) =>
              appendTo(store, id, { epoch, expectedSeq: 1, events: [warned(String(n))] }),
            ),
          );
          expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
          expect(await store.read(id, { afterSeq: 1, limit: 10 })).toHaveLength(1);
        }),
        { numRuns: 20 },
      );
    });
  });
}
