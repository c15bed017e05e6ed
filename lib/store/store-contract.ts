import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ExperimentItem, type ExperimentSummary, experimentRequest } from '../api/experiment.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import type { NewEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { RunStore } from './run-store.ts';

/** A store under test, in a place of its own that outlives `reopen`. */
export interface StoreUnderTest {
  store: RunStore;
  /** Closes the store and opens it again on what it left. */
  reopen(): Promise<RunStore>;
  dispose(): Promise<void>;
}

const config: RunConfig = {
  mode: 'task',
  agentic: true,
  task: 'Write the file notes.txt',
  model: 'loupe-demo',
  workspace: '/tmp/workspace',
  tier: 'standard',
  max_iterations: 10,
  window_tokens: 8192,
  compact_at: 0.75,
  keep_rounds: 3,
  result_chars: 8000,
  num_predict: [2048, 4096],
  call_timeout_ms: 120_000,
  load_timeout_ms: 600_000,
  repetition_threshold: 3,
  stall_guard: true,
  stall_threshold: 5,
  nudge_plans: true,
  max_nudges: 2,
  budget: {},
  checks: [],
  max_attempts: 3,
  live_tokens: false,
  think: false,
  keep_alive: '5m',
  model_options: {},
  parser_layers: ['native', 'json', 'xml'],
};

const warned = (message: string): NewEvent => ({ type: 'policy.warned', code: 'test', message });

const ended: NewEvent = {
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
};

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

