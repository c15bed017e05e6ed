import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { MAX_SERVER_WAITS } from '../events/retry-limits.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { ModelErrorKind } from '../model/model-error.ts';
import { isRepetition } from '../policies/repetition.ts';
import { STATUS_OF } from '../policies/termination.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { scriptedTools, simulateRun, type Turn } from '../testing/simulate-run.ts';
import { nextAction } from './next-action.ts';

/** More runs than in everyday use: `LOUPE_PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env.LOUPE_PROPERTY_RUNS ?? 300);

/** Enough for every possible retry: 1 + length 1 + malformed 1 + transient 2 + overflow 3 + thinking 1. */
const MAX_CALLS_PER_ITERATION = 9;

/** Events that result from an action; all others are decided by `nextAction` itself. */
const OUTCOMES: ReadonlySet<string> = new Set([
  'run.resumed',
  'preflight.checked',
  'model.load-started',
  'model.loaded',
  'server-wait.ended',
  'attempt.started',
  'model-call.ended',
  'model-call.failed',
  'tool-call.ended',
  'verification.checked',
]);

const call = fc
  .tuple(fc.constantFrom('write_file', 'read_file', 'nonsense'), fc.constantFrom('a', 'b', 'c'))
  .map(([name, path]) => ({ function: { name, arguments: { path } } }));

const reply = fc
  .record({
    content: fc.constantFrom(
      '',
      'The task is completed.',
      'I will look at the files.',
      '<tool_call>{"name": "read_file", "arguments": {"path": </tool_call>',
      '<think>Hmm.</think>',
      '{"name": "read_file", "arguments": {"path": "a"}}',
    ),
    tool_calls: fc.option(fc.array(call, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 }),
    doneReason: fc.constantFrom('stop', 'stop', 'stop', 'length'),
    replyTokens: fc.constantFrom(1, 40, 2048, undefined),
    promptTokens: fc.constantFrom(10, 500, undefined),
  })
  .map(
    ({ content, tool_calls, ...rest }): Turn => ({
      reply: { message: { role: 'assistant', content, tool_calls }, timings: {}, ...rest },
    }),
  );

const failure = fc
  .constantFrom<ModelErrorKind>(
    ...(['unreachable', 'overflow', 'busy', 'cut_off', 'malformed_call', 'timeout', 'http'] as const),
    ...(['no_thinking_support', 'no_thinking_levels', 'bad_response', 'model_missing'] as const),
  )
  .map((kind): Turn => ({ failure: kind }));

const turns = fc.array(fc.oneof({ weight: 6, arbitrary: reply }, { weight: 1, arbitrary: failure }), {
  minLength: 1,
  maxLength: 12,
});

const config = fc.record({
  max_iterations: fc.integer({ min: 1, max: 8 }),
  max_attempts: fc.integer({ min: 1, max: 3 }),
  max_nudges: fc.integer({ min: 0, max: 3 }),
  stall_guard: fc.boolean(),
  server_wait_seconds: fc.constantFrom(0, 600),
  nudge_plans: fc.boolean(),
  think: fc.boolean(),
  agentic: fc.constantFrom(true, true, true, false),
  window_tokens: fc.constantFrom(900, 1600, 32_768),
  budget: fc.constantFrom<RunConfig['budget']>({}, { max_tokens_total: 1200 }),
  checks: fc.constantFrom<RunConfig['checks']>(
    [],
    [{ type: 'file_exists', path: 'a' }],
    [
      { type: 'answer_contains', text: 'a' },
      { type: 'tool_called', tool: 'read_file', at_most: 2 },
    ],
    [
      { type: 'answer_equals', value: 1 },
      { type: 'iterations_at_most', iterations: 2 },
    ],
  ),
});

const trouble = fc.record({
  /** Appends after which the worker dies, one per life; whether the last append was still made. */
  crashes: fc.array(fc.record({ afterAppends: fc.integer({ min: 0, max: 12 }), committed: fc.boolean() }), {
    maxLength: 4,
  }),
  stop: fc.option(fc.record({ atSeq: fc.integer({ min: 3, max: 60 }), force: fc.boolean() }), {
    nil: undefined,
    freq: 1,
  }),
  checkResults: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  toolResults: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
});

/** Plays a run through all its deaths to its end. */
function simulate(input: {
  turns: Turn[];
  config: Partial<RunConfig>;
  trouble: typeof trouble extends fc.Arbitrary<infer T> ? T : never;
}) {
  const { stop, crashes, toolResults, checkResults } = input.trouble;
  const settings = sampleConfig({ live_tokens: false, ...input.config });
  if (!settings.agentic) Object.assign(settings, { checks: [], parser_layers: [] });
  let executed = 0;
  let checked = 0;
  return simulateRun({
    config: settings,
    turns: input.turns,
    crashes,
    others: (state) =>
      stop && !state.stop && !state.ended && state.seq >= stop.atSeq
        ? [{ type: 'stop.requested', force: stop.force, by: 'operator' }]
        : [],
    toolbox: scriptedTools(['read_file', 'write_file'], (name) => {
      executed += 1;
      return toolResults[executed % toolResults.length]
        ? { success: true, tool: name, output: 'x'.repeat(700) }
        : { success: false, tool: name, output: { error: 'no' } };
    }),
    runChecks: async (checks) =>
      checks.map((check) => {
        checked += 1;
        const passed = checkResults[checked % checkResults.length] ?? false;
        return { check, passed, output: '', duration_ms: 1 };
      }),
  });
}

