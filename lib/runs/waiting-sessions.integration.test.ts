import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { bundleProgram } from '../testing/bundle-program.ts';
import { says } from '../testing/loop-harness.ts';

let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;
const never = new AbortController().signal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-waiting-'));
  fake = await startFakeOllama();
  fake.add({ name: 'talker', steps: [says('Answer {{n}}.')] });
});
afterEach(async () => {
  await opened.close();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({ LOUPE_DATA_DIR: folder, OLLAMA_HOST: fake.url, LOUPE_MIN_FREE_MB: '0' });

async function open(): Promise<void> {
  opened = await openRunService(readEnvironment(environment()));
  await opened.service.resumeUnfinished();
}

async function start(request: Partial<CreateRunRequest> = {}): Promise<string> {
  const asked = createRunRequest.parse({ mode: 'session', model: 'talker', task: 'Hello.', ...request });
  return (await opened.service.start(asked)).run.id;
}

const get = async (id: string) => (await opened.service.stored.get(id)).run;

async function eventsOf(id: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const page of opened.service.stored.log(id)) events.push(...page);
  return events;
}

const waits = (id: string, turns: number) =>
  vi.waitFor(
    async () => expect(await get(id)).toMatchObject({ phase: 'awaiting-message', iterations_used: turns }),
    { timeout: 20_000, interval: 10 },
  );

it('a session leaves its slot while it waits, and goes on with the next message', async () => {
  await open();
  const id = await start();
  await waits(id, 1);
  await vi.waitFor(async () => expect((await opened.service.health(undefined, never)).runs.active).toBe(0));
  const { message } = await opened.service.message(id, 'And you?');
  expect(message).toMatchObject({ id: 'm1', status: 'queued' });
  await waits(id, 2);
  expect(fake.chats.at(-1)).toMatchObject({
    messages: expect.arrayContaining([{ role: 'user', content: 'And you?' }]),
  });
});

it('messages that arrive together wake it once, and none is lost', async () => {
  await open();
  const id = await start();
  await waits(id, 1);
  const texts = ['One.', 'Two.', 'Three.', 'Four.', 'Five.'];
  await Promise.all(texts.map((text) => opened.service.message(id, text)));
  await vi.waitFor(
    async () => {
      const { operatorMessages, phase } = foldAll(emptyRunState(id), await eventsOf(id));
      expect(phase).toBe('awaiting-message');
      expect(operatorMessages.map(({ status }) => status)).toEqual(texts.map(() => 'delivered'));
    },
    { timeout: 20_000 },
  );
  const seqs = (await eventsOf(id)).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
});

it('a message sent the moment it begins to wait is answered, again and again', async () => {
  await open();
  const id = await start();
  for (let turn = 1; turn <= 25; turn += 1) {
    const done = new AbortController();
    const feed = await opened.service.follow({ topics: new Map([[id, 0]]), signal: done.signal });
    while ((await get(id)).iterations_used < turn) await feed.next(1000);
    done.abort();
    feed.close();
    await opened.service.message(id, `Message ${turn}.`);
  }
  await waits(id, 26);
});

it('stopping it while it waits ends it, and a message is refused afterwards', async () => {
  await open();
  const id = await start();
  await waits(id, 1);
  await opened.service.stop(id, { force: false });
  await opened.service.ended(id, never);
  expect(await get(id)).toMatchObject({ phase: 'ended', termination_reason: 'stopped' });
  await expect(opened.service.message(id, 'Hello?')).rejects.toMatchObject({ code: 'run_ended' });
  await expect(opened.service.switchAutopilot(id, true)).rejects.toMatchObject({ code: 'run_ended' });
  await opened.service.delete(id);
});

it('autopilot can be switched on while it waits; a task has none', async () => {
  await open();
  const id = await start({ autopilot_turns: 3 });
  await waits(id, 1);
  await opened.service.switchAutopilot(id, true);
  await waits(id, 4);
  const events = await eventsOf(id);
  expect(events.filter(({ type }) => type === 'harness.prompted')).toHaveLength(3);
  await expect(opened.service.switchAutopilot('nobody', true)).rejects.toMatchObject({
    code: 'run_not_found',
  });
  fake.add({ name: 'hanging', steps: [{ fault: { kind: 'hang' } }] });
  const task = await start({ mode: 'task', task: 'Do it.', model: 'hanging' });
  await expect(opened.service.switchAutopilot(task, true)).rejects.toMatchObject({ code: 'invalid_request' });
  await opened.service.stop(task, { force: true });
  await opened.service.ended(task, never);
});

it('a hundred waiting sessions hold no slot, no file and no timer, and each still answers', async () => {
  await open();
  const resources = () => process.getActiveResourcesInfo().length;
  const before = resources();
  const ids = await Promise.all(Array.from({ length: 100 }, () => start()));
  for (const id of ids) await waits(id, 1);
  await vi.waitFor(() => expect(resources()).toBeLessThan(before + 20), { timeout: 20_000 });
  expect((await opened.service.health(undefined, never)).runs).toMatchObject({ active: 0, queued: 0 });
  await Promise.all(ids.slice(0, 10).map((id) => opened.service.message(id, 'Still there?')));
  for (const id of ids.slice(0, 10)) await waits(id, 2);
}, 120_000);

/** Starts a session, reports that it waits, and stays until it is killed. */
const LIFE = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { readEnvironment } from '#lib/config/environment.ts';
  import { openRunService } from '#lib/app/open-run-service.ts';
  import { createRunRequest } from '#lib/api/create-run.ts';
  const { service } = await openRunService(readEnvironment(process.env));
  const { run } = await service.start(createRunRequest.parse({ mode: 'session', model: 'talker', task: 'Hello.' }));
  while ((await service.stored.get(run.id)).run.phase !== 'awaiting-message') await delay(10);
  process.stdout.write('WAITS ' + run.id);
  await delay(60_000);
`;

it('waits on after kill -9 as if nothing had happened, and answers the next message', async () => {
  const program = await bundleProgram(join(folder, 'life'), LIFE);
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...environment() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('WAITS ')) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  const id = output.replace(/.*WAITS /s, '');
  await open();
  const before = await eventsOf(id);
  expect(before.at(-1)?.type).toBe('message.awaited');
  await opened.service.message(id, 'Are you back?');
  await waits(id, 2);
  const after = await eventsOf(id);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.filter(({ type }) => type === 'run.resumed')).toMatchObject([{ after_wait: true }]);
  const { resumes, waitedMs, startedAt = 0, updatedAt } = foldAll(emptyRunState(id), after);
  expect(resumes).toBe(0);
  const said = after.find(({ type }) => type === 'operator.messaged')?.at ?? 0;
  expect(waitedMs).toBeGreaterThanOrEqual(said - (before.at(-1)?.at ?? 0));
  expect(waitedMs).toBeLessThanOrEqual(updatedAt - startedAt);
});