/** A reply that was read, with a call of each of these layers. */
function reply(options: {
  calls?: ('native' | 'json' | 'xml')[];
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

/** What every `RunStore` must do. `open` makes a fresh, empty one. */
export function describeRunStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a run store`, () => {
    let subject: StoreUnderTest;
    let store: RunStore;

    beforeEach(async () => {
      subject = await open();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    it('E9: numbers the events of a run 1, 2, 3 and brings them back as they were', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const hostile = '\u0000 \ud800 "__proto__" \u2028 🦊';
      const appended = await store.append('a', {
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

    it('D5: reads after a number, at most as many as asked for, and single events', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await store.append('a', { epoch, expectedSeq: 1, events: ['2', '3', '4', '5'].map(warned) });
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

    it('D3: brings the first run again for a repeated idempotency key', async () => {
      const first = await store.create({ id: 'a', config, idempotencyKey: 'key' });
      const again = await store.create({ id: 'b', config, idempotencyKey: 'key' });
      expect(first).toEqual({ runId: 'a', created: true });
      expect(again).toEqual({ runId: 'a', created: false });
      expect(await store.summary('b')).toBeUndefined();
    });

    it('refuses an append of an older epoch and changes nothing', async () => {
      await store.create({ id: 'a', config });
      const old = await store.claim('a', 'frozen');
      const young = await store.claim('a', 'awake');
      expect(young.epoch).toBe(old.epoch + 1);
      const stale = store.append('a', { epoch: old.epoch, expectedSeq: 1, events: [warned('late')] });
      await expect(stale).rejects.toMatchObject({ code: 'stale_epoch' });
      expect(await store.read('a', { afterSeq: 1, limit: 10 })).toEqual([]);
      await store.append('a', { epoch: young.epoch, expectedSeq: 1, events: [warned('mine')] });
      expect(await store.summary('a')).toMatchObject({ last_seq: 2 });
    });

    it('refuses an append that expects another length and stores nothing of it', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      for (const expectedSeq of [0, 2, 7]) {
        const wrong = store.append('a', { epoch, expectedSeq, events: [warned('x'), warned('y')] });
        await expect(wrong).rejects.toMatchObject({ code: 'seq_conflict' });
      }
      expect(await store.read('a', { afterSeq: 0, limit: 10 })).toHaveLength(1);
    });

    it('stores the events of one append together or not at all', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const broken: NewEvent = {
        type: 'tool-call.ended',
        call_id: 'c1',
        tool: 'x',
        result: { success: true, tool: 'x', output: null },
        duration_ms: 1,
      };
      await expect(
        store.append('a', { epoch, expectedSeq: 1, events: [warned('first'), broken] }),
      ).rejects.toThrow(/never started/);
      expect(await store.read('a', { afterSeq: 1, limit: 10 })).toEqual([]);
      await store.append('a', { epoch, expectedSeq: 1, events: [warned('second')] });
      expect(await store.readOne('a', 2)).toMatchObject({ message: 'second' });
    });

    it('refuses what it could not read back', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      const wrong: NewEvent = { type: 'run.started', worker: 'w', epoch: Number.NaN };
      await expect(store.append('a', { epoch, expectedSeq: 1, events: [wrong] })).rejects.toThrow();
      expect(await store.read('a', { afterSeq: 1, limit: 10 })).toEqual([]);
    });

    it('P17: counts for each model how its replies were read, over all runs, and keeps the counts', async () => {
      const readAs = async (id: string, model: string, parsed: readonly NewEvent[]) => {
        await store.create({ id, config: { ...config, model } });
        const { epoch } = await store.claim(id, 'worker');
        let expectedSeq = 1;
        for (const event of parsed) {
          const started: NewEvent = { ...modelCall, call: expectedSeq };
          expectedSeq =
            (await store.append(id, { epoch, expectedSeq, events: [started, event] })).at(-1)?.seq ?? 0;
        }
        const refused = store.append(id, { epoch: epoch + 1, expectedSeq, events: [reply({})] });
        await expect(refused).rejects.toMatchObject({ code: 'stale_epoch' });
      };
      await readAs('a', 'qwen3', [reply({ calls: ['native', 'native'] }), reply({})]);
      await readAs('b', 'qwen3', [reply({ calls: ['json'], mended: true, refusals: 2 }), swallowed]);
      await readAs('c', 'qwen3', [reply({ calls: ['xml'] })]);
      await readAs('d', 'other', [reply({ malformed: true })]);
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
      await store.append('a', { epoch, expectedSeq: 1, events: [ended] });
      await expect(store.claim('a', 'worker')).rejects.toMatchObject({ code: 'run_ended' });
      const late = store.append('a', { epoch, expectedSeq: 2, events: [warned('late')] });
      await expect(late).rejects.toMatchObject({ code: 'run_ended' });
    });

    it('keeps the summary equal to the fold of the log', async () => {
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await store.append('a', {
        epoch,
        expectedSeq: 1,
        events: [{ type: 'run.started', worker: 'worker', epoch }],
      });
      await store.append('a', {
        epoch,
        expectedSeq: 2,
        events: [{ type: 'stop.requested', force: false, by: 'operator' }],
      });
      await store.append('a', { epoch, expectedSeq: 3, events: [ended] });
      const log = await store.read('a', { afterSeq: 0, limit: 10 });
      expect(await store.summary('a')).toEqual(summarizeRun(foldAll(emptyRunState('a'), log)));
    });

    it('lists the newest first, page by page, and the unfinished oldest first', async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await store.create({ id, config });
      const { epoch } = await store.claim('c', 'worker');
      await store.append('c', { epoch, expectedSeq: 1, events: [ended] });
      const seen: string[] = [];
      let before: { createdAt: number; id: string } | undefined;
      for (;;) {
        const page = await store.list({ limit: 2, before });
        seen.push(...page.map((run) => run.id));
        const last = page.at(-1);
        if (!last) break;
        before = { createdAt: last.created_at, id: last.id };
      }
      expect([...seen].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
      const newestFirst = (await store.list({ limit: 10 })).map((run) => run.created_at);
      expect(newestFirst).toEqual([...newestFirst].sort((x, y) => y - x));
      const unfinished = await store.unfinished();
      expect(unfinished.map((run) => run.id).sort()).toEqual(['a', 'b', 'd', 'e']);
    });

    it('counts how often a run was taken up since it last got on', async () => {
      await store.create({ id: 'a', config });
      expect(await store.beginRecovery('a')).toBe(1);
      expect(await store.beginRecovery('a')).toBe(2);
      await store.settleRecovery('a');
      expect(await store.beginRecovery('a')).toBe(1);
      await expect(store.beginRecovery('nobody')).rejects.toMatchObject({ code: 'run_not_found' });
    });

    it('wakes listeners after the commit, and survives one that throws', async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const heard: string[] = [];
      store.onAppend(() => {
        throw new Error('deaf');
      });
      const stop = store.onAppend((runId, lastSeq) => heard.push(`${runId}:${lastSeq}`));
      await store.create({ id: 'a', config });
      const { epoch } = await store.claim('a', 'worker');
      await store.append('a', { epoch, expectedSeq: 1, events: [warned('x'), warned('y')] });
      stop();
      await store.append('a', { epoch, expectedSeq: 3, events: [warned('z')] });
      expect(heard).toEqual(['a:1', 'a:3']);
      expect(log).toHaveBeenCalled();
      log.mockRestore();
    });

    it('D19: has everything again after it was closed and opened', async () => {
      await store.create({ id: 'a', config, idempotencyKey: 'key' });
      const { epoch } = await store.claim('a', 'worker');
      await store.append('a', { epoch, expectedSeq: 1, events: [warned('kept')] });
      const log = await store.read('a', { afterSeq: 0, limit: 10 });
      const summary = await store.summary('a');
      store = await subject.reopen();
      expect(await store.read('a', { afterSeq: 0, limit: 10 })).toEqual(log);
      expect(await store.summary('a')).toEqual(summary);
      expect(await store.create({ id: 'b', config, idempotencyKey: 'key' })).toEqual({
        runId: 'a',
        created: false,
      });
      await store.append('a', { epoch, expectedSeq: 2, events: [warned('on')] });
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
              const attempt = store.append(id, {
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
              store.append(id, { epoch, expectedSeq: 1, events: [warned(String(n))] }),
            ),
          );
          expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
          expect(await store.read(id, { afterSeq: 1, limit: 10 })).toHaveLength(1);
        }),
        { numRuns: 20 },
      );
    });

    it('keeps experiments with their items in order, and changes some of them at a time', async () => {
      const plan = experimentRequest.parse({ name: 'Seeds', models: ['m'], seeds: [1, 2, 3] });
      const summary = (id: string, created_at: number): ExperimentSummary => ({
        ...{ id, name: plan.name, mode: plan.mode, status: 'waiting', created_at, updated_at: created_at },
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
    });
  });
}
