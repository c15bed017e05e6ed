import { beforeEach, describe, expect, it } from 'vitest';
import { emptyReading } from '../../api/model-reading.ts';
import { summarizeCheck } from '../../api/summarize-check.ts';
import type { ModelPrice } from '../../events/config.ts';
import type { NewEvent } from '../../events/registry.ts';
import type { Store } from '../../store/store.ts';
import { appendTo } from '../append-to.ts';
import { sampleCheck } from '../sample-check.ts';
import { config, emptyReply, modelCall, reply, swallowed } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeModels(subject: () => StoreUnderTest): void {
  describe('what is known about models', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    it('counts for each model how its replies were read, over all runs, and keeps the counts [P17]', async () => {
      const readAs = async (id: string, model: string, parsed: readonly NewEvent[]) => {
        await store.create({ id, config: { ...config, model } });
        const { epoch } = await store.claim(id, 'worker');
        let expectedSeq = 1;
        for (const event of parsed) {
          const started: NewEvent = { ...modelCall, call: expectedSeq };
          expectedSeq =
            (await appendTo(store, id, { epoch, expectedSeq, events: [started, event] })).at(-1)?.seq ?? 0;
        }
        const refused = appendTo(store, id, { epoch: epoch + 1, expectedSeq, events: [reply({})] });
        await expect(refused).rejects.toMatchObject({ code: 'stale_epoch' });
      };
      await readAs('a', 'qwen3', [reply({ calls: ['native', 'native'] }), reply({})]);
      await readAs('b', 'qwen3', [reply({ calls: ['json'], mended: true, refusals: 2 }), swallowed]);
      await readAs('c', 'qwen3', [reply({ calls: ['xml'] })]);
      await readAs('d', 'other', [reply({ malformed: true })]);
      await readAs('e', 'dropper', [{ ...emptyReply, malformed: true, swallowed_tokens: 27 }]);
      const expected = new Map([
        [
          'qwen3',
          {
            replies: 5,
            calls: 4,
            none: 2,
            layers: { native: 2, json: 1, xml: 1 },
            formats: { 'the native format': 2, 'the json format': 1, 'the xml format': 1 },
            repaired: 1,
            coerced: 1,
            refused: 2,
            malformed: 1,
          },
        ],
        ['dropper', { ...emptyReading(), replies: 1, none: 1, malformed: 1 }],
        [
          'other',
          {
            replies: 1,
            calls: 0,
            none: 1,
            layers: { native: 0, json: 0, xml: 0 },
            formats: {},
            repaired: 0,
            coerced: 0,
            refused: 0,
            malformed: 1,
          },
        ],
      ]);
      expect(await store.readings()).toEqual(expected);
      store = await subject().reopen();
      expect(await store.readings()).toEqual(expected);
    });

    it('Model Check: keeps one result per model and digest, whole and in figures', async () => {
      const first = sampleCheck({ digest: 'one', ended_at: 10 });
      const second = sampleCheck({ digest: 'two', ended_at: 20 });
      const other = sampleCheck({ model: 'b:1b', digest: '', ended_at: 15 });
      for (const check of [second, first, other]) await store.saveModelCheck(check);
      expect(await store.modelChecks()).toEqual([second, other, first].map(summarizeCheck));
      expect(await store.modelCheck('qwen3:8b')).toEqual(second);
      expect(await store.modelCheck('qwen3:8b', 'one')).toEqual(first);
      expect(await store.modelCheck('b:1b', '')).toEqual(other);
      expect(await store.modelCheck('b:1b', 'one')).toBeUndefined();
      expect(await store.modelCheck('nobody')).toBeUndefined();

      const again = { ...first, ended_at: 30, probes: first.probes.slice(0, 1) };
      await store.saveModelCheck(again);
      store = await subject().reopen();
      expect(await store.modelCheck('qwen3:8b')).toEqual(again);
      expect(await store.modelChecks()).toEqual([again, second, other].map(summarizeCheck));
      // The history has replaced checks too, once each.
      await store.saveModelCheck(again);
      expect(await store.checkHistory(10)).toEqual([first, other, second, again].map(summarizeCheck));
      expect(await store.checkHistory(2)).toEqual([second, again].map(summarizeCheck));
    });

    it('keeps one price per model, until it is taken away', async () => {
      const api = { kind: 'api', input_usd_per_million: 0.5, output_usd_per_million: 1.5 } as const;
      const electricity = { kind: 'electricity', watts: 350, usd_per_kwh: 0.32 } as const;
      expect((await store.prices()).size).toBe(0);
      await store.savePrice('qwen3:8b', { price: api });
      await store.savePrice('gone:1b', { price: api });
      await store.savePrice('qwen3:8b', { price: electricity });
      await store.savePrice('gone:1b', { price: null });
      await store.savePrice('never:1b', { price: null });
      store = await subject().reopen();
      expect(await store.prices()).toEqual(new Map([['qwen3:8b', electricity]]));
    });

    it('changes a price only if the one that was edited is current', async () => {
      const first = { kind: 'api', input_usd_per_million: 0.5, output_usd_per_million: 1.5 } as const;
      const second = { kind: 'electricity', watts: 350, usd_per_kwh: 0.32 } as const;
      const save = (price: ModelPrice | null, base: ModelPrice | null) =>
        store.savePrice('qwen3:8b', { price, base });
      const current = async () => (await store.prices()).get('qwen3:8b');
      expect(await save(second, first)).toBe('changed');
      expect(await save(null, first)).toBe('saved');
      expect(await save(null, null)).toBe('saved');
      expect(await current()).toBeUndefined();
      expect((await Promise.all([save(first, null), save(second, null)])).sort()).toEqual([
        'changed',
        'saved',
      ]);
      await store.savePrice('qwen3:8b', { price: first });
      expect(await save(first, null)).toBe('saved');
      expect(await save(second, null)).toBe('changed');
      expect(await save(null, null)).toBe('changed');
      expect(await save(null, second)).toBe('changed');
      expect(await current()).toEqual(first);
      expect(await save(second, first)).toBe('saved');
      expect(await save(second, first)).toBe('saved');
      expect(await save(first, first)).toBe('changed');
      expect(await current()).toEqual(second);
      expect(await save(null, second)).toBe('saved');
      expect(await current()).toBeUndefined();
    });

    it('keeps the cost of a run whose model has a price, and none of others', async () => {
      const price = { kind: 'api', input_usd_per_million: 1_000_000, output_usd_per_million: 0 } as const;
      for (const [id, priced] of [
        ['priced', { ...config, price }],
        ['free', config],
      ] as const) {
        await store.create({ id, config: priced });
        const { epoch } = await store.claim(id, 'worker');
        const call = {
          type: 'model-call.ended',
          call: 1,
          message: { role: 'assistant', content: 'x' },
        } as const;
        await appendTo(store, id, {
          epoch,
          expectedSeq: 1,
          events: [{ ...call, prompt_tokens: 2, reply_tokens: 1, duration_ms: 5, timings: {} }],
        });
      }
      store = await subject().reopen();
      expect((await store.summary('priced'))?.cost_usd).toBe(2);
      expect((await store.summary('free'))?.cost_usd).toBeUndefined();
    });
  });
}