const simulation = fc.record({ turns, config, trouble });

function count(events: readonly RunEvent[], type: RunEvent['type']): number {
  return events.filter((event) => event.type === type).length;
}

it('every run ends within its limits, whatever the model replies and however often its worker dies', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { log } = await simulate(input);
      const { events, state } = log;
      const settings = state.config;
      if (!settings || !state.ended) throw new Error('The run did not end');
      expect(count(events, 'run.ended')).toBe(1);
      expect(events.at(-1)?.type).toBe('run.ended');

      // T19: the status follows from the outcome.
      const { result, outcome } = state.ended;
      expect(outcome && STATUS_OF[outcome.kind]).toBe(result.status);
      expect(result.error === null || typeof result.error.message === 'string').toBe(true);

      expect(state.attempt).toBeLessThanOrEqual(settings.max_attempts);
      let iteration = 0;
      let calls = 0;
      for (const event of events) {
        if (event.type === 'iteration.started') {
          expect(event.iteration).toBeLessThanOrEqual(settings.max_iterations);
          iteration = event.iteration;
          calls = 0;
        }
        if (event.type === 'model-call.started') {
          calls += 1;
          expect(calls).toBeLessThanOrEqual(
            MAX_CALLS_PER_ITERATION + MAX_SERVER_WAITS + input.trouble.crashes.length,
          );
        }
        if (event.type === 'policy.nudged') expect(event.count).toBeLessThanOrEqual(settings.max_nudges);
        if (event.type === 'budget.checked' && event.exceeded) {
          // V1: no more model calls once the budget is spent.
          expect(events.slice(event.seq).some((later) => later.type === 'model-call.started')).toBe(false);
        }
        if (event.type === 'model-call.started') expect(event.iteration).toBe(iteration);
      }
    }),
    { numRuns },
  );
}, 120_000);

it('no call runs twice or without its intent in the log', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { log, executed } = await simulate(input);
      expect(new Set(executed.map(({ callId }) => callId)).size).toBe(executed.length);
      const started = log.events.flatMap((event) =>
        event.type === 'tool-call.started' ? [event.call_id] : [],
      );
      expect(new Set(started).size).toBe(started.length);
      for (const { callId } of executed) expect(started).toContain(callId);
      // Everything that was started is ended or interrupted exactly once.
      const closed = log.events.flatMap((event) =>
        event.type === 'tool-call.ended' || event.type === 'tool-call.interrupted' ? [event.call_id] : [],
      );
      expect(closed.toSorted()).toEqual(started.toSorted());
      // G6: executed calls never repeat three times in a row.
      const { callHistory } = log.state;
      callHistory.forEach((calls, index) => {
        expect(isRepetition(callHistory.slice(0, index + 1), calls)).toBe(false);
      });
    }),
    { numRuns },
  );
}, 120_000);

it('folding is repeatable, every event matches its schema, and nextAction reproduces the log at every prefix', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { log, lives, mode } = await simulate(input);
      expect(foldAll(emptyRunState('run'), log.events)).toEqual(log.state);
      for (const event of log.events) expect(runEvent.parse(event)).toEqual(event);
      for (const { events, transactions } of lives) {
        for (const transaction of transactions.slice(1)) {
          if (OUTCOMES.has(transaction.events[0]?.type ?? '')) continue;
          const state = foldAll(emptyRunState('run'), events.slice(0, transaction.at));
          const action = nextAction(state, mode, 1000);
          // Deciding twice, and from a freshly folded log, gives the same action.
          expect(nextAction(structuredClone(state), mode, 1000)).toEqual(action);
          expect('events' in action && action.events).toEqual(transaction.events);
        }
      }
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  );
}, 120_000);

it('a run resumed at any prefix reloads the model and continues with the same action', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { log, mode } = await simulate({ ...input, trouble: { ...input.trouble, crashes: [] } });
      const { transactions } = log;
      for (const { at } of transactions.slice(1)) {
        const before = foldAll(emptyRunState('run'), log.events.slice(0, at));
        const at1000 = { run_id: 'run', at: 1000 };
        const taken = foldAll(before, [
          { ...at1000, seq: at + 1, type: 'run.resumed', worker: 'v', epoch: 2 },
        ]);
        const action = nextAction(before, mode, 1000);
        const resumed = nextAction(taken, mode, 1000);
        if (before.phase === 'calling' || before.phase === 'loading') {
          // An open call is made again, unless a stop came in between.
          expect(['load-model', 'append']).toContain(resumed.type);
          continue;
        }
        if (resumed.type !== 'load-model') {
          expect(resumed).toEqual(action);
          continue;
        }
        const loaded = foldAll(taken, [
          {
            ...at1000,
            seq: at + 2,
            type: 'model.loaded',
            already_loaded: true,
            load_ms: 0,
            context_tokens: before.loaded?.context_tokens,
          },
        ]);
        if (action.type !== 'load-model') expect(nextAction(loaded, mode, 1000)).toEqual(action);
      }
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  );
}, 120_000);
