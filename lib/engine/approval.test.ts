import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { forkedLog } from '../events/forked-log.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { modeOf } from '../modes/mode-of.ts';
import { type ApprovalRequest, decideApprovals } from '../policies/approval.ts';
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
import type { ToolBox } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import { nextAction } from './next-action.ts';
import type { RunLoopOptions } from './run-loop-options.ts';

const TOOLS = ['read_file', 'write_file', 'run_command'];

const write = { name: 'write_file', arguments: { path: 'a.txt' } };
const read = { name: 'read_file', arguments: { path: 'a.txt' } };
const command = { name: 'run_command', arguments: { path: 'rm' } };

/** A run over scripted replies: each list holds the calls of one reply, and an answer follows the last one. */
function setUp(options: {
  replies: { name: string; arguments: JsonObject }[][];
  approval?: RunConfig['approval'];
  config?: Partial<RunConfig>;
  alwaysAsk?: readonly string[];
  events?: readonly RunEvent[];
  clock?: () => number;
  /** Default: `clock`. */
  loopClock?: () => number;
  standingApproval?: RunLoopOptions['standingApproval'];
  fileBefore?: ToolBox['fileBefore'];
}) {
  const { replies, approval, alwaysAsk, events, clock, loopClock = clock } = options;
  const config = sampleConfig({ live_tokens: false, ...options.config, approval });
  const log = new MemoryLog({ events, clock });
  const executed: Executed[] = [];
  const shutdown = new AbortController();
  const model = callingModel(log, replies);
  const { standingApproval, fileBefore } = options;
  const scripted = scriptedTools(TOOLS, (tool) => ({ success: true, tool, output: 'done' }));
  const tools = { ...scripted, ...(fileBefore && { fileBefore }) };
  const openTools = openerOf(
    recordExecutions(tools, executed, () => log),
    alwaysAsk && { alwaysAsk },
  );
  return {
    log,
    executed,
    shutdown,
    run: () =>
      driveLoop(log, config, {
        model,
        openTools,
        signal: shutdown.signal,
        standingApproval,
        ...(loopClock ? { clock: loopClock } : {}),
      }),
  };
}

async function waiting(log: MemoryLog): Promise<string> {
  await until(log, () => log.state.phase === 'awaiting-approval' || log.state.ended !== undefined);
  const call = log.state.reply?.calls.find(({ status }) => status === 'waiting');
  return call?.callId ?? '';
}

