import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort, type LoupeServer, runStart, startLoupe } from '../../e2e/loupe-server.ts';
import type { RunReply } from '../api/replies.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { instantScenario } from '../testing/instant-scenario.ts';

// Rows of the fault matrix and threats that need the whole server: the process, its signals, its streams, its pages.

let ollama: FakeOllama;
let loupe: LoupeServer;

beforeAll(async () => {
  ollama = await startFakeOllama({ record: false });
  ollama.add({ ...instantScenario(20, 'slow'), pace: { prompt_ms: 150 } });
  ollama.add({ name: 'hang', steps: [{ fault: { kind: 'hang' } }] });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
});

async function startRun(model: string, server = loupe, key?: string): Promise<Response> {
  return server.request('/api/runs', {
    json: { task: 'Do it', model, max_iterations: 100, stall_guard: false },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

const idOf = async (answer: Response) => ((await answer.json()) as RunReply).run.id;

async function runOf(id: string, server = loupe) {
  return ((await (await server.request(`/api/runs/${id}`)).json()) as RunReply).run;
}

async function logOf(id: string, server = loupe): Promise<RunEvent[]> {
  const text = await (await server.request(`/api/runs/${id}/log`)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Opens a stream on a separate socket and returns the first line of the response. */
async function openStream(path = '/api/stream?list=1'): Promise<{ socket: Socket; status: number }> {
  const socket = connect(loupe.port, '127.0.0.1');
  socket.on('error', () => undefined); // the server may close it first
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${loupe.port}\r\nAuthorization: Bearer ${loupe.token}\r\n\r\n`,
  );
  const [first] = await once(socket, 'data');
  return { socket, status: Number(/^HTTP\/1\.1 (\d+)/.exec(String(first))?.[1]) };
}

describe('viewers', () => {
  it('fault matrix: 512 streams at a time, then 503; when viewers leave, their streams are free within seconds', async () => {
    const streams: Socket[] = [];
    for (let batch = 0; batch < 16; batch++) {
      const opened = await Promise.all(Array.from({ length: 32 }, () => openStream()));
      expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
      streams.push(...opened.map(({ socket }) => socket));
    }
    const refused = await loupe.request('/api/stream?list=1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_streams' } });

    // A run starts and ends as if nobody were watching.
    const id = await idOf(await startRun('slow'));
    for (const socket of streams) socket.destroy();
    const left = performance.now();
    await vi.waitFor(
      async () => {
        const { socket, status } = await openStream();
        socket.destroy();
        expect(status).toBe(200);
      },
      { timeout: 30_000, interval: 50 },
    );
    console.info(
      `512 viewers left: the next one was served after ${Math.round(performance.now() - left)} ms`,
    );
    await vi.waitFor(async () => expect((await runOf(id)).termination_reason).toBe('final_answer'), {
      timeout: 30_000,
    });
  });
});

describe('the same request many times in parallel', () => {
  it('fault matrix: twenty starts with one key create one run, and twenty stops of each kind are recorded once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => startRun('hang', loupe, 'twenty')));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    const ids = await Promise.all(answers.map(idOf));
    expect(new Set(ids).size).toBe(1);
    const [id = ''] = ids;
    for (const force of [false, true]) {
      const stops = await Promise.all(
        Array.from({ length: 20 }, () => loupe.request(`/api/runs/${id}/stop`, { json: { force } })),
      );
      expect(new Set(stops.map(({ status }) => status))).toEqual(new Set([200]));
    }
    await vi.waitFor(async () => expect((await runOf(id)).termination_reason).toBe('stopped'), {
      timeout: 20_000,
    });
    const stops = (await logOf(id)).flatMap((event) =>
      event.type === 'stop.requested' ? [event.force] : [],
    );
    expect([[false, true], [false]]).toContainEqual(stops);
  });
});

describe('a process that is frozen, killed or misconfigured', () => {
  it('fault matrix: a frozen process continues when it is resumed, and no other process can write meanwhile', async () => {
    const server = await startLoupe({ ollamaUrl: ollama.url });
    try {
      const id = await idOf(await startRun('slow', server));
      await vi.waitFor(async () => expect((await runOf(id, server)).tool_calls).toBeGreaterThan(1), {
        timeout: 20_000,
      });
      server.process.kill('SIGSTOP');
      const second = startAgain({ LOUPE_DATA_DIR: server.dataDir, LOUPE_PORT: '0' });
      expect(second.status).toBe(1);
      expect(second.text).toContain('already running with the data directory');
      server.process.kill('SIGCONT');
      await vi.waitFor(
        async () => expect((await runOf(id, server)).termination_reason).toBe('final_answer'),
        {
          timeout: 30_000,
        },
      );
      const log = await logOf(id, server);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
      expect(log.filter(({ type }) => type === 'run.resumed')).toEqual([]);
    } finally {
      await server.dispose();
    }
  });

  it('fault matrix: a command that hung on a pipe at kill -9 neither delays the next start nor runs again', async ({
    skip,
  }) => {
    if (!(await openSandbox()).report.available) skip('commands cannot be confined here');
    const call = (name: string, args: Record<string, string>) => ({
      reply: { tool_calls: [{ name, arguments: args }] },
    });
    ollama.add({
      name: 'pipe',
      steps: [
        call('run_command', { command: 'mkfifo pipe && echo begun >> effects.txt && cat pipe' }),
        call('read_file', { path: 'pipe' }),
        { reply: { content: 'The task is completed.' } },
      ],
    });
    let server = await startLoupe({ ollamaUrl: ollama.url });
    const { dataDir, port } = server;
    try {
      const { run, config } = (await (await startRun('pipe', server)).json()) as RunReply;
      const effects = join(config.workspace, 'effects.txt');
      await vi.waitFor(() => expect(readFileSync(effects, 'utf8')).toBe('begun\n'), { timeout: 20_000 });
      await server.stop('SIGKILL');
      const began = performance.now();
      server = await startLoupe({ ollamaUrl: ollama.url, dataDir, port });
      expect(performance.now() - began).toBeLessThan(10_000);
      await vi.waitFor(
        async () => expect((await runOf(run.id, server)).termination_reason).toBe('final_answer'),
        { timeout: 30_000 },
      );
      const log = await logOf(run.id, server);
      expect(log.filter(({ type }) => type === 'tool-call.interrupted')).toHaveLength(1);
      expect(readFileSync(effects, 'utf8')).toBe('begun\n');
      const ends = log.flatMap((event) => (event.type === 'tool-call.ended' ? [event.result.success] : []));
      expect(ends).toEqual([false]); // the pipe is not a file, and reading it blocks nothing
    } finally {
      await server.dispose();
    }
  });

  it('fault matrix: a clock set forward by a day does not use up the time budget', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loupe-clock-'));
    const jump = join(folder, 'jump');
    writeFileSync(
      join(folder, 'clock.mjs'),
      `import { existsSync } from 'node:fs';
       const real = Date.now;
       Date.now = () => real() + (existsSync(${JSON.stringify(jump)}) ? 86_400_000 : 0);`,
    );
    const server = await startLoupe({
      ollamaUrl: ollama.url,
      env: { NODE_OPTIONS: `--import ${join(folder, 'clock.mjs')}` },
    });
    try {
      const answer = await server.request('/api/runs', {
        json: {
          task: 'Do it',
          model: 'slow',
          stall_guard: false,
          max_iterations: 100,
          budget: { max_seconds: 3600 },
        },
      });
      const id = await idOf(answer);
      await vi.waitFor(async () => expect((await runOf(id, server)).tool_calls).toBeGreaterThan(1), {
        timeout: 20_000,
      });
      writeFileSync(jump, '');
      await vi.waitFor(
        async () => expect((await runOf(id, server)).termination_reason).toBe('final_answer'),
        { timeout: 30_000 },
      );
      const log = await logOf(id, server);
      expect((log.at(-1)?.at ?? 0) - (log[0]?.at ?? 0)).toBeGreaterThan(86_000_000); // the clock did jump
    } finally {
      await server.dispose();
      rmSync(folder, { recursive: true });
    }
  });

  it('fault matrix: a run that cannot be resumed blocks neither the server nor other runs', async () => {
    let server = await startLoupe({ ollamaUrl: ollama.url });
    const { dataDir, port } = server;
    try {
      const lost = await idOf(await startRun('hang', server));
      const other = await idOf(await startRun('slow', server));
      await vi.waitFor(async () => expect((await runOf(lost, server)).phase).toBe('calling'), {
        timeout: 20_000,
      });
      await server.stop('SIGKILL');
      server = await startLoupe({
        ollamaUrl: ollama.url,
        dataDir,
        port,
        env: { LOUPE_FAULT: 'throw:recovery' },
      });
      expect((await server.request('/api/health')).status).toBe(200);
      expect(server.output()).toContain(`Run ${lost} could not be resumed`);
      await vi.waitFor(
        async () => expect((await runOf(other, server)).termination_reason).toBe('final_answer'),
        {
          timeout: 30_000,
        },
      );
    } finally {
      await server.dispose();
    }
  });

  const startAgain = (env: Record<string, string>) => runStart({ OLLAMA_HOST: ollama.url, ...env });

  it('fault matrix: does not start with a damaged database, names the file, and leaves it unchanged', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'loupe-damaged-'));
    const path = join(dataDir, 'loupe.db');
    const damaged = Buffer.alloc(8192, 0x5a);
    writeFileSync(path, damaged);
    const { status, text } = startAgain({ LOUPE_DATA_DIR: dataDir, LOUPE_PORT: '0' });
    expect(status).toBe(1);
    expect(text).toContain(`The database ${path} is damaged`);
    expect(text).not.toContain('    at '); // words, no stack
    expect(readFileSync(path).equals(damaged)).toBe(true);
    rmSync(dataDir, { recursive: true });
  });

  it('fault matrix: reports a read-only data directory and exits', () => {
    const { status, text } = startAgain({ LOUPE_DATA_DIR: '/dev/null/loupe', LOUPE_PORT: '0' });
    expect(status).toBe(1);
    expect(text).toContain('The data directory /dev/null/loupe cannot be used');
  });
});

describe('an address besides loopback', () => {
  it.runIf(process.platform === 'linux')(
    'threat 8: is used when configured, and requires the token too',
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'loupe-host-'));
      const port = await freePort();
      const child = spawn(process.execPath, ['scripts/start.mjs', '--host', '127.0.0.2'], {
        env: {
          ...process.env,
          LOUPE_OPEN: '0',
          LOUPE_PORT: String(port),
          LOUPE_DATA_DIR: dataDir,
          LOUPE_TOKEN: loupe.token,
          OLLAMA_HOST: ollama.url,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          printed += chunk;
        });
      }
      try {
        await vi.waitFor(() => expect(printed).toContain('Loupe is ready'), { timeout: 40_000 });
        // This machine only: what is printed about other addresses is tested in reach-warning.test.ts.
        expect(printed).not.toContain('other machines');
        const ask = (headers: Record<string, string>) =>
          fetch(`http://127.0.0.2:${port}/api/runs`, { headers }).then(({ status }) => status);
        expect(await ask({})).toBe(401);
        expect(await ask({ authorization: `Bearer ${loupe.token}` })).toBe(200);
        await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
      } finally {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  );
});

it('reports an address that it cannot listen on', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-host-'));
  const env = { OLLAMA_HOST: ollama.url, LOUPE_DATA_DIR: dataDir, LOUPE_PORT: '0' };
  const { status, text } = runStart(env, '--host', '999.1.1.1');
  expect(status).toBe(1);
  expect(text).toContain('Loupe cannot listen on 999.1.1.1, port 0');
  expect(text).not.toContain('    at '); // words, no stack
  rmSync(dataDir, { recursive: true });
});

describe('pages', () => {
  it('sign in by a link that works once, with a cookie that scripts and other sites cannot use [threat 7]', async () => {
    const { url } = (await (await loupe.request('/api/session-link', { json: {} })).json()) as {
      url: string;
    };
    const first = await fetch(url, { redirect: 'manual' });
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(`^loupe_${loupe.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=\\d+$`),
    );
    const [pair = ''] = cookie.split(';');
    const key = /'loupe\.key', "([\w-]{43})"/.exec(await first.text())?.[1] ?? '';
    const asked = (headers: Record<string, string>) =>
      fetch(`${loupe.url}/api/runs`, { headers }).then(({ status }) => status);
    expect(await asked({ cookie: pair, 'x-loupe-key': key })).toBe(200);
    expect([await asked({ cookie: pair }), await asked({ 'x-loupe-key': key })]).toEqual([401, 401]);
    const forged = await fetch(`${loupe.url}/api/runs`, {
      method: 'POST',
      headers: {
        cookie: pair,
        'x-loupe-key': key,
        'content-type': 'text/plain',
        origin: 'http://evil.example',
      },
      body: '{"task":"x","model":"slow"}',
    });
    expect(forged.status).toBe(403);
    const again = await fetch(url, { redirect: 'manual' });
    expect([again.headers.get('location'), again.headers.get('set-cookie')]).toEqual(['/?link=used', null]);
  });

  it('make no requests to other origins [threat 12]', async () => {
    const page = await fetch(`${loupe.url}/`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    const html = await page.text();
    const places = [...html.matchAll(/\s(?:src|href)="([^"]+)"/g)].map(([, place = '']) => place);
    expect(places.length).toBeGreaterThan(3);
    for (const place of places) expect(place).toMatch(/^[/#](?!\/)/);
    const sheets = places.filter((place) => place.includes('.css'));
    for (const sheet of sheets) {
      const css = await (await fetch(new URL(sheet, loupe.url))).text();
      expect(css).not.toMatch(/url\(\s*["']?(?:https?:)?\/\//);
    }
  });
});
