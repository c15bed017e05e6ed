import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { ScenarioInput } from '../demo/scenario.ts';
import type { EventOf, RunEvent, RunEventType } from '../events/registry.ts';
import { listen } from '../testing/listen.ts';

// The whole service against an Ollama that is down: real sockets that refuse or break connections.

const done = { reply: { content: 'The work is completed.' } };

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A service whose Ollama is not running yet and can be started and stopped. */
async function setUp() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'loupe-server-wait-'));
  const environment = readEnvironment({
    LOUPE_DATA_DIR: folder,
    OLLAMA_HOST: `http://127.0.0.1:${port}`,
    LOUPE_CONCURRENCY: '1',
  });
  let opened: OpenedRunService = await openRunService(environment);
  let fake: FakeOllama | undefined;
  const log = async (id: string) => {
    const events: RunEvent[] = [];
    for await (const page of opened.service.stored.log(id)) events.push(...page);
    return events;
  };
  const of = async <Type extends RunEventType>(id: string, type: Type) =>
    (await log(id)).filter((event): event is EventOf<Type> => event.type === type);
  return {
    of,
    log,
    get service() {
      return opened.service;
    },
    async start(request: Partial<CreateRunRequest>): Promise<string> {
      const full = createRunRequest.parse({ model: 'steady', stall_guard: undefined, ...request });
      return (await opened.service.start(full)).run.id;
    },
    async up(steps: ScenarioInput['steps'] = [done]) {
      fake = await startFakeOllama({ scenarios: [{ name: 'steady', steps }], port });
    },
    async down() {
      await fake?.close();
      fake = undefined;
    },
    /** Stops Loupe and starts it again. */
    async restart() {
      await opened.close();
      opened = await openRunService(environment);
      await opened.service.resumeUnfinished();
    },
    async phase(id: string, phase: string) {
      await vi.waitFor(async () => expect((await opened.service.stored.get(id)).run.phase).toBe(phase), {
        timeout: 30_000,
        interval: 20,
      });
      return (await opened.service.stored.get(id)).run;
    },
    async [Symbol.asyncDispose]() {
      await opened.close();
      await fake?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

it.concurrent('runs of every mode wait at their first check, side by side, and go on when Ollama is back [S1]', async () => {
  await using set = await setUp();
  const ids = [
    await set.start({ task: 'Do it' }),
    await set.start({ mode: 'session', task: 'Hello' }),
    await set.start({ mode: 'explore', max_cycles: 1 }),
    await set.start({ agentic: false, task: 'Say it' }),
  ];
  // With a single slot, all of them wait: a wait occupies none.
  for (const id of ids) await set.phase(id, 'awaiting-server');
  await set.up();
  const [task = '', session = '', explore = '', prompt = ''] = ids;
  for (const id of [task, explore, prompt]) {
    expect(await set.phase(id, 'ended')).toMatchObject({ termination_reason: 'final_answer' });
    expect(await set.of(id, 'server-wait.ended')).toMatchObject([{ outcome: 'back' }]);
  }
  await vi.waitFor(async () => expect((await set.of(session, 'turn.ended')).length).toBeGreaterThan(0), {
    timeout: 20_000,
  });
  await set.service.stop(session, { force: true });
  await set.phase(session, 'ended');
});

it.concurrent('a server that dies in the middle of a reply is waited for; the partial text is kept', async () => {
  await using set = await setUp();
  const reply = { content: 'Half of a reply that never ends' };
  await set.up([{ fault: { kind: 'hang', after_tokens: 4 }, reply }]);
  const id = await set.start({ task: 'Do it', live_tokens: true });
  const { last_seq } = await set.phase(id, 'calling');
  const signal = new AbortController().signal;
  const feed = await set.service.follow({ topics: new Map([[id, last_seq]]), signal });
  await vi.waitFor(async () =>
    expect(await feed.next(1000)).toMatchObject([{ kind: 'delta', delta: { type: 'text' } }]),
  );
  feed.close();
  await set.down();
  await set.phase(id, 'awaiting-server');
  await set.up();
  expect(await set.phase(id, 'ended')).toMatchObject({ termination_reason: 'final_answer' });
  const failures = await set.of(id, 'model-call.failed');
  expect(failures.map(({ kind }) => kind)).toEqual(['cut_off', 'unreachable']);
  expect(failures[0]?.partial_text).toMatch(/^Half/);
});

it.concurrent('a stop ends the wait at once', async () => {
  await using set = await setUp();
  const id = await set.start({ task: 'Do it' });
  await set.phase(id, 'awaiting-server');
  await set.service.stop(id, { force: false });
  expect(await set.phase(id, 'ended')).toMatchObject({ termination_reason: 'stopped' });
  const [started, waited] = [
    ...(await set.of(id, 'server-wait.started')),
    ...(await set.of(id, 'server-wait.ended')),
  ];
  expect(waited).toMatchObject({ outcome: 'stopped' });
  const asked = (await set.of(id, 'stop.requested'))[0]?.at ?? 0;
  expect((waited?.at ?? 0) - asked).toBeLessThan(1000);
  expect(started?.at).toBeLessThanOrEqual(asked);
});

it.concurrent('the wait ends after its limit, with the error', async () => {
  await using set = await setUp();
  const id = await set.start({ task: 'Do it', server_wait_seconds: 1 });
  expect(await set.phase(id, 'ended')).toMatchObject({
    termination_reason: 'error',
    message: expect.stringContaining('Loupe waited 1 s for it.'),
  });
});

it.concurrent('a run continues to wait when Loupe is restarted', async () => {
  await using set = await setUp();
  const id = await set.start({ task: 'Do it' });
  await set.phase(id, 'awaiting-server');
  await set.restart();
  await set.phase(id, 'awaiting-server');
  await set.up();
  expect(await set.phase(id, 'ended')).toMatchObject({ termination_reason: 'final_answer' });
  expect((await set.log(id)).map(({ type }) => type)).toContain('run.resumed');
});
