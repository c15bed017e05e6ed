import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { withoutUnused } from '../api/unused-fields.ts';
import { nextAction } from '../engine/next-action.ts';
import { foldCycles, noCycles } from '../events/fold-cycles.ts';
import { foldAll, foldRun } from '../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { conversationChars } from '../events/message-size.ts';
import { PROMPT_ROLES } from '../events/prompt-role.ts';
import { noPrompts, PromptFold } from '../events/prompt-roles.ts';
import { type NewEvent, type RunEvent, runEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import type { ModelErrorKind } from '../model/model-error.ts';
import { ExploreLogProjection } from '../sharing/exports/explore-log.ts';
import { SessionLogProjection, sessionLogEntry } from '../sharing/exports/session-log.ts';
import { exploreLogEntry } from '../testing/explore-log-entry.ts';
import { simulateRun, type Turn } from '../testing/simulate-run.ts';
import { createExploreTools } from '../tools/explore-tools.ts';
import { resolveConfig } from './resolve-config.ts';

/** For more runs than the default: `LOUPE_PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env.LOUPE_PROPERTY_RUNS ?? 150);

/** Appends that record the result of an action; `nextAction` decides all others itself. */
const OUTCOMES: ReadonlySet<string> = new Set([
  ...['run.resumed', 'preflight.checked', 'model.load-started', 'model.loaded', 'attempt.started'],
  ...['model-call.ended', 'model-call.failed', 'tool-call.ended', 'memory.changed', 'agent.messaged'],
  ...['diversity.advised', 'policy.warned'],
]);

const key = fc.constantFrom('a', 'b', '__proto__');
const call = fc
  .oneof(
    fc.record({ name: fc.constant('write'), key, value: fc.constantFrom('x', 'y'.repeat(50)) }),
    fc.record({ name: fc.constantFrom('read', 'delete'), key }),
    fc.record({ name: fc.constantFrom('list', 'fly') }),
    fc.record({ name: fc.constant('send_message_to_operator'), message: fc.constant('Hello.') }),
  )
  .map(({ name, ...args }) => ({ function: { name, arguments: args } }));

const reply = fc
  .record({
    content: fc.constantFrom(
      '',
      '',
      'I looked around today.',
      'Something quite different this time.',
      '<think>Hm.</think>',
      '<tool_call>{"name": "write", "arguments": {"key": "t", "value": "v"}}</tool_call>',
      '<tool_call>{"name": "write", "arguments": {"key": ',
      '{"name": "read", "arguments": {"key": "a"}}',
    ),
    thinking: fc.constantFrom(undefined, 'Let me think.'),
    tool_calls: fc.option(fc.array(call, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 }),
    doneReason: fc.constantFrom('stop', 'stop', 'length'),
    replyTokens: fc.constantFrom(1, 40, undefined),
  })
  .map(
    ({ content, thinking, tool_calls, ...rest }): Turn => ({
      reply: { message: { role: 'assistant', content, thinking, tool_calls }, timings: {}, ...rest },
    }),
  );

const failure = fc
  .constantFrom<ModelErrorKind>(
    'overflow',
    'busy',
    'malformed_call',
    'timeout',
    'http',
    'no_thinking_support',
    'no_thinking_levels',
  )
  .map((kind): Turn => ({ failure: kind, transient: false }));

const turns = fc.array(fc.oneof({ weight: 9, arbitrary: reply }, { weight: 1, arbitrary: failure }), {
  minLength: 1,
  maxLength: 12,
});

const trouble = fc.record({
  crashes: fc.array(fc.record({ afterAppends: fc.integer({ min: 0, max: 15 }), committed: fc.boolean() }), {
    maxLength: 3,
  }),
  stop: fc.record({ atSeq: fc.integer({ min: 3, max: 120 }), force: fc.boolean() }),
  stops: fc.boolean(),
  messages: fc.uniqueArray(fc.integer({ min: 3, max: 90 }), { maxLength: 4 }),
});

const session = fc
  .record({
    autopilot: fc.boolean(),
    autopilot_turns: fc.constantFrom(3, 1000),
    task: fc.constantFrom('', 'Hello.'),
    turn_delay: fc.constantFrom(0, 20),
    context_limit: fc.constantFrom(600, 30_000),
    handover_at: fc.constantFrom(undefined, 0.5),
  })
  .map((settings) => ({ mode: 'session' as const, ...settings }));
const explore = fc
  .record({
    max_cycles: fc.constantFrom(1, 3, 5, null),
    calls_per_cycle: fc.integer({ min: 1, max: 4 }),
    cycle_line: fc.boolean(),
    context_limit: fc.constantFrom(600, 30_000),
    handover_at: fc.constantFrom(undefined, 0.5),
    operator_policy: fc.constantFrom('none' as const, 'fixed' as const, 'list' as const),
    operator_replies: fc.constant(['Go on.']),
    diversity: fc.constantFrom(undefined, {}, { embedding_model: 'e' }),
  })
  .map((settings) => withoutUnused({ mode: 'explore' as const, ...settings }));

const simulation = fc
  .record({ settings: fc.oneof(session, explore), turns, trouble })
  // A handover keeps the window from filling up, so only a stop is certain to end the run.
  .map(({ trouble: all, ...input }) => ({
    ...input,
    trouble: { ...all, stops: all.stops || input.settings.handover_at !== undefined },
  }));
type Input = typeof simulation extends fc.Arbitrary<infer T> ? T : never;

function saidAfter({ operatorMessages }: RunState): Extract<NewEvent, { type: 'operator.messaged' }> {
  const id = `m${operatorMessages.length + 1}`;
  return { type: 'operator.messaged', message_id: id, text: `Word ${id}.` };
}

function simulate({ settings, turns, trouble }: Input) {
  const { crashes, messages, stop } = trouble;
  const config = resolveConfig(
    createRunRequest.parse({ model: 'm', num_predict: [50, 100], window_tokens: 32_768, ...settings }),
    { workspace: '/w', offeredTools: [] },
  );
  // Runs without their own limit are always stopped.
  const stops = trouble.stops || settings.mode === 'session' || settings.max_cycles === null;
  return simulateRun({
    config,
    turns,
    crashes,
    others: (state) => {
      if (state.ended) return [];
      const sent = state.operatorMessages.length;
      if (sent < messages.filter((seq) => state.seq >= seq).length) {
        return [saidAfter(state)];
      }
      if (!stops || state.stop || state.seq < stop.atSeq) return [];
      return [{ type: 'stop.requested', force: stop.force, by: 'operator' }];
    },
    whenWaiting: (state) =>
      state.operatorMessages.length < 8
        ? [saidAfter(state)]
        : [{ type: 'stop.requested', force: false, by: 'operator' }],
    toolbox: createExploreTools(),
  });
}

const count = (events: readonly RunEvent[], type: RunEvent['type']) =>
  events.filter((event) => event.type === type).length;

it('every stopped session and every bounded exploration ends within its limits', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { log, config } = await simulate(input);
      const { events, state } = log;
      if (!state.ended) throw new Error('The run did not end');
      expect(count(events, 'run.ended')).toBe(1);
      expect(events.at(-1)?.type).toBe('run.ended');
      const { explore: bounds } = config;
      if (!bounds) return;
      expect(state.cycle.number).toBeLessThanOrEqual(bounds.max_cycles ?? Number.POSITIVE_INFINITY);
      let iterations = 0;
      for (const event of events) {
        if (event.type === 'cycle.started') iterations = 0;
        if (event.type === 'handover.started') iterations -= 1; // the call for the summary does not belong to the cycle
        if (event.type === 'iteration.started') iterations += 1;
        expect(iterations).toBeLessThanOrEqual(bounds.calls_per_cycle);
      }
      // X11: one reflection per cycle, in order.
      const reflected = events.flatMap((event) => (event.type === 'cycle.reflected' ? [event.cycle] : []));
      expect(reflected).toEqual(reflected.map((_, index) => index + 1));
    }),
    { numRuns },
  );
}, 120_000);

