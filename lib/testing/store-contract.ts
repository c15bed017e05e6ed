import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BenchmarkEvidence, BenchmarkRecord, BenchmarkResult } from '../api/benchmark.ts';
import { type ExperimentItem, type ExperimentSummary, experimentRequest } from '../api/experiment.ts';
import { emptyReading } from '../api/model-reading.ts';
import type { PresetRecord } from '../api/preset.ts';
import { passesFilter, type RunFilter } from '../api/run-filter.ts';
import {
  compareRuns,
  type ListPosition,
  NEWEST_FIRST,
  RUN_SORTS,
  type RunOrder,
  sortValue,
} from '../api/run-order.ts';
import { familyOf, type RunSummary } from '../api/run-summary.ts';
import type { FoundFrom } from '../api/search.ts';
import type { ShareRecord } from '../api/share.ts';
import type { SignInRecord } from '../api/sign-in.ts';
import { type SuiteCase, type SuiteRecord, suiteCases } from '../api/suite.ts';
import { summarizeCheck } from '../api/summarize-check.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { MAX_SUITE_VERSIONS, MAX_TAGS } from '../events/limits.ts';
import { type NewEvent, runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { Outcome } from '../events/termination.ts';
import type { ParserLayer } from '../parser/layers.ts';
import { type ImportSteps, slicesOf, toEventRow } from '../store/import-run.ts';
import type { ListPage } from '../store/list-page.ts';
import type { Store } from '../store/store.ts';
import { keysOf } from '../util/records.ts';
import { appendTo, growthAfter } from './append-to.ts';
import { sampleCheck } from './sample-check.ts';
import {
  approvalLog,
  completedLog,
  longLog,
  runningLog,
  type SampleLog,
  sampleConfig,
  sampleFile,
  sampleFork,
} from './sample-logs.ts';

/** A store under test, in a place of its own that outlives `reopen`. */
export interface StoreUnderTest {
  store: Store;
  /** Closes the store and opens it again on what it left. */
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
  /** The steps of an import, one by one. */
  imports(): ImportSteps;
}

const config = sampleConfig({
  task: 'Write the file notes.txt',
  model: 'loupe-demo',
  workspace: '/tmp/workspace',
  window_tokens: 8192,
  live_tokens: false,
  think: false,
});

const warned = (message: string): NewEvent => ({ type: 'policy.warned', code: 'test', message });

const ended = {
  type: 'run.ended',
  result: {
    status: 'completed',
    output: 'Done.',
    model_used: 'loupe-demo',
    tokens_in: 1,
    tokens_out: 2,
    error: null,
    termination_reason: 'final_answer',
    iterations_used: 1,
  },
  message: 'The model answered.',
  evidence: [1],
  cost_usd: 0,
  tool_calls: 0,
  files_written: [],
} satisfies NewEvent;

const modelCall = {
  type: 'model-call.started',
  iteration: 1,
  message_count: 1,
  tool_count: 0,
  options: {},
  think: false,
  stream: false,
  estimated_tokens: 1,
} as const;

/** A model call that Ollama itself could not read. */
const swallowed: NewEvent = {
  type: 'model-call.failed',
  call: 1,
  kind: 'malformed_call',
  error: { code: 'malformed_call', message: 'error parsing tool call' },
  duration_ms: 1,
};

const emptyReply = {
  type: 'reply.parsed',
  call: 1,
  iteration: 1,
  outcome: 'empty',
  layer: 'none',
  calls: [],
  text: '',
  thinking: '',
  coercions: [],
  repairs: [],
  refusals: [],
  attempts: [],
  malformed: false,
  cut: false,
} satisfies NewEvent;

/**
 * Two silent replies as logs had them before `swallowed_tokens`: of the first Ollama dropped a call, the second was
 * meant.
 */
export const unmarkedLoss: NewEvent[] = [27, 1].flatMap((tokens, index): NewEvent[] => {
  const call = index + 1;
  return [
    { ...modelCall, call, tool_count: 1 },
    {
      type: 'model-call.ended',
      call,
      message: { role: 'assistant', content: '' },
      reply_tokens: tokens,
      duration_ms: 1,
      timings: {},
    },
    { ...emptyReply, call },
  ];
});

/** A reply that was read, with a call of each of these layers. */
function reply(options: {
  calls?: ParserLayer[];
  mended?: boolean;
  refusals?: number;
  malformed?: boolean;
}): NewEvent {
  const { calls = [], mended = false, refusals = 0, malformed = false } = options;
  return {
    type: 'reply.parsed',
    call: 1,
    iteration: 1,
    outcome: calls.length > 0 ? 'tool_calls' : 'final_answer',
    layer: calls[0] ?? 'none',
    calls: calls.map((layer, index) => ({
      call_id: `c${index}`,
      name: 'read_file',
      arguments: {},
      layer,
      format: `the ${layer} format`,
    })),
    text: 'Text.',
    thinking: '',
    coercions: mended ? [{ call: 0, path: 'lines', before: '3', after: 3 }] : [],
    repairs: mended ? [{ call: 0, rule: 'trailing comma', before: ',}', after: '}' }] : [],
    refusals: Array.from({ length: refusals }, () => ({ reason: 'cut', raw: '{', message: 'Cut off.' })),
    attempts: [],
    malformed,
    cut: false,
  };
}

/** What every `Store` must do. `open` makes a fresh, empty one. */
export function describeRunStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a run store`, () => {
    let subject: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      subject = await open();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

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

    it('returns the first run for a repeated idempotency key [D3]', async () => {
      const first = await store.create({ id: 'a', config, idempotencyKey: 'key' });
      const again = await store.create({ id: 'b', config, idempotencyKey: 'key' });
      expect(first).toMatchObject({ runId: 'a', created: true });
      expect(again).toEqual({ runId: 'a', created: false });
      expect(await store.summary('b')).toBeUndefined();
    });

    describe('a run that came as a file', () => {
      const file = (log: SampleLog) =>
        sampleFile({ events: log.events.map((event) => runEvent.parse(event)) });
      /** Far more events than one transaction takes. */
      const longFile = (runId = 'long') => file(longLog(2000, { runId }));

      it('is read back as it came, after a reopening, and stays what it is', async () => {
        const theirs = file(completedLog({ runId: 'theirs' }));
        const { events, summary } = theirs;
        expect(await store.importRun(theirs)).toEqual({ runId: 'theirs', created: true });
        store = await subject.reopen();
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
        const steps = subject.imports();
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
        await subject.imports().beginImport(summary, 'lost');
        await subject
          .imports()
          .addToImport({ runId: 'long', importId: 'lost' }, events.slice(0, 900).map(toEventRow));
        store = await subject.reopen();
        await expectNothingOf('long');
        const imported = () => store.importRun(longFile());
        await vi.waitFor(
          async () => expect(await imported()).toEqual({ runId: 'long', created: true }),
          20_000,
        );
        expect(await store.read('long', { afterSeq: 0, limit: 5000 })).toEqual(events);
        const late = subject.imports().publishImport({ runId: 'long', importId: 'lost' });
        await expect(late).rejects.toMatchObject({ code: 'import_interrupted' });
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
        const order: string[] = [];
        const importing = store.importRun(longFile()).then(() => order.push('imported'));
        const append = { epoch, expectedSeq: 1, events: [warned('on')] };
        await appendTo(store, 'live', append).then(() => order.push('appended'));
        await importing;
        expect(order).toEqual(['appended', 'imported']);
      });
    });

    describe('a fork', () => {
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
        store = await subject.reopen();
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
      store = await subject.reopen();
      expect(await store.readings()).toEqual(expected);
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

    describe('images of a run', () => {
      const image = (hash: string, text: string) => ({ hash, type: 'png' as const, data: Buffer.from(text) });
      const first = image('a'.repeat(64), 'first\0bytes');
      const second = image('b'.repeat(64), 'second');
      const textOf = async (runId: string, { hash }: { hash: string }) => {
        const found = await store.image(runId, hash);
        return found && { type: found.type, text: Buffer.from(found.data).toString() };
      };

      it('are kept once, by their hash, for the run that has them', async () => {
        await store.create({ id: 'a', config, images: [first] });
        await store.create({ id: 'other', config });
        await store.keepImages('a', [second, first]);
        store = await subject.reopen();
        expect(await textOf('a', first)).toEqual({ type: 'png', text: 'first\0bytes' });
        expect(await textOf('a', second)).toEqual({ type: 'png', text: 'second' });
        expect(await store.imagesOf('a')).toEqual([
          { hash: first.hash, bytes: 11 },
          { hash: second.hash, bytes: 6 },
        ]);
        expect(await textOf('other', first)).toBeUndefined();
        expect(await store.imagesOf('other')).toEqual([]);
        await expect(store.keepImages('nobody', [first])).rejects.toMatchObject({ code: 'run_not_found' });
      });

      it('come along with a fork, and stay when the other run is deleted', async () => {
        const { runId } = await store.importRun(sampleFile(completedLog()));
        await store.keepImages(runId, [first]);
        await store.fork({ id: 'f', config, parent: { run_id: runId, seq: 1 }, events: [] });
        await store.deleteRun(runId);
        expect(await store.imagesOf(runId)).toEqual([]);
        expect(await textOf('f', first)).toEqual({ type: 'png', text: 'first\0bytes' });
      });

      it('come with a run from a file', async () => {
        async function* images() {
          yield first;
          yield second;
        }
        const { runId } = await store.importRun({ ...sampleFile(completedLog()), images: images() });
        expect((await store.imagesOf(runId)).map(({ hash }) => hash)).toEqual([first.hash, second.hash]);
      });
    });

    describe('what people note about runs', () => {
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
        const reopened = await subject.reopen();
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

      it('hides deleted runs until they are restored or purged, also after a restart', async () => {
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
        const reopened = await subject.reopen();
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

    describe('search over all runs', () => {
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
        store = await subject.reopen();
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
      store = await subject.reopen();
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

    const share = (id: string, run_id: string, over: Partial<ShareRecord> = {}): ShareRecord => ({
      ...{
        id,
        run_id,
        token_hash: id.padStart(64, '0'),
        title: 'A run',
        scope: 'everything',
        show: ['email'],
      },
      ...{ created_at: 5, expires_at: 1_900_000_000_000, views: 0 },
      ...over,
    });

    it('keeps links by the hash of their token, counts their views and revokes each once', async () => {
      await store.create({ id: 'run', config });
      const first = share('a1', 'run', { until_seq: 1 });
      const second = share('a2', 'run', { created_at: 6, scope: 'summary', show: [] });
      await store.addShare(first);
      await store.addShare(second);
      expect(await store.shares()).toEqual([second, first]);
      expect(await store.shareByHash(first.token_hash)).toEqual(first);
      expect(await store.shareByHash('f'.repeat(64))).toBeUndefined();

      await store.countShareView('a1', 70);
      await store.countShareView('a1', 80);
      expect(await store.revokeShare('a1', 90)).toBe(true);
      expect(await store.revokeShare('a1', 95)).toBe(true);
      expect(await store.revokeShare('nobody', 95)).toBe(false);
      store = await subject.reopen();
      expect(await store.shareByHash(first.token_hash)).toEqual({
        ...first,
        ...{ views: 2, last_viewed_at: 80, revoked_at: 90 },
      });
      expect(await store.shareByHash(second.token_hash)).toEqual(second);
    });

    const signIn = (id: string, at: number): SignInRecord => ({
      ...{ id, cookie_hash: id.padStart(64, '0'), key_hash: id.padStart(64, 'f') },
      ...{ label: 'Firefox on Linux', created_at: at, last_seen_at: at },
    });

    it('keeps sign-ins by the hash of their cookie until they are deleted', async () => {
      const [first, second, third] = [signIn('a1', 1), signIn('a2', 2), signIn('a3', 3)];
      for (const one of [first, second, third]) await store.addSignIn(one, 10);
      await store.touchSignIn('a1', 9);
      await store.touchSignIn('none', 9);
      store = await subject.reopen();
      expect(await store.signIns()).toEqual([{ ...first, last_seen_at: 9 }, third, second]);
      expect(await store.signInByHash(second.cookie_hash)).toEqual(second);
      expect(await store.signInByHash('f'.repeat(64))).toBeUndefined();

      expect(await store.deleteSignIns(['a2', 'none'])).toEqual(['a2']);
      expect(await store.signInByHash(second.cookie_hash)).toBeUndefined();
      expect((await store.deleteSignIns()).toSorted()).toEqual(['a1', 'a3']);
      expect(await store.signIns()).toEqual([]);
    });

    it('keeps no more sign-ins than the limit, those seen last', async () => {
      await store.addSignIn(signIn('a1', 1), 2);
      await store.addSignIn(signIn('a2', 2), 2);
      await store.touchSignIn('a1', 3);
      await store.addSignIn(signIn('a3', 4), 2);
      expect((await store.signIns()).map(({ id }) => id)).toEqual(['a3', 'a1']);
    });

    it('keeps an approval for a tool and folder with its decision, until it is revoked', async () => {
      const approve = async (id: string, scope: 'run' | 'tool_and_folder' | undefined) => {
        const { events } = approvalLog({ runId: id });
        const asked = events.findIndex(({ type }) => type === 'approval.requested');
        const requested = events[asked];
        if (requested?.type !== 'approval.requested') throw new Error('nothing was asked');
        const config = sampleConfig({ workspace: '/home/u/project' });
        await store.create({ id, config });
        const { epoch } = await store.claim(id, 'w');
        const { call_id, tool } = requested;
        const decided = {
          type: 'approval.decided',
          call_id,
          tool,
          decision: 'approved',
          by: 'operator',
        } as const;
        const added = [...events.slice(1, asked + 1), { ...decided, scope }];
        const placed = await appendTo(store, id, { epoch, expectedSeq: 1, events: added });
        return { id, config, epoch, tool, last: placed.at(-1) };
      };
      await approve('once', undefined);
      await approve('run', 'run');
      expect(await store.standingApprovals()).toEqual([]);
      const { tool, config } = await approve('first', 'tool_and_folder');
      const { last } = await approve('second', 'tool_and_folder');
      store = await subject.reopen();
      const kept = {
        ...{ id: `second-${last?.seq}`, tool, folder: '/home/u/project' },
        ...{ run_id: 'second', seq: last?.seq, created_at: last?.at },
      };
      expect(await store.standingApprovals()).toEqual([kept]);
      expect(await store.standingApproval(tool, '/home/u/project')).toEqual(kept);
      expect(await store.standingApproval(tool, '/home/u')).toBeUndefined();
      expect(await store.standingApproval('other', '/home/u/project')).toBeUndefined();

      expect(await store.revokeStandingApprovals(['none', kept.id])).toEqual([kept.id]);
      expect(await store.standingApproval(tool, '/home/u/project')).toBeUndefined();
      // A copied decision approves nothing.
      const parent = { run_id: 'first', seq: last?.seq ?? 0 };
      await store.fork({ id: 'fork', config, parent, events: [sampleFork(parent)] });
      expect(await store.standingApprovals()).toEqual([]);
      await approve('third', 'tool_and_folder');
      expect(await store.revokeStandingApprovals()).toHaveLength(1);
      expect(await store.standingApprovals()).toEqual([]);
    });

    it('makes no link to a run that is not there', async () => {
      await expect(store.addShare(share('a1', 'nobody'))).rejects.toMatchObject({ code: 'run_not_found' });
      expect(await store.shares()).toEqual([]);
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
      store = await subject.reopen();
      expect(await store.modelCheck('qwen3:8b')).toEqual(again);
      expect(await store.modelChecks()).toEqual([again, second, other].map(summarizeCheck));
      // The history has replaced checks too, once each.
      await store.saveModelCheck(again);
      expect(await store.checkHistory(10)).toEqual([first, other, second, again].map(summarizeCheck));
      expect(await store.checkHistory(2)).toEqual([second, again].map(summarizeCheck));
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

    it('keeps one price per model, until it is taken away', async () => {
      const api = { kind: 'api', input_usd_per_million: 0.5, output_usd_per_million: 1.5 } as const;
      const electricity = { kind: 'electricity', watts: 350, usd_per_kwh: 0.32 } as const;
      expect((await store.prices()).size).toBe(0);
      await store.savePrice('qwen3:8b', api);
      await store.savePrice('gone:1b', api);
      await store.savePrice('qwen3:8b', electricity);
      await store.savePrice('gone:1b', null);
      await store.savePrice('never:1b', null);
      store = await subject.reopen();
      expect(await store.prices()).toEqual(new Map([['qwen3:8b', electricity]]));
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
      store = await subject.reopen();
      expect((await store.summary('priced'))?.cost_usd).toBe(2);
      expect((await store.summary('free'))?.cost_usd).toBeUndefined();
    });

    it('keeps presets under names that no two of them share, until they are deleted', async () => {
      const preset = {
        id: 'p1',
        name: 'Wöchentlicher Bericht',
        run: { mode: 'task', task: 'Summarise {file}\u0000', budget: { max_seconds: 60 } },
        created_at: 1,
        updated_at: 1,
      } satisfies PresetRecord;
      expect(await store.savePreset(preset)).toBe(true);
      const other = { ...preset, id: 'p2', name: 'Other', created_at: 2 };
      expect(await store.savePreset({ ...other, name: 'WÖCHENTLICHER bericht' })).toBe(false);
      expect(await store.savePreset(other)).toBe(true);
      store = await subject.reopen();
      expect(await store.presets()).toEqual([preset, other]);
      expect(await store.savePreset({ ...other, name: 'wöchentlicher Bericht' })).toBe(false);
      const renamed = { ...other, name: 'OTHER', run: {}, updated_at: 3 };
      expect(await store.savePreset(renamed)).toBe(true);
      expect(await store.presets()).toEqual([preset, renamed]);
      expect([await store.deletePreset('p1'), await store.deletePreset('p1')]).toEqual([true, false]);
      expect(await store.savePreset({ ...other, name: preset.name })).toBe(true);
    });

    it('keeps suites with their versions under names that no two of them share', async () => {
      const cases = (input: string): SuiteCase[] => [{ id: 'a', input, files: { 'a.txt': 'x\u0000' } }];
      const suite: SuiteRecord = {
        ...{ id: 's1', name: 'Grundlagen Ä', description: '', hash: 'h1', cases: 1 },
        ...{ created_at: 1, updated_at: 1 },
      };
      expect(await store.saveSuite(suite, { cases: cases('one') })).toBe('saved');
      const other = { ...suite, id: 's2', name: 'Other', created_at: 2 };
      const namesake = { ...other, name: 'GRUNDLAGEN ä' };
      expect(await store.saveSuite(namesake, { cases: cases('one') })).toBe('name_taken');
      expect(await store.suite('s2')).toBeUndefined();
      expect(await store.saveSuite(other, { cases: cases('one') })).toBe('saved');

      const second = { ...suite, description: 'New', hash: 'h2', updated_at: 5 };
      const outdated = { cases: cases('two'), base: 'h0' };
      expect(await store.saveSuite(second, outdated)).toBe('changed');
      expect(await store.saveSuite({ ...second, name: other.name }, outdated)).toBe('changed');
      const current = { cases: cases('two'), base: 'h1' };
      expect(await store.saveSuite({ ...second, name: other.name }, current)).toBe('name_taken');
      expect(await store.saveSuite(second, current)).toBe('saved');
      // A write whose answer was lost is tried again.
      expect(await store.saveSuite(second, current)).toBe('saved');
      store = await subject.reopen();
      expect(await store.suites()).toEqual([second, other]);
      expect(await store.suiteVersions('s1')).toEqual([
        { hash: 'h2', cases: 1, created_at: 5 },
        { hash: 'h1', cases: 1, created_at: 1 },
      ]);
      expect(await store.suiteCases('s1', 'h1')).toEqual(cases('one'));
      expect(await store.suiteCases('s1', 'h2')).toEqual(cases('two'));
      expect(await store.suiteCases('s1', 'h3')).toBeUndefined();

      expect([await store.deleteSuite('s1'), await store.deleteSuite('s1')]).toEqual([true, false]);
      expect(await store.suiteVersions('s1')).toEqual([]);
      expect(await store.saveSuite(second, { cases: cases('two'), base: 'h2' })).toBe('changed');
    });

    it('keeps the newest versions of a suite, and the current one among them', async () => {
      const suite = (updated_at: number, hash = `h${updated_at}`): SuiteRecord => ({
        ...{ id: 's1', name: 'Many', description: '', cases: 1, created_at: 1 },
        ...{ hash, updated_at },
      });
      const cases = [{ id: 'a', input: 'x' }];
      const last = MAX_SUITE_VERSIONS + 2;
      for (let at = 1; at <= last; at += 1) await store.saveSuite(suite(at), { cases });
      const hashes = async () => (await store.suiteVersions('s1')).map(({ hash }) => hash);
      const kept = Array.from({ length: MAX_SUITE_VERSIONS }, (_, index) => `h${last - index}`);
      expect(await hashes()).toEqual(kept);
      await store.saveSuite(suite(last + 1, 'h3'), { cases });
      expect(await hashes()).toEqual(['h3', ...kept.slice(0, -1)]);
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
      await store.saveBenchmark(record('b1', 1));
      await store.saveBenchmark(record('b2', 2));
      await store.addBenchmarkResult('b1', result(2), evidence);
      await store.addBenchmarkResult('b1', result(1), evidence);
      await store.addBenchmarkResult('b1', { ...result(1), duration_ms: 9 }, evidence);
      const finished = { ...record('b1', 1), status: 'finished' as const };
      await store.saveBenchmark(finished);
      store = await subject.reopen();
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
      await store.saveExperiment(summary('older', 1), items.toReversed());
      await store.saveExperiment(summary('newer', 2), []);
      expect(await store.experiment('older')).toEqual({ summary: summary('older', 1), items });
      expect((await store.experiments()).map(({ id }) => id)).toEqual(['newer', 'older']);

      const running: ExperimentItem = {
        ...{ position: 2, model: 'm', options: {}, seed: 2, repeat: 1 },
        ...{ status: 'running', run_id: 'r' },
      };
      const changed: ExperimentSummary = { ...summary('older', 1), status: 'running', updated_at: 9 };
      await store.saveExperiment(changed, [running]);
      store = await subject.reopen();
      expect(await store.experiment('older')).toEqual({
        summary: changed,
        items: [items[0], running, items[2]],
      });
      expect(await store.experiment('nobody')).toBeUndefined();
      expect(await store.experimentCases('older')).toBeUndefined();
      const cases = suiteCases.parse([{ id: 'a', input: 'Read it.', target: ['4', 'four'] }]);
      await store.saveExperiment(summary('newer', 2), [], cases);
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
  });
}
