import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { forkedLog } from '../events/forked-log.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { modeOf } from '../modes/mode-of.ts';
import { type ApprovalRequest, decideApproval } from '../policies/approval.ts';
import { eventsOf } from '../testing/events-of.ts';
import { driveLoop, until } from '../testing/loop-harness.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { sampleConfig, sampleFork } from '../testing/sample-logs.ts';
import {
  callingModel,
  type Executed,
  openerOf,
  recordExecutions,
  scriptedTools,
} from '../testing/simulate-run.ts';
import type { JsonObject } from '../util/json.ts';
import { nextAction } from './next-action.ts';

const TOOLS = ['read_file', 'write_file', 'run_command'];

const write = { name: 'write_file', arguments: { path: 'a.txt' } };
const read = { name: 'read_file', arguments: { path: 'a.txt' } };
const command = { name: 'run_command', arguments: { path: 'rm' } };

/** A run over scripted replies: each list is one reply with these calls, and after the last comes an answer. */
function setUp(options: {
  replies: { name: string; arguments: JsonObject }[][];
  approval?: RunConfig['approval'];
  config?: Partial<RunConfig>;
  alwaysAsk?: readonly string[];
  events?: readonly RunEvent[];
  clock?: () => number;
}) {
  const { replies, approval, alwaysAsk, events, clock } = options;
  const config = sampleConfig({ live_tokens: false, ...options.config, approval });
  const log = new MemoryLog({ events, clock });
  const executed: Executed[] = [];
  const shutdown = new AbortController();
  const model = callingModel(log, replies);
  const tools = scriptedTools(TOOLS, (tool) => ({ success: true, tool, output: 'done' }));
  const openTools = openerOf(
    recordExecutions(tools, executed, () => log),
    alwaysAsk && { alwaysAsk },
  );
  return {
    log,
    executed,
    shutdown,
    run: () =>
      driveLoop(log, config, { model, openTools, signal: shutdown.signal, ...(clock ? { clock } : {}) }),
  };
}

async function waiting(log: MemoryLog): Promise<string> {
  await until(log, () => log.state.phase === 'awaiting-approval' || log.state.ended !== undefined);
  const call = log.state.reply?.calls.find(({ status }) => status === 'waiting');
  return call?.callId ?? '';
}

const decide = (log: MemoryLog, request: ApprovalRequest) => log.append(decideApproval(log.state, request));
const types = (log: MemoryLog) => log.events.map(({ type }) => type);
const results = (log: MemoryLog) =>
  log.events.flatMap((event) => (event.type === 'tool-call.ended' ? [event.result] : []));

