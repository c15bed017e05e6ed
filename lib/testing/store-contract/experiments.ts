import { beforeEach, describe, expect, it } from 'vitest';
import type { BenchmarkEvidence, BenchmarkRecord, BenchmarkResult } from '../../api/benchmark.ts';
import { type ExperimentItem, type ExperimentSummary, experimentRequest } from '../../api/experiment.ts';
import { suiteCases } from '../../api/suite.ts';
import type { BenchmarkChange } from '../../store/benchmark-store.ts';
import type { RequestKey } from '../../store/request-key.ts';
import type { Store } from '../../store/store.ts';
import { sampleConfig } from '../sample-logs.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeExperiments(subject: () => StoreUnderTest): void {
  describe('experiments and benchmarks', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    it('keeps experiments with their items in order, and changes some of them at a time', async () => {
      const name = 'Seeds \u0000 \ud800 \\u0000';
      const plan = experimentRequest.parse({ name, models: ['m'], seeds: [1, 2, 3] });
      const summary = (id: string, created_at: number): ExperimentSummary => ({
        ...{ id, name: plan.name, mode: 'explore', status: 'waiting', created_at, updated_at: created_at },
        ...{ total: 3, done: 0, failed: 0, plan },
      });
      const items: ExperimentItem[] = [1, 2, 3].map((position) => ({
        ...{ position, model: 'm', options: {}, seed: position, repeat: 1, status: 'waiting' as const },
      }));
      const cases = suiteCases.parse([{ id: 'a', input: 'Read it.', target: ['4', 'four'] }]);
      await store.createExperiment({ summary: summary('older', 1), items: items.toReversed() });
      await store.createExperiment({ summary: summary('newer', 2), items: [], cases });
      expect(await store.experiment('older')).toEqual({ summary: summary('older', 1), items });
      expect((await store.experiments()).map(({ id }) => id)).toEqual(['newer', 'older']);

      const running: ExperimentItem = {
        ...{ position: 2, model: 'm', options: {}, seed: 2, repeat: 1 },
        ...{ status: 'running', run_id: 'r' },
      };
      const changed: ExperimentSummary = { ...summary('older', 1), status: 'running', updated_at: 9 };
      await store.saveExperiment(changed, [running]);
      store = await subject().reopen();
      expect(await store.experiment('older')).toEqual({
        summary: changed,
        items: [items[0], running, items[2]],
      });
      expect(await store.experiment('nobody')).toBeUndefined();
      expect(await store.experimentCases('older')).toBeUndefined();
      await store.saveExperiment(summary('newer', 2), []);
      expect(await store.experimentCases('newer')).toEqual(cases);
      expect(await store.experimentSummary('newer')).toEqual(summary('newer', 2));
      expect(await store.experimentSummary('nobody')).toBeUndefined();

      for (const id of ['noted', 'scored', 'plain'])
        await store.create({ id, config: sampleConfig(), family: 'newer' });
      await store.annotate(['noted'], { note: 'Odd.', score: 0 });
      await store.annotate(['scored'], { score: 10 });
      await store.annotate(['plain'], { pinned: true });
      expect(await store.experimentNotes('older')).toEqual(new Map());
      expect(await store.experimentNotes('newer')).toEqual(
        new Map([
          ['noted', { note: 'Odd.', score: 0 }],
          ['scored', { score: 10 }],
        ]),
      );
      expect((await store.experimentRuns('newer')).toSorted()).toEqual(['noted', 'plain', 'scored']);
      expect(await store.experimentRuns('older')).toEqual([]);

      // What a starting worker looks at: those that wait or run, and stopped ones with a run in hand.
      await store.saveExperiment({ ...summary('finished', 3), status: 'finished', running: 0 }, []);
      await store.saveExperiment({ ...summary('stopped', 4), status: 'stopped', running: 0 }, []);
      await store.saveExperiment({ ...summary('uncounted', 5), status: 'stopped' }, []);
      await store.saveExperiment({ ...summary('in-hand', 0), status: 'stopped', running: 1 }, []);
      expect(await store.unfinishedExperiments()).toEqual([
        { ...summary('in-hand', 0), status: 'stopped', running: 1 },
        changed,
        summary('newer', 2),
      ]);

      const deleted = [await store.deleteExperiment('newer'), await store.deleteExperiment('newer')];
      expect(deleted).toEqual([true, false]);
      expect(await store.experiment('newer')).toBeUndefined();
      expect(await store.experimentCases('newer')).toBeUndefined();
      expect(await store.summary('plain')).toMatchObject({ family: 'newer' });
      expect(await store.experiment('older')).toBeDefined();
    });

    it('keeps benchmarks with their results, which one worker at a time adds', async () => {
      const record = (id: string, created_at: number): BenchmarkRecord => ({
        ...{ id, created_at, updated_at: created_at, status: 'running', folder: '/data', files_hash: 'h' },
        ...{ models: ['m'], categories: [{ name: 'multiple', cases: 2 }], details: {} },
        ...{ window_tokens: 8192, num_predict: 512, think: false },
      });
      const result = (position: number): BenchmarkResult => ({
        ...{ position, model: 'm', category: 'multiple', case_id: `c${position}`, duration_ms: 5 },
        ...{ native: { right: false, reason: 'No call \u0000.' }, read: { right: true }, layer: 'json' },
      });
      const evidence: BenchmarkEvidence = {
        ...{
          request: { a: 'x\u0000' },
          reply: {},
          native_calls: [],
          read_calls: [],
          repairs: [],
          refusals: [],
        },
        expected: [{ f: { a: [1] } }],
      };
      await store.createBenchmark(record('b1', 1));
      await store.createBenchmark(record('b2', 2));
      await store.addBenchmarkResult('b1', result(2), evidence);
      await store.addBenchmarkResult('b1', result(1), evidence);
      await store.addBenchmarkResult('b1', { ...result(1), duration_ms: 9 }, evidence);
      const problem = { code: 'x', message: 'Broken.' };
      const changes: BenchmarkChange[] = [
        { updated_at: 2, details: { m: { digest: 'd' } } },
        { updated_at: 3, from: ['waiting'], status: 'finished' },
        { updated_at: 4, from: ['running'], status: 'stopped', problem },
        { updated_at: 5, details: { n: {} } },
      ];
      for (const change of changes) await store.changeBenchmark('b1', change);
      const stopped = { ...record('b1', 1), updated_at: 5, status: 'stopped', problem };
      expect((await store.benchmark('b1'))?.record).toEqual({
        ...stopped,
        details: { m: { digest: 'd' }, n: {} },
      });
      await store.changeBenchmark('b1', { updated_at: 6, status: 'finished', problem: null });
      const finished = {
        ...{ ...record('b1', 1), updated_at: 6, status: 'finished' },
        details: { m: { digest: 'd' }, n: {} },
      };
      store = await subject().reopen();
      expect(await store.benchmarks()).toEqual([
        { record: record('b2', 2), done: 0 },
        { record: finished, done: 2 },
      ]);
      expect(await store.benchmark('b1')).toEqual({ record: finished, done: 2 });
      expect(await store.benchmarkResults('b1')).toEqual([result(1), result(2)]);
      expect(await store.benchmarkCase('b1', 2)).toEqual({ result: result(2), evidence });
      expect(await store.benchmarkCase('b1', 3)).toBeUndefined();

      const hold = (worker: string, now: number) =>
        store.holdBenchmark('b1', { worker, now, staleBefore: now - 10 });
      expect([await hold('one', 100), await hold('other', 105), await hold('one', 106)]).toEqual([
        ...[true, false, true],
      ]);
      expect([await hold('other', 117), await hold('one', 118)]).toEqual([true, false]);
      await store.releaseBenchmark('b1', 'one');
      expect(await hold('one', 119)).toBe(false);
      await store.releaseBenchmark('b1', 'other');
      expect(await hold('one', 120)).toBe(true);

      expect([await store.deleteBenchmark('b1'), await store.deleteBenchmark('b1')]).toEqual([true, false]);
      expect(await store.benchmarkResults('b1')).toEqual([]);
      expect(await store.benchmark('b1')).toBeUndefined();
      await store.changeBenchmark('b1', { updated_at: 7, status: 'finished' });
      expect(await store.benchmark('b1'), 'it is not restored').toBeUndefined();
    });

    it('creates one thing per idempotency key, even after a restart and after its deletion', async () => {
      const plan = experimentRequest.parse({ name: 'Once', models: ['m'] });
      const item: ExperimentItem = {
        ...{ position: 1, model: 'm', options: {}, repeat: 1, status: 'waiting' },
      };
      const subjects = [
        {
          create: (id: string, key?: RequestKey) =>
            store.createExperiment({
              summary: {
                ...{ id, name: 'Once', mode: 'explore', status: 'waiting', created_at: 1, updated_at: 1 },
                ...{ total: 1, done: 0, failed: 0, plan },
              },
              items: [item],
              key,
            }),
          ids: async () => (await store.experiments()).map(({ id }) => id),
          firstOf: (key: string) => store.experimentOfKey(key),
          remove: (id: string) => store.deleteExperiment(id),
        },
        {
          create: (id: string, key?: RequestKey) =>
            store.createBenchmark(
              {
                ...{ id, created_at: 1, updated_at: 1, status: 'waiting', folder: '/data', files_hash: 'h' },
                ...{ models: ['m'], categories: [{ name: 'multiple', cases: 2 }], details: {} },
                ...{ window_tokens: 8192, num_predict: 512, think: false },
              },
              key,
            ),
          ids: async () => (await store.benchmarks()).map(({ record }) => record.id),
          firstOf: (key: string) => store.benchmarkOfKey(key),
          remove: (id: string) => store.deleteBenchmark(id),
        },
      ];
      const key = { key: 'key', request_hash: 'first' };
      for (const { create, ids, firstOf, remove } of subjects) {
        expect(await firstOf('key')).toBeUndefined();
        const used = await Promise.all(['a', 'b', 'c'].map((id) => create(id, key)));
        const [id = ''] = await ids();
        const first = { id, request_hash: 'first' };
        expect(await ids()).toHaveLength(1);
        expect(used.filter((use) => use === undefined)).toHaveLength(1);
        expect(used.filter((use) => use !== undefined)).toEqual([first, first]);
        store = await subject().reopen();
        expect(await firstOf('key')).toEqual(first);
        expect(await create('d', { ...key, request_hash: 'other' })).toEqual(first);
        expect(await create('e', { ...key, key: 'KEY' })).toBeUndefined();
        expect(await create('f')).toBeUndefined();
        await remove(id);
        expect(await create('g', key)).toEqual(first);
        expect(new Set(await ids())).toEqual(new Set(['e', 'f']));
      }
      expect((await store.experiment('e'))?.items).toEqual([item]);
    });
  });
}
