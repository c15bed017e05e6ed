import { beforeEach, describe, expect, it } from 'vitest';
import { passesFilter, type RunFilter } from '../../api/run-filter.ts';
import type { ListPosition } from '../../api/run-order.ts';
import { summarizeRun } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { type NewEvent, runEvent } from '../../events/registry.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { Outcome } from '../../events/termination.ts';
import type { Store } from '../../store/store.ts';
import { appendTo } from '../append-to.ts';
import { completedLog, sampleConfig, sampleFile } from '../sample-logs.ts';
import { config, ended, share, warned } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeRunList(subject: () => StoreUnderTest): void {
  describe('the runs and their summaries', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    it('returns the first run for a repeated idempotency key [D3]', async () => {
      const first = await store.create({ id: 'a', config, idempotencyKey: 'key' });
      const again = await store.create({ id: 'b', config, idempotencyKey: 'key' });
      expect(first).toMatchObject({ runId: 'a', created: true });
      expect(again).toEqual({ runId: 'a', created: false });
      expect(await store.summary('b')).toBeUndefined();
    });

    it('knows missing runs and finished runs', async () => {
      await expect(store.claim('nobody', 'worker')).rejects.toMatchObject({ code: 'run_not_found' });
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', { epoch, expectedSeq: 1, events: [ended] });
      await expect(store.claim('a', 'worker')).rejects.toMatchObject({ code: 'run_ended' });
      const late = appendTo(store, 'a', { epoch, expectedSeq: 2, events: [warned('late')] });
      await expect(late).rejects.toMatchObject({ code: 'run_ended' });
    });

    it('keeps the summary equal to the fold of the log', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await appendTo(store, 'a', {
        epoch,
        expectedSeq: 1,
        events: [{ type: 'run.started', worker: 'worker', epoch }],
      });
      await appendTo(store, 'a', {
        epoch,
        expectedSeq: 2,
        events: [{ type: 'stop.requested', force: false, by: 'operator' }],
      });
      await appendTo(store, 'a', { epoch, expectedSeq: 3, events: [ended] });
      const log = await store.read('a', { afterSeq: 0, limit: 10 });
      expect(await store.summary('a')).toEqual(summarizeRun(foldAll(emptyRunState('a'), log)));
    });

    it('does not count a session that waits for a message as unfinished work, but lists it as waiting', async () => {
      await store.create({ id: 'chat', config: sampleConfig({ mode: 'session', autopilot: false }) });
      const { epoch } = await store.claim('chat', 'worker');
      const append = (events: readonly NewEvent[], expectedSeq: number) =>
        appendTo(store, 'chat', { epoch, expectedSeq, events });
      await append([{ type: 'message.awaited', iteration: 0, cause: 'start' }], 1);
      expect(await store.unfinished()).toEqual([]);
      const waiting = await store.list({ limit: 10, filter: { state: 'waiting' } });
      expect(waiting).toMatchObject([{ id: 'chat', phase: 'awaiting-message' }]);
      await append([{ type: 'operator.messaged', message_id: 'm1', text: 'Hello.' }], 2);
      expect(await store.unfinished()).toMatchObject([{ id: 'chat', phase: 'between' }]);
    });

    it('lists the newest first, page by page, and the unfinished oldest first', async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await store.create({ id, config });
      const { epoch } = await store.claim('c', 'worker');
      await appendTo(store, 'c', { epoch, expectedSeq: 1, events: [ended] });
      const seen: string[] = [];
      let after: ListPosition | undefined;
      for (;;) {
        const page = await store.list({ limit: 2, after });
        seen.push(...page.map((run) => run.id));
        const last = page.at(-1);
        if (!last) break;
        after = { value: last.created_at, id: last.id };
      }
      expect([...seen].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
      const newestFirst = (await store.list({ limit: 10 })).map((run) => run.created_at);
      expect(newestFirst).toEqual([...newestFirst].sort((x, y) => y - x));
      const unfinished = await store.unfinished();
      expect(unfinished.map((run) => run.id).sort()).toEqual(['a', 'b', 'd', 'e']);
    });

    it('lists the runs that pass a filter, page by page, as the filter itself says', async () => {
      const models = ['Alpha:8b', 'beta', 'Alpha:8b', 'beta:latest'];
      const titles = ['Fix the Parser', 'write 100 % of "it"', 'parse_it'];
      for (let index = 0; index < 12; index += 1) {
        const id = `r${index}`;
        const mode = (['task', 'session', 'explore'] as const)[index % 3] ?? 'task';
        const model = models[index % 4] ?? '';
        await store.create({ id, config: { ...config, mode, model, title: titles[(index >> 1) % 3] } });
        if (index % 4 === 0) continue;
        const { epoch } = await store.claim(id, 'worker');
        const outcome: Outcome =
          index % 5 === 0
            ? { kind: 'answered_checks_failed', checks: { failed: 1, total: 3 } }
            : { kind: 'answered' };
        await appendTo(store, id, { epoch, expectedSeq: 1, events: [{ ...ended, outcome }] });
      }
      const all = await store.list({ limit: 100 });
      const filters: RunFilter[] = [
        { mode: 'session' },
        { model: 'beta' },
        { model: 'beta:latest' },
        { reason: 'final_answer' },
        { reason: 'stall' },
        { outcome: 'answered_checks_failed' },
        { outcome: 'answered', mode: 'session' },
        { outcome: 'answered_cut_off' },
        { state: 'active' },
        { state: 'ended', mode: 'task' },
        { state: 'waiting' },
        { text: 'PARSER' },
        { text: 'alpha fix' },
        { text: '100 % of "it"' },
        { text: 'parse_it' },
        { text: 'nowhere' },
        { text: 'parse', mode: 'task', state: 'ended', model: 'Alpha:8b' },
      ];
      for (const filter of filters) {
        const wanted = all.filter((run) => passesFilter(run, filter)).map(({ id }) => id);
        const seen: string[] = [];
        for (let after: ListPosition | undefined; ; ) {
          const page = await store.list({ limit: 2, after, filter });
          seen.push(...page.map(({ id }) => id));
          const last = page.at(-1);
          if (!last) break;
          after = { value: last.created_at, id: last.id };
        }
        expect(seen, JSON.stringify(filter)).toEqual(wanted);
      }
    });

    it('deletes a run that has ended, with its log, and revokes its links first', async () => {
      await store.create({ id: 'kept', config });
      await store.create({ id: 'run', config, idempotencyKey: 'key' });
      await store.addShare(share('a1', 'run'));
      await store.addShare(share('a2', 'kept'));
      await expect(store.deleteRun('run')).rejects.toMatchObject({ code: 'run_not_ended' });
      const { epoch } = await store.claim('run', 'worker');
      await appendTo(store, 'run', { epoch, expectedSeq: 1, events: [ended] });

      await store.deleteRun('run');
      await expect(store.deleteRun('run')).rejects.toMatchObject({ code: 'run_not_found' });
      expect(await store.summary('run')).toBeUndefined();
      expect(await store.read('run', { afterSeq: 0, limit: 10 })).toEqual([]);
      expect((await store.list({ limit: 10 })).map(({ id }) => id)).toEqual(['kept']);
      const left = new Map((await store.shares()).map((one) => [one.id, one.revoked_at]));
      expect(left.get('a1')).toBeGreaterThan(0);
      expect(left.get('a2')).toBeUndefined();
      // The key is free again, and so is the identifier.
      expect(await store.create({ id: 'run', config, idempotencyKey: 'key' })).toMatchObject({
        runId: 'run',
        created: true,
      });
      expect(await store.read('run', { afterSeq: 0, limit: 10 })).toHaveLength(1);
    });

    it('knows the folders of the newest runs, without those of forks and imported runs', async () => {
      const used = { ...config, task: 'Read \u0000 \ud800 \\u0000', workspace: '/data/reports' };
      await store.create({ id: 'a', config: used });
      // A copy counts as the folder that was copied.
      const copy = { ...config, workspace: '/own/b', copied_from: '/home/ada/notes' };
      await store.create({ id: 'b', config: copy });
      await store.create({ id: 'c', config: { ...config, mode: 'explore', workspace: '' } });
      const fork = { ...config, workspace: '/own/d' };
      await store.fork({
        id: 'd',
        config: fork,
        parent: { run_id: 'a', seq: 1 },
        events: [warned('Forked.')],
      });
      const { events } = completedLog({ runId: 'e', config: { workspace: '/etc/secrets' } });
      await store.importRun(sampleFile({ events: events.map((event) => runEvent.parse(event)) }));
      const createdAt = async (id: string) => (await store.summary(id))?.created_at;
      const expected = [
        { path: '/data/reports', usedAt: await createdAt('a') },
        { path: '/home/ada/notes', usedAt: await createdAt('b') },
      ];
      const folders = await store.usedFolders(10);
      expect(folders.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual(expected);
      expect(await store.usedFolders(2)).toHaveLength(1);
    });
  });
}
