import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort, type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { RunListReply } from '../api/replies.ts';
import { passingModel } from '../demo/check-scenarios.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { instantScenario } from '../demo/scenario.ts';

const program = resolve(import.meta.dirname, '../../bin/loupe.mjs');

let ollama: FakeOllama;
let loupe: LoupeServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-cli-'));
  ollama = await startFakeOllama();
  ollama.add(instantScenario(3, 'short'));
  ollama.add(instantScenario(99, 'long'));
  ollama.add({ name: 'hostile', steps: [{ reply: { content: 'Done.\u001b[2J\u202e All clear' } }] });
  for (const scenario of passingModel('able')) ollama.add(scenario);
  ollama.add({ name: 'mute', steps: [{ reply: { content: 'I would rather not.\u001b[2J' } }] });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The program as a person runs it: another process, told where Loupe is by its environment. */
function command(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH ?? '',
      HOME: folder,
      LOUPE_URL: loupe.url,
      LOUPE_TOKEN: loupe.token,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const got = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    got.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    got.err += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((done) => {
    child.once('close', (code) => done({ code, ...got }));
  });
  return { child, got, ended };
}

async function newestRun() {
  const { runs } = (await (await loupe.request('/api/runs?limit=1')).json()) as RunListReply;
  const [run] = runs;
  if (!run) throw new Error('no run');
  return run;
}

