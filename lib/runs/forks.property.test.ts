import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import type { ForkPlace } from '../api/fork-place.ts';
import { forkRequest } from '../api/fork-run.ts';
import { buildRequest } from '../engine/build-request.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { ForkFinder, forkProblem } from '../events/fork-point.ts';
import { forkedLog } from '../events/forked-log.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ModelErrorKind } from '../model/model-error.ts';
import { modeOf } from '../modes/mode-of.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { isHandingOver } from '../policies/handover.ts';
import { isReady } from '../policies/rule.ts';
import { eventsOf } from '../testing/events-of.ts';
import { scriptedTools, simulateRun, type Turn } from '../testing/simulate-run.ts';
import { createExploreTools } from '../tools/explore-tools.ts';
import type { JsonObject } from '../util/json.ts';
import { planFork } from './plan-fork.ts';

/** For more runs than the default: `LOUPE_PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env.LOUPE_PROPERTY_RUNS ?? 150);

const SAID = 'Said to the fork.';

const call = fc.constantFrom<{ name: string; arguments: JsonObject }>(
  { name: 'read_file', arguments: { path: 'a' } },
  { name: 'write_file', arguments: { path: 'b' } },
  { name: 'write', arguments: { key: 'a', value: 'x' } },
  { name: 'send_message_to_operator', arguments: { message: 'Hello.' } },
);
const reply = fc
  .record({
    content: fc.constantFrom(
      '',
      'The task is completed.',
      'I will look at the files.',
      '<tool_call>{"name": ',
    ),
    tool_calls: fc.option(fc.array(call, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 }),
    doneReason: fc.constantFrom('stop', 'stop', 'length'),
    promptTokens: fc.constantFrom(10, 500, undefined),
  })
  .map(
    ({ content, tool_calls, ...rest }): Turn => ({
      reply: {
        message: { role: 'assistant', content, tool_calls: tool_calls?.map((each) => ({ function: each })) },
        timings: {},
        ...rest,
      },
    }),
  );
const failure = fc
  .constantFrom<ModelErrorKind>('overflow', 'busy', 'malformed_call', 'timeout', 'http')
  .map((kind): Turn => ({ failure: kind }));

const endless = { context_limit: 600, handover_at: 0.5 };
const settings = fc.constantFrom(
  { mode: 'task' as const, task: 'Do it.', max_iterations: 4 },
  { mode: 'task' as const, task: 'Do it.', checks: [{ type: 'file_exists' as const, path: 'a' }] },
  { mode: 'task' as const, task: 'Do it.', agentic: false },
  { mode: 'session' as const, task: 'Hello.' },
  { mode: 'session' as const, autopilot: true, ...endless },
  { mode: 'explore' as const, max_cycles: 3, calls_per_cycle: 3 },
  { mode: 'explore' as const, max_cycles: 3, operator_policy: 'wait' as const, ...endless },
);

const simulation = fc.record({
  settings,
  turns: fc.array(fc.oneof({ weight: 8, arbitrary: reply }, { weight: 1, arbitrary: failure }), {
    minLength: 1,
    maxLength: 8,
  }),
  stop: fc.record({ atSeq: fc.integer({ min: 3, max: 60 }), force: fc.boolean() }),
  /** Only fork before a call of a reply or during a handover, if there is such a point. */
  isMidway: fc.boolean(),
  /** Which of the possible fork points, from 0 to 1. */
  place: fc.double({ min: 0, max: 0.999, noNaN: true }),
  /** Whether the fork continues after the last point before that, as if the run had ended there. */
  atEnd: fc.boolean(),
  /** Whether the fork adds a message. */
  isTold: fc.boolean(),
  /** Whether its settings turn handovers off. */
  turnsOff: fc.boolean(),
  checkPasses: fc.boolean(),
  crash: fc.record({ afterAppends: fc.integer({ min: 0, max: 12 }), committed: fc.boolean() }),
});
type Input = typeof simulation extends fc.Arbitrary<infer T> ? T : never;

interface Part {
  config: RunConfig;
  events?: readonly RunEvent[];
  crashes: Input['crash'][];
  stop: Input['stop'];
}

function simulate(
  { settings: { mode }, turns, checkPasses }: Input,
  { config, events, crashes, stop }: Part,
) {
  return simulateRun({
    ...{ config, turns, crashes, ...(events && { events }) },
    others: (state) =>
      state.seq >= stop.atSeq && !state.stop && !state.ended
        ? [{ type: 'stop.requested', force: stop.force, by: 'operator' }]
        : [],
    toolbox:
      mode === 'explore'
        ? createExploreTools()
        : scriptedTools(['read_file', 'write_file'], (tool) => ({ success: true, tool, output: 'x' })),
    runChecks: async (checks) =>
      checks.map((check) => ({ check, passed: checkPasses, output: '', duration_ms: 1 })),
  });
}

