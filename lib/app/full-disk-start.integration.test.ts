import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { ErrorReply } from '../api/error-reply.ts';
import type { HealthReply, RunReply } from '../api/replies.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';
import { instantScenario } from '../testing/instant-scenario.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../testing/small-disk.ts';

if (!canMountDisks)
  console.warn('A start on a full disk is NOT tested: it takes mount in a separate namespace.');

const MEGABYTE = 1024 * 1024;

let ollama: FakeOllama;
let disk: SmallDisk;
let loupe: LoupeServer | undefined;

const dataDir = () => join(disk.path, 'data');
/** A file in the data directory, as seen by this process. */
const file = (name: string) => join(disk.outside, 'data', name);

beforeEach(async () => {
  ollama = await startFakeOllama();
  disk = await mountSmallDisk({ megabytes: 64 });
});
afterEach(async () => {
  await loupe?.stop('SIGKILL');
  loupe = undefined;
  await disk.dispose();
  await ollama.close();
});

async function start(): Promise<LoupeServer> {
  loupe = await startLoupe({
    ollamaUrl: ollama.url,
    dataDir: dataDir(),
    within: disk.within,
    env: { LOUPE_MIN_FREE_MB: '0', TMPDIR: disk.path },
  });
  return loupe;
}

async function makeRun(server: LoupeServer, name: string): Promise<string> {
  ollama.add({ name, steps: [{ reply: { content: 'All work and no play.' } }] });
  const answer = await server.request('/api/runs', { json: { task: `Write ${name}`, model: name } });
  expect(answer.status, await answer.clone().text()).toBe(201);
  const { run } = (await answer.json()) as RunReply;
  return ended(server, run.id);
}

