import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { workedMs } from '../events/worked-ms.ts';
import { ModelError } from '../model/model-error.ts';
import { runTimeMs } from '../policies/budget.ts';
import { isReady } from '../policies/rule.ts';
import { eventsOf } from '../testing/events-of.ts';
import { driveLoop, stop } from '../testing/loop-harness.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { callingModel, openerOf, scriptedTools } from '../testing/simulate-run.ts';
import { awaitServer } from './await-server.ts';

const START = 1_000_000;
const read = { name: 'read_file', arguments: { path: 'a' } };
const down = () => new ModelError({ kind: 'unreachable', message: 'Cannot connect to Ollama.' });

/**
 * A run whose clock moves only while it sleeps, on a server that refuses connections at these checks and calls, each
 * counted from 1.
 */
function setUp(options: {
  config?: Partial<RunConfig>;
  refusedPings?: (ping: number) => boolean;
  refusedCalls?: (call: number) => boolean;
  onSleep?: (log: MemoryLog, sleeps: number) => void;
  takeSlot?: () => Promise<boolean | undefined>;
}) {
  const { refusedPings = () => false, refusedCalls = () => false } = options;
  let now = START;
  let pings = 0;
  let calls = 0;
  const sleeps: number[] = [];
  const log = new MemoryLog({ clock: () => now });
  const config = sampleConfig({ live_tokens: false, server_wait_seconds: 600, ...options.config });
  const scripted = callingModel(log, [[read]]);
  const model: typeof scripted = {
    ...scripted,
    ping: async (signal) => {
      pings += 1;
      if (refusedPings(pings)) throw down();
      return scripted.ping(signal);
    },
    chat: async (request, context) => {
      calls += 1;
      now += 1000;
      if (refusedCalls(calls)) throw down();
      return scripted.chat(request, context);
    },
  };
  const events = (index: number) => log.events.slice(index).map(({ type }) => type);
  return {
    log,
    sleeps,
    events,
    waits: () => eventsOf(log.events, 'server-wait.ended').map(({ outcome }) => outcome),
    now: () => now,
    run: () =>
      driveLoop(log, config, {
        model,
        openTools: openerOf(scriptedTools(['read_file'], (tool) => ({ success: true, tool, output: 'x' }))),
        clock: () => now,
        takeSlot: options.takeSlot,
        sleep: async (ms, signal) => {
          sleeps.push(ms);
          options.onSleep?.(log, sleeps.length);
          signal.throwIfAborted();
          now += ms;
        },
      }),
  };
}