describe('npx loupe', () => {
  it('Headless: runs a task, shows progress apart from the answer, and ends with 0', async () => {
    const { code, out, err } = await command(['run', 'Count', '--model', 'short', '--max-iterations', '20'])
      .ended;
    const run = await newestRun();
    expect(code).toBe(0);
    expect(err).toContain(`${loupe.url}/runs/${run.id}`);
    expect(err).toContain('Iteration 1 of 20');
    expect(err).toContain('The model gave its answer (final_answer;');
    const whole = await (await loupe.request(`/api/runs/${run.id}/log`)).text();
    const ended = JSON.parse(whole.trim().split('\n').at(-1) ?? '');
    expect(out).toBe(`${ended.result.output}\n`);
  });

  it('Headless: the exit code tells why a run ended', async () => {
    const { code, err } = await command(['run', 'Go', '-m', 'long', '--max-iterations', '2']).ended;
    expect(code).toBe(10);
    expect(err).toContain('max_iterations');
  });

  it('Headless: --json gives every event of the log, whole and in order', async () => {
    const { code, out } = await command(['run', 'Count', '-m', 'short', '--json']).ended;
    expect(code).toBe(0);
    const { id } = await newestRun();
    expect(out).toBe(await (await loupe.request(`/api/runs/${id}/log`)).text());
  });

  it('S13, S14: Ctrl-C stops after the step in hand, a second one at once', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const running = command(['run', 'Go', '-m', 'long', '--max-iterations', '50']);
    await vi.waitFor(() => expect(running.got.err).toContain('Iteration 2'), { timeout: 30_000 });
    running.child.kill('SIGINT');
    await vi.waitFor(async () => expect((await newestRun()).stop_requested).toBe(true), { timeout: 10_000 });
    expect(running.child.exitCode).toBe(null);
    running.child.kill('SIGINT');
    const { code, err } = await running.ended;
    release();
    expect(code).toBe(17);
    expect(err).toContain('Stopping after this step');
    expect(err).toContain('Stopping at once');
  });

  it('D3: a run goes on when the one who follows leaves; another follows it to its end', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const { out } = await command(['run', 'Go', '-m', 'long', '--max-iterations', '4', '--detach']).ended;
    const id = out.trim();
    const watching = command(['follow', id]);
    await vi.waitFor(() => expect(watching.got.err).toContain('Iteration 2'), { timeout: 30_000 });
    watching.child.kill('SIGINT');
    expect((await watching.ended).code).toBe(0);
    expect((await newestRun()).stop_requested).toBe(false);
    const second = command(['follow', id]);
    release();
    expect((await second.ended).code).toBe(10);
    const late = await command(['follow', id, '--after', '999999']).ended;
    expect(late.code).toBe(10);
  });

  it('lists, says, stops and exports', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const { out } = await command(['run', 'Go on', '-m', 'long', '--detach']).ended;
    const id = out.trim();
    const said = await command(['say', id, 'Use the other file']).ended;
    expect(said).toMatchObject({ code: 0, err: expect.stringContaining('Queued') });
    const list = await command(['list', '--limit', '5']).ended;
    expect(list.out).toMatch(new RegExp(`^${id} .* long +Go on$`, 'm'));
    const stopped = await command(['stop', id, '--force']).ended;
    expect(stopped.code).toBe(0);
    release();
    await vi.waitFor(async () => expect((await newestRun()).phase).toBe('ended'), { timeout: 30_000 });
    const file = join(folder, 'run.jsonl');
    expect((await command(['export', id, '--output', file]).ended).code).toBe(0);
    const run = await (await loupe.request(`/api/runs/${id}/export`)).text();
    expect(readFileSync(file, 'utf8')).toBe(run);
    expect((await command(['export', id]).ended).out).toBe(run);
    const log = await (await loupe.request(`/api/runs/${id}/log`)).text();
    expect((await command(['export', id, '--format', 'events']).ended).out).toBe(log);
    for (const format of ['bundle', 'scenario', 'spans', 'html', 'md']) {
      const made = await command(['export', id, '--format', format]).ended;
      expect([format, made.code, made.out.length > 100]).toEqual([format, 0, true]);
    }
    // It is here already, and the same: nothing changes.
    expect(await command(['import', file]).ended).toMatchObject({ code: 0, out: `${id}\n` });
    expect(await command(['import', join(folder, 'no.jsonl')]).ended).toMatchObject({ code: 2 });
    writeFileSync(file, 'mine');
    const again = await command(['export', id, '--output', file]).ended;
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('exists already') });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('Model Check: tells each probe, prints the table, and ends with 0 only when all are passed', async () => {
    const able = await command(['check', 'able']).ended;
    expect(able.code).toBe(0);
    expect(able.err).toMatch(/passed\s+Two steps, then the end/);
    expect(able.out).toContain('10 of 10 probes passed.');
    expect(able.out).toContain('All 12 calls came natively.');
    const mute = await command(['check', 'mute']).ended;
    expect(mute.code).toBe(1);
    expect(mute.out).toContain('1 of 10 probes passed.');
    expect(mute.out).toMatch(/Well formed\s+not enough to say/);
    expect(mute.out).not.toContain('\u001b');
    const json = await command(['check', 'able', '--json']).ended;
    expect(JSON.parse(json.out)).toMatchObject({ model: 'able:latest', probes: { length: 10 } });
    const missing = await command(['check', 'no-such-model']).ended;
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('ollama pull no-such-model') });
  });

  it('D18: control characters of a model never reach the terminal', async () => {
    const { err } = await command(['run', 'Say it', '-m', 'hostile', '--no-tools']).ended;
    expect(err).toContain('⟨ESC⟩');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('says what to do when nothing can be done', async () => {
    const port = await freePort();
    const nobody = await command(['list', '--url', `http://127.0.0.1:${port}`]).ended;
    expect(nobody).toMatchObject({ code: 69, err: expect.stringContaining('npm start') });
    const stranger = await command(['list'], { LOUPE_TOKEN: 'another-token-0123456789-0123456789' }).ended;
    expect(stranger.code).toBe(77);
    const unset = await command(['list'], { LOUPE_TOKEN: '' }).ended;
    expect(unset).toMatchObject({ code: 77, err: expect.stringContaining('LOUPE_TOKEN') });
    const unknown = await command(['follow', 'no-such-run']).ended;
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('There is no run') });
    const wrong = await command(['run', 'x', '-m', 'short', '--set', 'tier="huge"']).ended;
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('tier') });
    const typo = await command(['folow']).ended;
    expect(typo).toMatchObject({ code: 2, err: expect.stringContaining('did you mean "follow"') });
  });

  it('takes a broken connection up where it broke', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const running = command(['run', 'Go', '-m', 'long', '--max-iterations', '4', '--json']);
    await vi.waitFor(() => expect(running.got.out).toContain('"iteration":2'), { timeout: 30_000 });
    const { port, dataDir } = loupe;
    await loupe.stop('SIGKILL');
    loupe = await startLoupe({ ollamaUrl: ollama.url, port, dataDir });
    release();
    const { code, out, err } = await running.ended;
    expect(err).toContain('The connection broke');
    expect(code).toBe(10);
    const { id } = await newestRun();
    expect(out).toBe(await (await loupe.request(`/api/runs/${id}/log`)).text());
  });

  it('Headless: comes back also when a long text is fetched as the connection breaks, and to a server that is still starting', async () => {
    const { port } = loupe;
    const seen = { streams: 0, wholes: 0 };
    const starting = JSON.stringify({ error: { code: 'starting', message: 'Loupe is starting.' } });
    const between = createServer((request, response) => {
      const { method, url = '', headers } = request;
      if (/\/events\/\d+/.test(url)) seen.wholes += 1;
      if (url.includes('/events?')) seen.streams += 1;
      // The first long text is not to be had, and then the server starts.
      if (seen.wholes === 1 && seen.streams === 1) return void request.socket.destroy();
      if (url.includes('/events?') && seen.streams === 2)
        return void response.writeHead(503, { 'retry-after': '1' }).end(starting);
      const toward = {
        host: '127.0.0.1',
        port,
        method,
        path: url,
        headers: { ...headers, host: `127.0.0.1:${port}` },
      };
      request.pipe(
        requestOf(toward, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        }),
      );
    });
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port: own } = between.address() as AddressInfo;
    const task = `Go. ${'A long story. '.repeat(5000)}`;
    const { code, out, err } = await command(['run', task, '-m', 'short', '--json'], {
      LOUPE_URL: `http://127.0.0.1:${own}`,
    }).ended;
    between.close();
    expect(err.match(/The connection broke/g)).toHaveLength(2);
    expect(code).toBe(0);
    const { id } = await newestRun();
    expect(out).toBe(await (await loupe.request(`/api/runs/${id}/log`)).text());
  });
});