/** A run, and a fork of it that was played to its end despite a crash. */
async function playFork(input: Input) {
  const { settings: asked, stop, isMidway, place, atEnd, isTold, turnsOff, crash } = input;
  const config = resolveConfig(createRunRequest.parse({ model: 'm', ...asked }), {
    workspace: '/w',
    offeredTools: ['read_file', 'write_file'],
  });
  const source = await simulate(input, { config, crashes: [], stop });
  const { events } = source.log;
  const all: number[] = [];
  const midway: number[] = [];
  foldAll(emptyRunState('run'), events, (state, event) => {
    if (forkProblem(state, event) !== undefined) return;
    all.push(event.seq);
    const waits = state.reply?.calls.some(({ status }) => status === 'waiting');
    if (waits || isHandingOver(state)) midway.push(event.seq);
  });
  const places = isMidway && midway.length > 0 ? midway : all;
  const seq = places[Math.floor(place * places.length)] ?? 1;
  const at: ForkPlace = atEnd ? { end: true } : { seq };
  const finder = new ForkFinder('run', at);
  for (const event of atEnd ? events.slice(0, seq) : events) finder.take(event);
  const { state, last } = finder.found ?? {};
  if (!state || !last || !isReady(state)) throw new Error(`Event ${seq} cannot be forked`);
  const request = forkRequest.parse({
    at,
    ...(isTold && { message: SAID }),
    ...(turnsOff && asked.mode !== 'task' && { settings: { handover_at: null } }),
  });
  const plan = planFork({ seq: last.seq, state }, request, { workspace: '/w', files: { kind: 'same' } });
  const log = forkedLog({
    ...{ id: 'fork', config: plan.config, events: plan.events, at: 1000 },
    parent: { run_id: 'run', seq: last.seq },
    prefix: events.slice(0, last.seq),
  });
  const started = { run_id: 'fork', seq: log.length + 1, at: 1000, worker: 'w', epoch: 1 };
  const fork = await simulate(input, {
    config: plan.config,
    events: [...log, { ...started, type: 'run.started' }],
    ...{ crashes: [crash], stop: { atSeq: log.length + 100, force: false } },
  });
  return { fork, copied: events.slice(0, last.seq), config: plan.config };
}

/** The messages of each request after the fork, rebuilt from its log. */
function requestsOf(events: readonly RunEvent[], from: number, mode: ReturnType<typeof modeOf>) {
  const requests: (readonly ChatMessage[])[] = [];
  foldAll(emptyRunState('fork'), events, (state, event) => {
    if (event.type !== 'model-call.started' || event.seq <= from || !isReady(state)) return;
    requests.push(buildRequest(state, mode).messages);
  });
  return requests;
}

it('every result in a request of a fork belongs to a call, every call has a result, and the model has something to answer', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { fork, copied, config } = await playFork(input);
      for (const messages of requestsOf(fork.log.events, copied.length, modeOf(config))) {
        let open = 0;
        for (const [index, { role, tool_calls = [] }] of messages.entries()) {
          if (role === 'system') expect(index).toBe(0);
          if (role === 'tool') open -= 1;
          else expect(open).toBe(0);
          if (role === 'assistant') open = tool_calls.length;
          expect(open).toBeGreaterThanOrEqual(0);
        }
        expect(open).toBe(0);
        expect(['user', 'tool']).toContain(messages.at(-1)?.role);
      }
    }),
    { numRuns },
  );
}, 120_000);

it('a fork repeats no call of the copied part, makes none that its run left, reads what it was told once, and ends', async () => {
  await fc.assert(
    fc.asyncProperty(simulation, async (input) => {
      const { fork, copied, config } = await playFork(input);
      const { events, state } = fork.log;
      expect(eventsOf(events, 'run.ended')).toHaveLength(1);
      expect(state.iterationsUsed).toBe(eventsOf(events, 'iteration.started').length);
      expect(foldAll(emptyRunState('fork'), events)).toEqual(state);
      const begun = eventsOf(events, 'tool-call.started').map(({ call_id }) => call_id);
      expect(new Set(begun).size).toBe(begun.length);
      const before = eventsOf(copied, 'tool-call.started').map(({ call_id }) => call_id);
      for (const { callId } of fork.executed) expect(before).not.toContain(callId);
      if (input.atEnd && input.isTold) {
        const left = eventsOf(copied, 'reply.parsed').flatMap(({ calls }) =>
          calls.map((each) => each.call_id),
        );
        for (const { callId } of fork.executed) expect(left).not.toContain(callId);
      }
      if (typeof config.handover_at !== 'number') {
        expect(eventsOf(events.slice(copied.length), 'handover.ended')).toEqual([]);
      }
      const told = state.operatorMessages.filter(({ text }) => text === SAID);
      expect(told).toHaveLength(input.isTold ? 1 : 0);
      if (typeof config.handover_at === 'number') return; // a fresh context no longer contains it
      const read = state.messages.filter(({ content }) => content.includes(SAID));
      expect(read).toHaveLength(told[0]?.status === 'delivered' ? 1 : 0);
    }),
    { numRuns },
  );
}, 120_000);