it('nothing runs twice, and a full conversation makes no further calls', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { log, executed, config } = await simulate(input);
      expect(new Set(executed.map(({ callId }) => callId)).size).toBe(executed.length);
      const started = log.events.flatMap((event) =>
        event.type === 'tool-call.started' ? [event.call_id] : [],
      );
      expect(new Set(started).size).toBe(started.length);
      for (const { callId } of executed) expect(started).toContain(callId);
      const closed = log.events.flatMap((event) =>
        event.type === 'tool-call.ended' || event.type === 'tool-call.interrupted' ? [event.call_id] : [],
      );
      expect(closed.toSorted()).toEqual(started.toSorted());
      const limit = config.session?.context_limit ?? config.explore?.context_limit ?? 0;
      let state = emptyRunState('run');
      for (const event of log.events) {
        // C8-C10: no iteration starts over the limit, except to write the summary for a handover.
        if (event.type === 'iteration.started' && state.handover.kept === undefined) {
          expect(conversationChars(state.messages)).toBeLessThanOrEqual(limit * 4);
        }
        state = foldRun(state, event);
      }
    }),
    { numRuns },
  );
}, 120_000);

it('every operator message is either delivered once or returned', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { settings } = input;
      fc.pre(!('operator_policy' in settings) || settings.operator_policy === 'none'); // replies have equal texts
      fc.pre(input.settings.handover_at === undefined); // a handover begins a new history
      const { log } = await simulate(input);
      const sent = log.events.flatMap((event) => (event.type === 'operator.messaged' ? [event] : []));
      const delivered = log.events.flatMap((event) =>
        event.type === 'operator.delivered' ? event.message_ids : [],
      );
      expect(new Set(delivered).size).toBe(delivered.length);
      expect(log.state.operatorMessages.map(({ id }) => id)).toEqual(sent.map((event) => event.message_id));
      for (const message of log.state.operatorMessages) {
        expect(message.status).toBe(delivered.includes(message.id) ? 'delivered' : 'returned');
        const readings = log.state.messages.filter(({ content }) => content.includes(message.text));
        expect(readings).toHaveLength(message.status === 'delivered' ? 1 : 0);
        // O14: in an exploration, only as the result of a tool.
        const roles = input.settings.mode === 'explore' ? ['tool'] : ['user', 'tool'];
        for (const { role } of readings) expect(roles).toContain(role);
      }
    }),
    { numRuns },
  );
}, 120_000);