const decide = (log: MemoryLog, request: ApprovalRequest) =>
  log.append(decideApprovals(log.state, [request]));
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

  it('an approval for the run covers later calls of the tool, waiting ones too, and says where it was made', async () => {
    const { log, run, executed } = setUp({
      replies: [[write, { ...write, arguments: { path: 'b.txt' } }, command], [write], [command]],
      approval: { default: 'ask' },
    });
    const running = run();
    const callId = await waiting(log);
    expect(eventsOf(log.events, 'approval.requested').map(({ tool, scopes }) => [tool, scopes])).toEqual([
      ['write_file', ['once', 'run']],
      ['write_file', ['once', 'run']],
      ['run_command', ['once', 'run']],
    ]);
    await decide(log, { callId, decision: 'approved', scope: 'run' });
    const { seq } = eventsOf(log.events, 'approval.decided')[0] ?? { seq: 0 };
    for (const times of [1, 2]) {
      const id = await waiting(log);
      expect(log.state.approvals[id]?.tool).toBe('run_command');
      await decide(log, { callId: id, decision: 'denied', reason: `No ${times}` });
    }
    await running;
    expect(executed.map(({ name }) => name)).toEqual(['write_file', 'write_file', 'write_file']);
    const decided = eventsOf(log.events, 'approval.decided').filter(({ tool }) => tool === 'write_file');
    expect(decided).toMatchObject([
      { by: 'operator', scope: 'run' },
      { by: 'standing-approval', standing: { scope: 'run', seq } },
      { by: 'standing-approval', standing: { scope: 'run', seq } },
    ]);
  });

  it('an approval for the run holds after a restart, but not in a fork', async () => {
    const approval = { default: 'ask' } as const;
    const first = setUp({ replies: [[write], [command]], approval });
    const running = first.run();
    const callId = await waiting(first.log);
    await decide(first.log, { callId, decision: 'approved', scope: 'run' });
    await until(
      first.log,
      () => first.log.state.approvals[callId] !== undefined && first.executed.length > 0,
    );
    await waiting(first.log);
    first.shutdown.abort();
    await running;
    const { events } = first.log;
    const second = setUp({ replies: [[], [], [write]], approval, events });
    const resumed = second.run();
    const asked = await waiting(second.log);
    await decide(second.log, { callId: asked, decision: 'denied' });
    await resumed;
    expect(second.executed.map(({ name }) => name)).toEqual(['write_file']);

    const [created] = events;
    const cut = events.findIndex(({ type }) => type === 'tool-call.ended');
    if (created?.type !== 'run.created') throw new Error('no beginning');
    const prefix = events.slice(0, cut + 1);
    const parent = { run_id: created.run_id, seq: prefix.length };
    const log = forkedLog({
      ...{ id: 'fork', config: created.config, parent, prefix, at: prefix.at(-1)?.at ?? 0 },
      events: [sampleFork(parent)],
    });
    const fork = setUp({ replies: [[], [write]], approval, events: log });
    const forkRuns = fork.run();
    const again = await waiting(fork.log);
    expect(fork.log.state.approvals[again]).toMatchObject({ tool: 'write_file', decided: undefined });
    fork.shutdown.abort();
    await forkRuns;
    expect(fork.executed).toEqual([]);
  });

  it('a standing approval for the folder covers calls until it is revoked, never a refused tool or a fork', async () => {
    const standing = new Map([['write_file', { run_id: 'earlier', seq: 12 }]]);
    const standingApproval = async (tool: string) => standing.get(tool);
    const { log, run, executed } = setUp({
      replies: [[write, command], [write]],
      approval: { default: 'ask', tools: { run_command: 'deny' } },
      standingApproval: async (tool) => {
        const found = await standingApproval(tool);
        standing.clear();
        return found;
      },
    });
    standing.set('run_command', { run_id: 'earlier', seq: 13 });
    const running = run();
    const callId = await waiting(log);
    expect(executed).toHaveLength(1);
    expect(eventsOf(log.events, 'approval.decided')).toMatchObject([
      {
        by: 'standing-approval',
        standing: { scope: 'tool_and_folder', run_id: 'earlier', seq: 12 },
      },
      { tool: 'run_command', decision: 'denied', by: 'policy' },
    ]);
    expect(eventsOf(log.events, 'approval.requested')[0]?.scopes).toContain('tool_and_folder');
    standing.set('write_file', { run_id: 'earlier', seq: 12 });
    const [created] = log.events;
    const parsed = log.events.findIndex(({ type }) => type === 'reply.parsed');
    if (created?.type !== 'run.created') throw new Error('no beginning');
    const prefix = log.events.slice(0, parsed + 1);
    const parent = { run_id: created.run_id, seq: prefix.length };
    await decide(log, { callId, decision: 'denied' });
    await running;

    const events = forkedLog({
      ...{ id: 'fork', config: created.config, parent, prefix, at: log.state.updatedAt },
      events: [sampleFork(parent)],
    });
    const fork = setUp({ replies: [], approval: { default: 'ask' }, events, standingApproval });
    const forkRuns = fork.run();
    await waiting(fork.log);
    expect(fork.executed).toEqual([]);
    fork.shutdown.abort();
    await forkRuns;
  });

  it('a tool whose commands are not confined asks for each call, whatever was approved before', async () => {
    const { log, run, executed } = setUp({
      replies: [[command, command]],
      approval: { default: 'auto' },
      alwaysAsk: ['run_command'],
      standingApproval: async () => ({ run_id: 'earlier', seq: 12 }),
    });
    const running = run();
    const first = await waiting(log);
    expect(eventsOf(log.events, 'approval.requested').map(({ scopes }) => scopes)).toEqual([
      ['once'],
      ['once'],
    ]);
    expect(() => decideApprovals(log.state, [{ callId: first, decision: 'approved', scope: 'run' }])).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(executed).toEqual([]);
    await decide(log, { callId: first, decision: 'approved' });
    const second = await waiting(log);
    expect(second).not.toBe(first);
    await decide(log, { callId: second, decision: 'approved' });
    await running;
    expect(executed).toHaveLength(2);
  });

  it('asks again about a call approved by an earlier approval, if commands are no longer confined', async () => {
    const first = setUp({
      replies: [[command]],
      approval: { default: 'ask' },
      standingApproval: async () => ({ run_id: 'earlier', seq: 12 }),
    });
    void first.log.changed(0, first.shutdown.signal);
    const begun = first.run();
    await until(first.log, (events) => events.some(({ type }) => type === 'approval.decided'));
    first.shutdown.abort();
    await begun;
    const cut = first.log.events.findIndex(({ type }) => type === 'approval.decided');
    const second = setUp({
      ...{ replies: [[command]], approval: { default: 'ask' }, alwaysAsk: ['run_command'] },
      events: first.log.events.slice(0, cut + 1),
    });
    const resumed = second.run();
    const callId = await waiting(second.log);
    expect(second.executed).toEqual([]);
    await decide(second.log, { callId, decision: 'approved' });
    await resumed;
    expect(second.executed).toHaveLength(1);
  });

  it('several calls are decided at once, in any order, all or none', async () => {
    const { log, run, executed } = setUp({
      replies: [[write, read, command]],
      approval: { default: 'ask', tools: { read_file: 'auto' } },
    });
    const running = run();
    const first = await waiting(log);
    const [, , last] = log.state.reply?.calls ?? [];
    const both: ApprovalRequest[] = [
      { callId: first, decision: 'approved' },
      { callId: last?.callId ?? '', decision: 'denied', reason: 'Not now' },
    ];
    expect(() => decideApprovals(log.state, [...both, { callId: 'none', decision: 'denied' }])).toThrow(
      expect.objectContaining({ code: 'approval_not_found' }),
    );
    // The later call is decided first: the run keeps waiting for the earlier one.
    await decide(log, both[1] as ApprovalRequest);
    expect(log.state.phase).toBe('awaiting-approval');
    log.append(decideApprovals(log.state, both));
    await running;
    expect(executed.map(({ name }) => name)).toEqual(['write_file', 'read_file']);
    expect(results(log)).toHaveLength(3);
    expect(eventsOf(log.events, 'approval.decided')).toHaveLength(2);
  });

  it('the request to write a file shows what the file holds', async () => {
    const file = { path: 'a.txt', before: { kind: 'text', text: 'Old.' } } as const;
    const { log, run, shutdown } = setUp({
      replies: [[write]],
      approval: { default: 'ask' },
      fileBefore: async () => file,
    });
    const running = run();
    await waiting(log);
    expect(eventsOf(log.events, 'approval.requested')).toMatchObject([{ file }]);
    shutdown.abort();
    await running;
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

  it('tells the model why a call was denied, does nothing, and continues with the next', async () => {
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

  it('asks nobody after a stop, and runs what needs no approval [S13]', async () => {
    const { log, run, executed } = setUp({
      replies: [[read, write]],
      approval: { default: 'auto', tools: { write_file: 'ask' } },
      standingApproval: async () => {
        log.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
        return undefined;
      },
    });
    await run();
    expect(executed.map(({ name }) => name)).toEqual(['read_file']);
    expect(eventsOf(log.events, 'approval.requested')).toEqual([]);
    expect(log.state.result?.termination_reason).toBe('stopped');
  });

  it.each([false, true])('a stop ends the waiting (at once: %s) [S13, S14]', async (force) => {
    const { log, run, executed } = setUp({ replies: [[write]], approval: { default: 'ask' } });
    const running = run();
    const callId = await waiting(log);
    log.append([{ type: 'stop.requested', force, by: 'operator' }]);
    await running;
    expect(log.state.result?.termination_reason).toBe('stopped');
    expect(executed).toEqual([]);
    expect(() => decideApprovals(log.state, [{ callId, decision: 'approved' }])).toThrow(
      expect.objectContaining({ code: 'run_ended' }),
    );
  });

  it('a wait for the operator uses no time budget, whatever the clocks do meanwhile [V1]', async () => {
    const time = { loop: 10_000, log: 10_000 };
    const { log, run, executed } = setUp({
      replies: [[write], [read]],
      approval: { default: 'auto', tools: { write_file: 'ask' } },
      config: { budget: { max_seconds: 60 } },
      clock: () => time.log,
      loopClock: () => time.loop,
    });
    const running = run();
    const callId = await waiting(log);
    // An hour passes. The machine sleeps for most of it, which stops the loop's clock.
    time.log += 3_600_000;
    time.loop += 600_000;
    await decide(log, { callId, decision: 'approved' });
    await until(log, () => executed.length === 1);
    time.log += 5000;
    time.loop += 5000;
    await running;
    expect(log.state.result?.termination_reason).toBe('final_answer');
    expect(log.state.waitedMs).toBe(3_600_000);
    const checks = eventsOf(log.events, 'budget.checked').map(({ seconds_used }) => seconds_used);
    expect(checks[0]).toBe(0);
    expect(Math.max(...checks)).toBeLessThanOrEqual(5);
  });

  it('continues to wait after a restart, and asks once', async () => {
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
    expect(() => decideApprovals(log.state, [{ callId: 'other', decision: 'approved' }])).toThrow(
      expect.objectContaining({ code: 'approval_not_found' }),
    );
    expect(() => decideApprovals(log.state, [{ callId, decision: 'edited', arguments: {} }])).toThrow(
      '"path" is missing',
    );
    await decide(log, { callId, decision: 'denied', reason: 'No' });
    const again = () => decideApprovals(log.state, [{ callId, decision: 'denied', reason: 'No' }]);
    const other = () => decideApprovals(log.state, [{ callId, decision: 'approved' }]);
    expect(again()).toEqual([]);
    expect(other).toThrow(expect.objectContaining({ code: 'already_decided' }));
    await running;
    // Even when the run has moved on.
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
    fc.constantFrom<'approved' | 'edited' | 'denied' | 'restart' | 'run' | 'tool_and_folder' | 'last denied'>(
      ...(['approved', 'edited', 'denied', 'restart', 'run', 'tool_and_folder', 'last denied'] as const),
    ),
    { minLength: 4, maxLength: 16 },
  ),
});

it('a call that was not approved never runs, what runs is what was approved, and each is decided once', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ replies, approval, alwaysAsk, decisions }) => {
      let events: readonly RunEvent[] = [];
      const executed: Executed[] = [];
      const left = [...decisions];
      const folder = new Map<string, { run_id: string; seq: number }>();
      for (let ended = false; !ended; ) {
        const standingApproval = async (tool: string) => folder.get(tool);
        const life = setUp({ replies, approval, alwaysAsk, events, standingApproval });
        const running = life.run();
        for (;;) {
          const callId = await waiting(life.log);
          if (life.log.state.ended) break;
          const decision = left.shift() ?? 'approved';
          if (decision === 'restart') {
            life.shutdown.abort();
            break;
          }
          const { approvals, reply, seq } = life.log.state;
          const { tool = '', requested } = approvals[callId] ?? {};
          if (decision === 'last denied') {
            const open = reply?.calls.findLast(
              (call) => approvals[call.callId]?.requested && !approvals[call.callId]?.decided,
            );
            await decide(life.log, { callId: open?.callId ?? callId, decision: 'denied' });
          } else if (decision === 'run' || decision === 'tool_and_folder') {
            const scope = requested?.scopes?.includes(decision) ? decision : 'once';
            if (scope === 'tool_and_folder') folder.set(tool, { run_id: life.log.state.runId, seq: seq + 1 });
            await decide(life.log, { callId, decision: 'approved', scope });
          } else {
            const known = TOOLS.includes(tool);
            await decide(life.log, {
              callId,
              decision: decision === 'edited' && !known ? 'denied' : decision,
              arguments: { path: 'edited' },
            });
          }
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
          expect(['operator', 'standing-approval']).toContain(decision?.by);
          if (decision?.by === 'standing-approval') {
            const { seq, scope } = decision.standing ?? {};
            const earlier = decided.find((event) => event.seq === seq);
            expect(earlier).toMatchObject({ by: 'operator', decision: 'approved', tool: name, scope });
            expect(alwaysAsk).not.toContain(name);
            expect(seq).toBeLessThan(decision.seq);
          }
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
