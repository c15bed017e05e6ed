import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runEvent } from '../../events/registry.ts';
import { slicesOf, toEventRow } from '../../store/import-run.ts';
import type { Store } from '../../store/store.ts';
import { appendTo } from '../append-to.ts';
import { completedLog, longLog, runningLog, type SampleLog, sampleFile } from '../sample-logs.ts';
import { config, warned } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeImports(subject: () => StoreUnderTest): void {
  describe('a run that came as a file', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    const file = (log: SampleLog) => sampleFile({ events: log.events.map((event) => runEvent.parse(event)) });
    /** Far more events than one transaction takes. */
    const longFile = (runId = 'long') => file(longLog(2000, { runId }));

    it('is read back as it came, after a reopening, and stays what it is', async () => {
      const theirs = file(completedLog({ runId: 'theirs' }));
      const { events, summary } = theirs;
      expect(await store.importRun(theirs)).toEqual({ runId: 'theirs', created: true });
      store = await subject().reopen();
      expect(await store.read('theirs', { afterSeq: 0, limit: 1000 })).toEqual(events);
      expect(await store.summary('theirs')).toEqual({ ...summary, phase: 'ended' });
      const others = file(completedLog({ runId: 'theirs', config: { task: 'Another' } }));
      expect(await store.importRun(others)).toEqual({ runId: 'theirs', created: false });
      expect(await store.read('theirs', { afterSeq: 0, limit: 1000 })).toEqual(events);
      expect((await store.readings()).size).toBe(0);
    });

    it('is never taken up, not even when its log has no end', async () => {
      const open = file(runningLog({ runId: 'open' }));
      await store.importRun(open);
      const { events, summary } = open;
      expect(await store.summary('open')).toMatchObject({
        phase: 'ended',
        imported_at: summary.imported_at,
      });
      expect(await store.unfinished()).toEqual([]);
      await expect(store.claim('open', 'worker')).rejects.toMatchObject({ code: 'run_ended' });
      await expect(
        appendTo(store, 'open', { epoch: 0, expectedSeq: events.length, events: [warned('more')] }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/^(?:run_ended|stale_epoch)$/) });
    });

    it('is stored whole or not at all', async () => {
      const { events, summary } = longFile();
      for (const missing of [900, events.length]) {
        const slices = slicesOf(events.filter(({ seq }) => seq !== missing).map(toEventRow));
        await expect(store.importRun({ summary, slices })).rejects.toThrow(RangeError);
        await expectNothingOf('long');
      }
      expect(await store.importRun(longFile())).toEqual({ runId: 'long', created: true });
      expect(await store.read('long', { afterSeq: 0, limit: 5000 })).toEqual(events);
    });

    /** Neither the run nor its events, and nothing to do with it. */
    async function expectNothingOf(runId: string): Promise<void> {
      expect(await store.summary(runId)).toBeUndefined();
      expect(await store.list({ limit: 100 })).toEqual([]);
      expect(await store.read(runId, { afterSeq: 0, limit: 10 })).toEqual([]);
      expect(await store.readOne(runId, 1)).toBeUndefined();
      expect(await store.readTexts(runId, { afterSeq: 0, limit: 10, maxChars: 1000 })).toEqual([]);
      expect(await store.search('chapter', { limit: 10 })).toEqual({ runs: [], behind: 0 });
      expect(await store.unfinished()).toEqual([]);
      await expect(store.deleteRun(runId)).rejects.toMatchObject({ code: 'run_not_found' });
      await expect(store.claim(runId, 'worker')).rejects.toMatchObject({ code: expect.any(String) });
    }

    it('is not seen before it is complete, and found by the search then', async () => {
      const { events, summary } = longFile();
      const steps = subject().imports();
      const place = { runId: 'long', importId: 'first' };
      expect(await steps.beginImport(summary, 'first')).toBe(true);
      await steps.addToImport(place, events.slice(0, 1500).map(toEventRow));
      await expectNothingOf('long');
      await expect(store.importRun(longFile())).rejects.toMatchObject({ code: 'import_under_way' });
      await expect(
        store.fork({ id: 'f', config, parent: { run_id: 'long', seq: 1 }, events: [] }),
      ).rejects.toMatchObject({ code: 'run_not_found' });
      await steps.addToImport(place, events.slice(1500).map(toEventRow));
      await expectNothingOf('long');
      await steps.publishImport(place);
      expect(await store.read('long', { afterSeq: 0, limit: 5000 })).toEqual(events);
      expect(await store.summary('long')).toMatchObject({ phase: 'ended', last_seq: events.length });
      await vi.waitFor(
        async () => expect((await store.search('chapter', { limit: 10 })).behind).toBe(0),
        20_000,
      );
      expect((await store.search('chapter', { limit: 10 })).runs).toMatchObject([{ run_id: 'long' }]);
    });

    it('imports a run with durations that no run can have', async () => {
      const { events } = completedLog({ runId: 'a', config: { budget: { max_seconds: 60 } } });
      const changed = events.map((event) =>
        event.type === 'budget.checked' ? { ...event, seconds_used: 1e300 } : event,
      );
      expect(changed).not.toEqual(events);
      await store.importRun(sampleFile({ events: changed }));
      expect((await store.summary('a'))?.worked_ms).toBe(Number.MAX_SAFE_INTEGER);
    });

    it('is not seen when the server is lost during its import, and can be imported then', async () => {
      const { events, summary } = longFile();
      await subject().imports().beginImport(summary, 'lost');
      await subject()
        .imports()
        .addToImport({ runId: 'long', importId: 'lost' }, events.slice(0, 900).map(toEventRow));
      store = await subject().reopen();
      await expectNothingOf('long');
      const imported = () => store.importRun(longFile());
      await vi.waitFor(
        async () => expect(await imported()).toEqual({ runId: 'long', created: true }),
        20_000,
      );
      expect(await store.read('long', { afterSeq: 0, limit: 5000 })).toEqual(events);
      const late = subject().imports().publishImport({ runId: 'long', importId: 'lost' });
      await expect(late).rejects.toMatchObject({ code: 'import_interrupted' });
    });

    it('is imported with its annotations, or not at all', async () => {
      const { events, summary } = longFile();
      const steps = subject().imports();
      const place = { runId: 'long', importId: 'noted' };
      const annotations = { title: 'Theirs', tags: ['kept'], score: 1 };
      await steps.beginImport({ ...summary, annotations }, 'noted');
      expect((await store.facets()).tags).toEqual([]);
      await steps.addToImport(place, events.map(toEventRow));
      await steps.publishImport(place);
      expect(await store.summary('long')).toMatchObject({ annotations });
      expect((await store.facets()).tags).toMatchObject([{ name: 'kept' }]);
      const tags = Array.from({ length: 1000 }, (_, index) => `tag-${index}`);
      const refused = { ...sampleFile(completedLog({ runId: 'tagged' })) };
      await expect(
        store.importRun({ ...refused, summary: { ...refused.summary, annotations: { tags } } }),
      ).rejects.toMatchObject({ code: 'too_many_tags' });
      expect(await store.summary('tagged')).toBeUndefined();
      expect(await store.importRun(sampleFile(completedLog({ runId: 'tagged' })))).toMatchObject({
        created: true,
      });
    });

    it('is dropped when its request is aborted', async () => {
      const { events, summary } = longFile();
      const controller = new AbortController();
      function* aborting() {
        for (const rows of slicesOf(events.map(toEventRow))) {
          if (rows.some(({ seq }) => seq === 900)) controller.abort();
          yield rows;
        }
      }
      const aborted = store.importRun({ summary, slices: aborting(), signal: controller.signal });
      await expect(aborted).rejects.toThrow(AbortSignal.abort().reason);
      await expectNothingOf('long');
      expect(await store.importRun(longFile())).toEqual({ runId: 'long', created: true });
    });

    it('lets other runs append before it is complete', async () => {
      await store.create({ id: 'live', config });
      const { epoch } = await store.claim('live', 'worker');
      const { events, summary } = longFile();
      const begun = Promise.withResolvers<void>();
      const appended = Promise.withResolvers<void>();
      async function* slices() {
        for (const rows of slicesOf(events.map(toEventRow))) {
          yield rows;
          begun.resolve();
          await appended.promise;
        }
      }
      const importing = store.importRun({ summary, slices: slices() });
      await begun.promise;
      await appendTo(store, 'live', { epoch, expectedSeq: 1, events: [warned('on')] });
      expect(await store.summary('long')).toBeUndefined();
      appended.resolve();
      expect(await importing).toEqual({ runId: 'long', created: true });
    });
  });
}