it('a history only grows, and the memory matches its logged changes [X13, O13]', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      fc.pre(input.settings.handover_at === undefined); // a handover begins a new history
      const { log } = await simulate(input);
      let state = emptyRunState('run');
      for (const event of log.events) {
        const before = state.messages;
        state = foldRun(state, event);
        for (const [index, message] of before.entries()) expect(state.messages[index]).toBe(message);
      }
      const last = new Map<string, string>();
      for (const { key, value } of foldCycles(noCycles, log.events).changes) {
        if (value === undefined) last.delete(key);
        else last.set(key, value);
      }
      expect(new Map([...state.memory].map(([name, { value }]) => [name, value]))).toEqual(last);
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
      for (const { at } of log.transactions.slice(1)) {
        const before = foldAll(emptyRunState('run'), log.events.slice(0, at));
        const at1000 = { run_id: 'run', at: 1000 };
        const taken = foldRun(before, { ...at1000, seq: at + 1, type: 'run.resumed', worker: 'v', epoch: 2 });
        const action = nextAction(before, mode, 1000);
        const resumed = nextAction(taken, mode, 1000);
        if (before.phase === 'calling' || before.phase === 'loading') {
          expect(['load-model', 'append']).toContain(resumed.type);
          continue;
        }
        if (resumed.type !== 'load-model') {
          expect(resumed).toEqual(action);
          continue;
        }
        const loaded = foldRun(taken, {
          ...at1000,
          seq: at + 2,
          type: 'model.loaded',
          already_loaded: true,
          load_ms: 0,
          context_tokens: before.loaded?.context_tokens,
        });
        if (action.type !== 'load-model') expect(nextAction(loaded, mode, 1000)).toEqual(action);
      }
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  );
}, 120_000);

it('both logs are valid for every run, and views fold the same in pieces and as a whole [S19, X14-X16]', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, fc.integer({ min: 1, max: 7 }), async (input, piece) => {
      const { log } = await simulate(input);
      const { events } = log;
      const sessionLog = new SessionLogProjection();
      const lines = events.flatMap((event) => sessionLog.take(event));
      for (const line of lines) sessionLogEntry.parse(line);
      if (lines.length > 0) {
        expect(lines.filter(({ event }) => event === 'session_start')).toHaveLength(1);
        expect(lines.at(-1)?.event).toBe('session_end');
      }
      const exploreLog = new ExploreLogProjection();
      const entries = events.flatMap((event) => exploreLog.take(event));
      for (const entry of entries) exploreLogEntry.parse(entry);
      expect(entries.filter(({ event_type }) => event_type === 'LLM_INVOCATION')).toHaveLength(
        count(events, 'model-call.ended') + count(events, 'model-call.failed'),
      );

      let cycles = noCycles;
      let timeline = emptyTimeline;
      let state = emptyRunState('run');
      let history = noPrompts;
      for (let from = 0; from < events.length; from += piece) {
        cycles = foldCycles(cycles, events.slice(from, from + piece));
        timeline = foldTimeline(timeline, events.slice(Math.max(0, from - 1), from + piece));
        const fold = new PromptFold(history);
        state = foldAll(state, events.slice(from, from + piece), (now, event) => fold.take(now, event));
        history = fold.history;
      }
      const whole = new PromptFold(noPrompts);
      foldAll(emptyRunState('run'), events, (now, event) => whole.take(now, event));
      expect(history).toEqual(whole.history);
      const estimates = events.flatMap((event) =>
        event.type === 'model-call.started' ? [event.estimated_tokens] : [],
      );
      expect(history.prompts).toHaveLength(estimates.length);
      for (const [index, { roles }] of history.prompts.entries()) {
        const sum = PROMPT_ROLES.reduce((all, role) => all + roles[role], 0);
        expect(sum).toBeCloseTo(estimates[index] ?? 0);
        for (const role of PROMPT_ROLES) expect(roles[role]).toBeGreaterThanOrEqual(0);
        expect(roles.other).toBe(0);
      }
      expect(cycles).toEqual(foldCycles(noCycles, events));
      expect(timeline).toEqual(foldTimeline(emptyTimeline, events));
      expect(cycles.cycles).toHaveLength(log.state.cycle.number);
    }),
    { numRuns: Math.ceil(numRuns / 2) },
  );
}, 120_000);