/** A copy of the run under another name, with a log of a few megabytes. */
async function makeLarge(server: LoupeServer, id: string, megabytes: number): Promise<string> {
  const lines = (await (await server.request(`/api/runs/${id}/log`)).text()).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as RunEvent);
  const { at } = events[0] as RunEvent;
  const warnings = Array.from({ length: megabytes * 20 }, () => ({
    ...{ type: 'policy.warned', code: 'test', message: 'x'.repeat(MEGABYTE / 20), run_id: id, seq: 0, at },
  }));
  events.splice(2, 0, ...(warnings as RunEvent[]));
  const large = `${id}-large`;
  const file = events.map((event, index) => JSON.stringify({ ...event, run_id: large, seq: index + 1 }));
  const answer = await fetch(`${server.url}/api/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/x-ndjson' },
    body: file.join('\n'),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return large;
}

async function ended(server: LoupeServer, id: string): Promise<string> {
  await vi.waitFor(async () => expect((await runOf(server, id)).phase).toBe('ended'), { timeout: 20_000 });
  return id;
}

function remove(server: LoupeServer, id: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return server.request(`/api/runs/${id}`, { method: 'DELETE', headers });
}

async function runOf(server: LoupeServer, id: string): Promise<RunSummary> {
  return ((await (await server.request(`/api/runs/${id}`)).json()) as RunReply).run;
}

async function storeOf(server: LoupeServer): Promise<HealthReply['store']> {
  return ((await (await server.request('/api/health')).json()) as HealthReply).store;
}

async function refusal(answer: Response): Promise<ErrorReply['error'] & { status: number }> {
  const { error } = (await answer.json()) as ErrorReply;
  return { status: answer.status, ...error };
}

async function expectReadable(server: LoupeServer, id: string): Promise<void> {
  for (const path of [
    '/api/runs',
    `/api/runs/${id}`,
    `/api/runs/${id}/export`,
    `/api/runs/${id}/export.md`,
    `/api/runs/${id}/log`,
    `/api/compare?a=${id}&b=${id}`,
    '/api/search?q=work',
  ]) {
    const answer = await server.request(path);
    expect(answer.status, `${path}: ${await answer.clone().text()}`).toBe(200);
    await answer.arrayBuffer();
  }
}

describe.skipIf(!canMountDisks)('a full disk', () => {
  it('can be read at startup, and written again once there is space', async () => {
    const first = await start();
    const kept = await makeRun(first, 'kept');
    await first.stop();
    disk.fill();
    expect(disk.freeBytes()).toBe(0);

    const server = await start();
    await expectReadable(server, kept);
    const store = await storeOf(server);
    expect(store).toMatchObject({ ok: false, read_only: { message: expect.stringContaining(dataDir()) } });

    disk.empty();
    await vi.waitFor(async () => expect((await storeOf(server)).read_only).toBeUndefined());
    await makeRun(server, 'after');
  });

  it('refuses every write with one error that says what to do', async () => {
    const first = await start();
    const id = await makeRun(first, 'kept');
    await first.stop();
    disk.fill();
    const server = await start();
    const expected = {
      status: 507,
      code: 'storage_full',
      message: expect.stringMatching(/^The disk that holds \/.*\/data is full: \d+ MB free\.$/),
      hint: expect.stringMatching(/^Loupe is read-only until you delete runs or free \d+ MB on that disk\.$/),
    };
    const writes: [string, unknown][] = [
      ['/api/runs', { task: 'Do it', model: 'kept' }],
      [`/api/runs/${id}/fork`, { at: { seq: 1 } }],
      [`/api/runs/${id}/messages`, { text: 'Hello' }],
      [`/api/runs/${id}/shares`, {}],
      [
        '/api/models/price',
        { model: 'kept', price: { kind: 'api', input_usd_per_million: 1, output_usd_per_million: 1 } },
      ],
    ];
    for (const [path, json] of writes) {
      expect(await refusal(await server.request(path, { json })), path).toEqual(expected);
    }
  });

  it('has space again after runs are deleted', async () => {
    const first = await start();
    const kept = await makeRun(first, 'kept');
    const large = await makeLarge(first, kept, 12);
    await first.stop('SIGKILL');
    disk.fill();
    const server = await start();
    expect((await storeOf(server)).read_only).toBeDefined();
    const before = statSync(file('loupe.db')).size;

    const answer = await remove(server, large);
    expect(answer.status, await answer.clone().text()).toBeLessThan(300);
    await vi.waitFor(() => expect(statSync(file('loupe.db')).size).toBeLessThan(before - 8 * MEGABYTE));
    await vi.waitFor(() => expect(disk.freeBytes()).toBeGreaterThan(4 * MEGABYTE));
    await expectReadable(server, kept);
  });

  it('does not fail at startup without a reserve', async () => {
    const first = await start();
    const kept = await makeRun(first, 'kept');
    await first.stop();
    rmSync(file('ballast'));
    disk.fill();
    const server = await start();
    await expectReadable(server, kept);
    expect((await storeOf(server)).read_only).toBeDefined();
    expect(await refusal(await remove(server, kept))).toMatchObject({
      code: 'storage_full',
      hint: expect.stringContaining('free 1 MB on that disk'),
    });
    disk.empty();
    await vi.waitFor(async () => expect((await storeOf(server)).read_only).toBeUndefined());
    await makeRun(server, 'after');
  });

  it('resumes unfinished runs once there is space', async () => {
    const first = await start();
    ollama.add(instantScenario(3, 'slow'));
    const release = ollama.hold('slow', { turn: 0 });
    const answer = await first.request('/api/runs', { json: { task: 'Do it', model: 'slow' } });
    const { run } = (await answer.json()) as RunReply;
    await vi.waitFor(async () => expect((await runOf(first, run.id)).phase).not.toBe('queued'));
    await first.stop('SIGKILL');
    release();
    disk.fill();

    const server = await start();
    expect((await runOf(server, run.id)).phase).not.toBe('ended');
    expect(await refusal(await server.request(`/api/runs/${run.id}/stop`, { json: {} }))).toMatchObject({
      code: 'storage_full',
    });
    disk.empty();
    await ended(server, run.id);
    expect((await runOf(server, run.id)).termination_reason).not.toBe('error');
  });

  it('a new data directory fails with the reason, and leaves nothing that breaks the next start', async () => {
    disk.fill();
    const failed = await startLoupe({
      ollamaUrl: ollama.url,
      dataDir: dataDir(),
      within: disk.within,
      waitUntilReady: false,
    });
    const exit = await new Promise((done) => failed.process.once('exit', done));
    expect(exit).toBe(1);
    expect(failed.output()).toContain(`The disk that holds ${dataDir()} is full: 0 MB free.`);
    expect(failed.output()).toContain('LOUPE_DATA_DIR');
    expect(existsSync(file('loupe.db')), readdirSync(disk.outside).join()).toBe(false);
    disk.empty();
    await makeRun(await start(), 'after');
  });

  it('prints the error on the command line', async () => {
    const first = await start();
    await makeRun(first, 'kept');
    await first.stop();
    disk.fill();
    const server = await start();
    const cli = spawnSync(
      process.execPath,
      [resolve('bin/loupe.mjs'), 'run', 'Do it', '--model', 'kept', '--url', server.url],
      { env: { ...process.env, LOUPE_TOKEN: server.token }, encoding: 'utf8' },
    );
    expect(cli.status).not.toBe(0);
    expect(cli.stderr).toContain(`The disk that holds ${dataDir()} is full`);
    expect(cli.stderr).toContain('delete runs');
  });
});