describe('approval of calls', () => {
  it('asks before a call, waits, and runs it as the model wrote it once it is approved', async () => {
    const { log, run, executed } = setUp({
      replies: [[write]],
      approval: { default: 'auto', tools: { write_file: 'ask' } },
    });
    const running = run();
    const callId = await waiting(log);
    expect(log.events.at(-1)).toMatchObject({ type: 'approval.requested', arguments: write.arguments });
    expect(executed).toEqual([]);
    await decide(log, { callId, decision: 'approved' });
    await running;
    expect(executed).toEqual([{ callId, ...write }]);
    expect(results(log)).toEqual([{ success: true, tool: 'write_file', output: 'done' }]);
    expect(log.state.result?.status).toBe('completed');
  });

  it('runs the edited arguments, keeps the model’s own in its message, and tells the model', async () => {
    const { log, run, executed } = setUp({ replies: [[write]], approval: { default: 'ask' } });
    const running = run();
    const callId = await waiting(log);
    await decide(log, { callId, decision: 'edited', arguments: { path: 'b.txt' } });
    await running;
    expect(executed).toEqual([{ callId, name: 'write_file', arguments: { path: 'b.txt' } }]);
    expect(log.state.messages.find(({ role }) => role === 'assistant')).toMatchObject({
      tool_calls: [{ function: write }],
    });
    expect(log.state.messages.find(({ role }) => role === 'tool')?.content).toContain(
      'The operator changed the arguments of this call before it ran. It ran with: {\\"path\\":\\"b.txt\\"}',
    );
    expect(log.state.filesWritten).toEqual(['b.txt']);
  });

  it('a fork asks again about a call that was approved in the log it begins with, and not begun [threat 13]', async () => {
    const approval = { default: 'ask' } as const;
    const first = setUp({ replies: [[write]], approval });
    const running = first.run();
    const callId = await waiting(first.log);
    const { events } = first.log;
    const [created] = events;
    const last = events.at(-1);
    if (created?.type !== 'run.created' || last?.type !== 'approval.requested') throw new Error('not asked');
    const decided = {
      ...last,
      type: 'approval.decided',
      seq: last.seq + 1,
      decision: 'approved',
      by: 'operator',
    };
    const parent = { run_id: created.run_id, seq: last.seq + 1 };
    const log = forkedLog({
      id: 'fork',
      config: created.config,
      parent,
      prefix: [...events, runEvent.parse(decided)],
      events: [sampleFork(parent)],
      at: last.at,
    });
    const fork = setUp({ replies: [], approval, events: log });
    const forkRuns = fork.run();
    expect(await waiting(fork.log)).toBe(callId);
    expect(fork.executed).toEqual([]);
    first.shutdown.abort();
    fork.shutdown.abort();
    await Promise.all([running, forkRuns]);
  });

  it('tells the model why a call was denied, does nothing, and goes on with the next', async () => {
    const { log, run, executed } = setUp({
      replies: [[write, read]],
      approval: { default: 'auto', tools: { write_file: 'ask' } },
    });
    const running = run();
    const callId = await waiting(log);
    await decide(log, { callId, decision: 'denied', reason: 'Not that file' });
    await running;
    expect(executed.map(({ name }) => name)).toEqual(['read_file']);
    expect(results(log)[0]).toMatchObject({
      success: false,
      output: { error: expect.stringContaining('Not that file'), denied: true },
    });
    expect(log.state).toMatchObject({ toolCalls: 1, failedToolCalls: 0, filesWritten: [] });
    expect(log.state.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });

  it('records what the policy refuses, and records nothing where it lets a call run', async () => {
    const { log, run, executed } = setUp({
      replies: [[write], [read]],
      approval: { default: 'auto', tools: { write_file: 'deny' } },
    });
    await run();
    expect(executed.map(({ name }) => name)).toEqual(['read_file']);
    expect(log.events.filter(({ type }) => type === 'approval.decided')).toMatchObject([
      { tool: 'write_file', decision: 'denied', by: 'policy' },
    ]);
    expect(types(log)).not.toContain('approval.requested');
  });

  it('asks about tools without confinement whatever the policy says', async () => {
    const { log, run, executed } = setUp({
      replies: [[command]],
      approval: { default: 'auto', tools: { run_command: 'auto' } },
      alwaysAsk: ['run_command'],
    });
    const running = run();
    const callId = await waiting(log);
    expect(executed).toEqual([]);
    await decide(log, { callId, decision: 'approved' });
    await running;
    expect(executed).toHaveLength(1);
  });

  it.each([false, true])('a stop ends the waiting (at once: %s) [S13, S14]', async (force) => {
    const { log, run, executed } = setUp({ replies: [[write]], approval: { default: 'ask' } });
    const running = run();
    const callId = await waiting(log);
    log.append([{ type: 'stop.requested', force, by: 'operator' }]);
    await running;
    expect(log.state.result?.termination_reason).toBe('stopped');
    expect(executed).toEqual([]);
    expect(() => decideApproval(log.state, { callId, decision: 'approved' })).toThrow(
      expect.objectContaining({ code: 'run_ended' }),
    );
  });

  it('the budget of time ends the waiting [V1]', async () => {
    const began = performance.now();
    const { log, run, executed } = setUp({
      replies: [[write]],
      approval: { default: 'ask' },
      config: { budget: { max_seconds: 0.3 } },
      clock: () => 1000 + performance.now() - began,
    });
    await run();
    expect(log.state.result?.termination_reason).toBe('budget_exceeded');
    expect(executed).toEqual([]);
  });

  it('goes on waiting after a restart, and asks once', async () => {
    const first = setUp({ replies: [[write]], approval: { default: 'ask' } });
    const running = first.run();
    await waiting(first.log);
    first.shutdown.abort();
    expect((await running).outcome).toBe('suspended');
    const second = setUp({ replies: [[write]], approval: { default: 'ask' }, events: first.log.events });
    const resumed = second.run();
    const callId = await waiting(second.log);
    await decide(second.log, { callId, decision: 'approved' });
    await resumed;
    expect(types(second.log).filter((type) => type === 'approval.requested')).toHaveLength(1);
    expect(second.executed).toHaveLength(1);
  });

  it('decides once: the same decision again changes nothing, another is refused', async () => {
    const { log, run } = setUp({ replies: [[write]], approval: { default: 'ask' } });
    const running = run();
    const callId = await waiting(log);
    expect(() => decideApproval(log.state, { callId: 'other', decision: 'approved' })).toThrow(
      expect.objectContaining({ code: 'approval_not_found' }),
    );
    expect(() => decideApproval(log.state, { callId, decision: 'edited', arguments: {} })).toThrow(
      '"path" is missing',
    );
    await decide(log, { callId, decision: 'denied', reason: 'No' });
    const again = () => decideApproval(log.state, { callId, decision: 'denied', reason: 'No' });
    const other = () => decideApproval(log.state, { callId, decision: 'approved' });
    expect(again()).toEqual([]);
    expect(other).toThrow(expect.objectContaining({ code: 'already_decided' }));
    await running;
    // Also when the run has moved on.
    expect(again()).toEqual([]);
    expect(other).toThrow(expect.objectContaining({ code: 'already_decided' }));
  });
});

const choice = fc.constantFrom<'auto' | 'ask' | 'deny'>('auto', 'ask', 'deny');
const plan = fc.record({
  replies: fc.array(
    fc.array(
      fc.record({
        name: fc.constantFrom(...TOOLS, 'constructor'),
        arguments: fc.record({ path: fc.constantFrom('a', 'b', 'c', 'd') }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  approval: fc.record({ default: choice, tools: fc.dictionary(fc.constantFrom(...TOOLS), choice) }),
  alwaysAsk: fc.subarray(TOOLS),
  decisions: fc.array(
    fc.constantFrom<'approved' | 'edited' | 'denied' | 'restart'>('approved', 'edited', 'denied', 'restart'),
    { minLength: 4, maxLength: 16 },
  ),
});

it('a call that was not approved never runs, what runs is what was approved, and each is decided once', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ replies, approval, alwaysAsk, decisions }) => {
      let events: readonly RunEvent[] = [];
      const executed: Executed[] = [];
      const left = [...decisions];
      for (let ended = false; !ended; ) {
        const life = setUp({ replies, approval, alwaysAsk, events });
        const running = life.run();
        for (;;) {
          const callId = await waiting(life.log);
          if (life.log.state.ended) break;
          const decision = left.shift() ?? 'approved';
          if (decision === 'restart') {
            life.shutdown.abort();
            break;
          }
          const known = TOOLS.includes(life.log.state.approvals[callId]?.tool ?? '');
          await decide(life.log, {
            callId,
            decision: decision === 'edited' && !known ? 'denied' : decision,
            arguments: { path: 'edited' },
          });
        }
        await running;
        events = life.log.events;
        executed.push(...life.executed);
        ended = life.log.state.ended !== undefined;
      }

      const decided = eventsOf(events, 'approval.decided');
      const requested = eventsOf(events, 'approval.requested');
      expect(new Set(decided.map((event) => event.call_id)).size).toBe(decided.length);
      expect(new Set(requested.map((event) => event.call_id)).size).toBe(requested.length);
      expect(new Set(executed.map(({ callId }) => callId)).size).toBe(executed.length);
      for (const { callId, name, arguments: args } of executed) {
        const decision = decided.find((event) => event.call_id === callId);
        const rule =
          (Object.hasOwn(approval.tools, name) ? approval.tools[name] : undefined) ?? approval.default;
        if (rule !== 'auto' || alwaysAsk.includes(name)) {
          expect(['approved', 'edited']).toContain(decision?.decision);
          expect(decision?.by).toBe('operator');
          const started = eventsOf(events, 'tool-call.started').find((event) => event.call_id === callId);
          expect(decision?.seq).toBeLessThan(started?.seq ?? 0);
        }
        if (rule === 'deny') throw new Error('A call ran that the policy denies');
        if (decision?.decision === 'edited') expect(args).toEqual(decision.arguments);
      }
      for (const event of events) expect(runEvent.parse(event)).toEqual(event);
      const state = foldAll(emptyRunState('run'), events);
      expect(nextAction(state, modeOf(sampleConfig()))).toEqual({ type: 'none' });
    }),
    { numRuns: Number(process.env.LOUPE_PROPERTY_RUNS ?? 150) },
  );
}, 120_000);