describe('waiting for a server that is down', () => {
  it('waits at the first check, with growing pauses, and goes on when the server is back [S1]', async () => {
    const { log, run, sleeps, waits } = setUp({ refusedPings: (ping) => ping <= 6 });
    await run();
    expect(sleeps).toEqual([1000, 2000, 4000, 5000, 5000, 5000]);
    expect(waits()).toEqual(['back']);
    expect(log.state.result?.termination_reason).toBe('final_answer');
    expect(log.deltas).toContainEqual({ type: 'server-wait', next_try_at: START + 1000 });
  });

  it('loads the model again and sends the call that failed again, at no cost in iterations', async () => {
    const { log, run, events } = setUp({ refusedCalls: (call) => call === 2 });
    await run();
    const failed = log.events.findIndex(({ type }) => type === 'model-call.failed');
    expect(events(failed).slice(0, 7)).toEqual([
      'model-call.failed',
      'server-wait.started',
      'server-wait.ended',
      'model.load-started',
      'model.loaded',
      'model-call.started',
      'model-call.ended',
    ]);
    expect(log.state.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 2 });
    expect(eventsOf(log.events, 'policy.retried')).toEqual([]);
  });

  it('counts the wait neither as run time nor towards the budget', async () => {
    const { log, run } = setUp({
      config: { budget: { max_seconds: 60 } },
      refusedPings: (ping) => ping > 1 && ping < 30,
      refusedCalls: (call) => call === 1,
    });
    await run();
    const { state } = log;
    expect(state.result?.termination_reason).toBe('final_answer');
    expect(state.updatedAt - START).toBeGreaterThan(100_000);
    expect(workedMs(state, state.updatedAt)).toBe(2000);
    expect(isReady(state) && runTimeMs(state, state.updatedAt)).toBe(2000);
    // The clock pauses during the wait, at each of its events.
    const begun = log.events.findIndex(({ type }) => type === 'server-wait.started');
    const during = foldAll(emptyRunState('run'), log.events.slice(0, begun + 1));
    expect(workedMs(during, during.updatedAt + 50_000)).toBe(1000);
    const after = foldAll(emptyRunState('run'), log.events.slice(0, begun + 2));
    expect(workedMs(after, after.updatedAt)).toBe(1000);
  });

  it('records the wait for a slot after it, before server and model are checked: it is no run time', async () => {
    let slots = 0;
    const { log, run } = setUp({
      refusedPings: (ping) => ping === 1,
      takeSlot: async () => {
        slots += 1;
        if (slots === 1) return undefined;
        await delay(30);
        return true;
      },
    });
    await run();
    expect(slots).toBe(2);
    const loads = eventsOf(log.events, 'model.load-started');
    expect(loads).toHaveLength(1);
    expect(loads[0]?.waited_ms).toBeGreaterThan(25);
    expect(log.state.lostMs).toBe(loads[0]?.waited_ms);
  });

  it('ends with the error after the limit, and says how long it waited', async () => {
    const { log, run, waits, now } = setUp({ refusedPings: () => true });
    await run();
    expect(now() - START).toBe(600_000);
    expect(waits()).toEqual(['gave_up']);
    expect(log.state.result).toMatchObject({
      termination_reason: 'error',
      error: { message: 'Cannot connect to Ollama. Loupe waited 10 min for it.' },
    });
    const [started] = eventsOf(log.events, 'server-wait.started');
    expect(log.state.ended?.evidence).toEqual([started?.seq]);
  });

  it('fails at once with a limit of 0, and retries as before in a run from before there was a limit', async () => {
    const never = setUp({ config: { server_wait_seconds: 0 }, refusedPings: () => true });
    await never.run();
    expect(never.log.state.result?.error?.message).toBe('Cannot connect to Ollama.');
    expect(never.sleeps).toEqual([]);
    const older = setUp({ config: { server_wait_seconds: undefined }, refusedPings: () => true });
    await older.run();
    expect(older.sleeps).toEqual([2000, 8000]);
  });

  it('a stop ends the wait at once', async () => {
    const { log, run, sleeps, waits } = setUp({
      refusedPings: () => true,
      onSleep: (running, count) => count === 3 && running.append([stop()]),
    });
    await run();
    expect(sleeps).toHaveLength(3);
    expect(waits()).toEqual(['stopped']);
    expect(log.state.result?.termination_reason).toBe('stopped');
  });

  it('a server that repeatedly fails keeps a call waiting three times', async () => {
    const { log, run, waits } = setUp({ refusedCalls: () => true });
    await run();
    expect(waits()).toEqual(['back', 'back', 'back']);
    expect(log.state.result?.termination_reason).toBe('error');
  });

  it('a resumed run waits as long again, and its wait before the crash is no run time', async () => {
    const first = setUp({ refusedPings: () => true });
    const begun = first.log;
    const crash = new AbortController();
    await driveLoop(begun, sampleConfig({ server_wait_seconds: 600 }), {
      model: { ...callingModel(begun, []), ping: async () => Promise.reject(down()) },
      openTools: openerOf(scriptedTools([], (tool) => ({ success: true, tool, output: '' }))),
      clock: first.now,
      signal: crash.signal,
      sleep: async () => crash.abort(),
    });
    expect(begun.events.at(-1)?.type).toBe('server-wait.started');
    const later = START + 3_600_000;
    const log = new MemoryLog({ events: begun.events, clock: () => later });
    log.append([{ type: 'run.resumed', worker: 'next', epoch: 2 }]);
    expect(log.state).toMatchObject({ phase: 'awaiting-server', serverWait: { since: later } });
    expect(workedMs(log.state, later + 5000)).toBe(0);
    log.append([{ type: 'server-wait.ended', outcome: 'back', waited_ms: 0 }]);
    expect(workedMs(log.state, later + 5000)).toBe(5000);
  });
});

it('a suspended run stops checking the server', async () => {
  const signal = AbortSignal.abort();
  const outcome = await awaitServer({
    ping: async () => 'never asked',
    signal,
    limitMs: 1000,
    clock: () => 0,
    sleep: async (_ms, cancel) => cancel.throwIfAborted(),
    onPause: () => {},
  });
  expect(outcome).toBeUndefined();
});
