import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LoupeServer, runStart, startLoupe } from '../../e2e/loupe-server.ts';
import type { ErrorReply } from '../api/error-reply.ts';
import type { MessageReply, RunReply } from '../api/replies.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';
import { writeBenchmarkFolder } from '../testing/benchmark-folder.ts';
import { instantScenario } from '../testing/instant-scenario.ts';

let ollama: FakeOllama;
let loupe: LoupeServer;

beforeAll(async () => {
  ollama = await startFakeOllama();
  ollama.add(instantScenario(99, 'long'));
  ollama.add(instantScenario(3, 'short'));
  ollama.add({ ...instantScenario(30, 'slow'), pace: { prompt_ms: 150 } });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
});

async function startRun(name: string, server = loupe): Promise<string> {
  const answer = await server.request('/api/runs', {
    json: { task: 'Do it', model: name, max_iterations: 100, stall_guard: false },
  });
  expect(answer.status).toBe(201);
  const { run } = (await answer.json()) as RunReply;
  return run.id;
}

async function get<Reply>(path: string, server = loupe): Promise<Reply> {
  const answer = await server.request(path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Reply;
}

async function ended(id: string, server = loupe) {
  return vi.waitFor(
    async () => {
      const { run } = await get<RunReply>(`/api/runs/${id}`, server);
      expect(run.phase).toBe('ended');
      return run;
    },
    { timeout: 50_000, interval: 50 },
  );
}

interface Received {
  seq: number;
  event: RunEvent;
  at: number;
}

/** Follows a run as a script does, until it has ended or `until` says so. */
async function follow(
  id: string,
  options: { after?: number; server?: LoupeServer; until?: (received: Received[]) => boolean } = {},
): Promise<Received[]> {
  const { after = 0, server = loupe, until = () => false } = options;
  const controller = new AbortController();
  const answer = await fetch(`${server.url}/api/runs/${id}/events?after=${after}`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: controller.signal,
  });
  expect(answer.status).toBe(200);
  const received: Received[] = [];
  const parser = createParser({
    onEvent: ({ id: seq, event, data }) => {
      if (event === undefined) received.push({ seq: Number(seq), event: JSON.parse(data), at: Date.now() });
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of answer.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (until(received)) break;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the server stopped, as intended in some tests
  } finally {
    controller.abort();
  }
  return received;
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

function memoryOf(server: LoupeServer): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

describe('the real server', () => {
  // A busy machine may miss the limit, so later tries count as well.
  it('starts a run, streams each event within half a second, and lists it [D3, D4]', {
    retry: 3,
  }, async () => {
    const id = await startRun('short');
    const received = await follow(id);
    const { last_seq } = await ended(id);
    expect(received.map(({ seq }) => seq)).toEqual(upTo(last_seq));
    const lag = received.slice(3).map(({ at, event }) => at - event.at);
    expect(Math.max(...lag)).toBeLessThan(500);
    const { runs } = await get<{ runs: { id: string }[] }>('/api/runs?limit=200');
    expect(runs.map((run) => run.id)).toContain(id);
  });

  it('serves files in public/ unchanged, and asks search engines not to index [D1]', async () => {
    const answer = await fetch(`${loupe.url}/robots.txt`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/^User-agent: \*\nDisallow: \/$/m);
  });

  it('serves the complete log as JSON Lines, and single events [E10]', async () => {
    const id = await startRun('short');
    const { last_seq } = await ended(id);
    const answer = await loupe.request(`/api/runs/${id}/log`);
    expect(answer.headers.get('content-disposition')).toContain(`loupe-${id}.jsonl`);
    const lines = (await answer.text()).trimEnd().split('\n');
    const log = lines.map((line): RunEvent => JSON.parse(line));
    expect(log.map(({ seq }) => seq)).toEqual(upTo(last_seq));
    expect(await get(`/api/runs/${id}/events/2`)).toEqual(log[1]);
    expect((await loupe.request(`/api/runs/${id}/events/${last_seq + 1}`)).status).toBe(404);
    const again = await loupe.request(`/api/runs/${id}/events`, {
      headers: { 'last-event-id': `${last_seq}` },
    });
    expect(again.status).toBe(204);
  });

  it('creates one run for a repeated request', async () => {
    const post = () =>
      loupe.request('/api/runs', {
        json: { task: 'Once', model: 'short' },
        headers: { 'idempotency-key': 'once' },
      });
    const answers = await Promise.all([post(), post(), post()]);
    const runs = await Promise.all(answers.map(async (answer) => ((await answer.json()) as RunReply).run.id));
    expect(new Set(runs).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  });

  it.each([
    [{}, 'task'],
    [{ task: 'x', model: 'short', color: 'red' }, 'color'],
    [{ task: 'x', model: 'short', max_iterations: 0 }, 'max_iterations'],
    [{ task: '   ', model: 'short' }, 'Say what the agent should do.'],
  ])('refuses %j and names the field', async (json, named) => {
    const answer = await loupe.request('/api/runs', { json });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: 'invalid_request', message: expect.stringContaining(named) },
    });
  });

  it('answers every path below /api as JSON', async () => {
    for (const path of [
      '/api/nothing',
      '/api/runs/nobody',
      '/api/runs/nobody/events',
      '/api/runs/nobody/log',
    ]) {
      const answer = await loupe.request(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: expect.stringMatching(/not_found$/) } });
    }
    const text = await fetch(`${loupe.url}/api/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${loupe.token}`, 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(text.status).toBe(415);
  });

  it('refuses workspaces that contain its own data', async () => {
    const answer = await loupe.request('/api/runs', {
      json: { task: 'x', model: 'short', workspace: loupe.dataDir },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'workspace_holds_data' } });
  });

  it('serves pages without data that run only their own scripts', async () => {
    const answer = await fetch(loupe.url);
    const html = await answer.text();
    const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];
    const scripts = html.match(/<script[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect((await fetch(`${loupe.url}/api/runs`)).status).toBe(401);
  });

  it('stops a run after its step [S13, D12]', async () => {
    const id = await startRun('slow');
    await follow(id, {
      until: (received) => received.some(({ event }) => event.type === 'model-call.started'),
    });
    const answer = await loupe.request(`/api/runs/${id}/stop`, { json: {} });
    expect(await answer.json()).toMatchObject({ run: { id, stop_requested: true } });
    expect(await ended(id)).toMatchObject({ termination_reason: 'stopped' });
  });
});

describe('many viewers', () => {
  it('200 viewers of a run of 600 events each get every event once and in order', async () => {
    const id = await startRun('long');
    const before = memoryOf(loupe);
    const started = performance.now();
    const viewers = await Promise.all(Array.from({ length: 200 }, () => follow(id)));
    const seconds = (performance.now() - started) / 1000;
    const { last_seq } = await ended(id);
    expect(last_seq).toBeGreaterThan(600);
    for (const received of viewers) expect(received.map(({ seq }) => seq)).toEqual(upTo(last_seq));
    const lags = viewers
      .flatMap((received) => received.map(({ at, event }) => at - event.at))
      .sort((a, b) => a - b);
    console.info(
      `200 viewers x ${last_seq} events in ${seconds.toFixed(1)} s; lag p50 ${lags[lags.length >> 1]} ms, ` +
        `p99 ${lags[Math.floor(lags.length * 0.99)]} ms; memory ${before.toFixed(0)} -> ${memoryOf(loupe).toFixed(0)} MB`,
    );
    const health = await get<{ runs: { active: number } }>('/api/health');
    expect(health.runs.active).toBe(0);
  });

  it('memory stays flat for viewers that stop reading, and the run continues', async () => {
    const warm = await startRun('long');
    await ended(warm);
    const before = memoryOf(loupe);
    const { port } = new URL(loupe.url);
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        await once(socket, 'connect');
        socket.pause();
        return socket;
      }),
    );
    const id = await startRun('long');
    for (const socket of sockets) {
      socket.write(
        `GET /api/stream?runs=${id},${warm} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${loupe.token}\r\n\r\n`,
      );
    }
    await ended(id);
    await delay(300);
    const grown = memoryOf(loupe) - before;
    console.info(`50 viewers that do not read: ${grown.toFixed(0)} MB more`);
    expect(grown).toBeLessThan(100);
    for (const socket of sockets) socket.destroy();
    expect((await follow(id)).at(-1)?.event.type).toBe('run.ended');
  });
});

describe('restarts', () => {
  it('resumes after kill -9; a reconnecting viewer has exactly 1..N [D5, D19]', async () => {
    let server = await startLoupe({ ollamaUrl: ollama.url });
    const { dataDir, port } = server;
    try {
      const id = await startRun('slow', server);
      const received: Received[] = [];
      for (let round = 0; round < 3; round++) {
        const wanted = received.length + 12;
        const after = received.at(-1)?.seq ?? 0;
        received.push(...(await follow(id, { after, server, until: (got) => after + got.length >= wanted })));
        await server.stop('SIGKILL');
        server = await startLoupe({ ollamaUrl: ollama.url, dataDir, port });
      }
      received.push(...(await follow(id, { after: received.at(-1)?.seq ?? 0, server })));
      const run = await ended(id, server);
      expect(received.map(({ seq }) => seq)).toEqual(upTo(run.last_seq));
      expect(run.termination_reason).toBe('final_answer');
      const started = received.flatMap(({ event }) =>
        event.type === 'tool-call.started' ? [event.call_id] : [],
      );
      expect(new Set(started).size).toBe(started.length);
      expect(received.filter(({ event }) => event.type === 'run.resumed')).toHaveLength(3);
    } finally {
      await server.dispose();
    }
  });

  it('sends a message once when its request is repeated, even after kill -9 and after the end of the run', async () => {
    let server = await startLoupe({ ollamaUrl: ollama.url });
    const { dataDir, port } = server;
    try {
      const id = await startRun('slow', server);
      const send = async (text: string) => {
        const answer = await server.request(`/api/runs/${id}/messages`, {
          json: { text },
          headers: { 'idempotency-key': 'ferns' },
        });
        return { status: answer.status, body: (await answer.json()) as MessageReply & ErrorReply };
      };
      const answers = await Promise.all([1, 2, 3].map(() => send('Mind the ferns.')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
      expect(answers.map(({ body }) => body.message.id)).toEqual(['m1', 'm1', 'm1']);
      await server.stop('SIGKILL');
      server = await startLoupe({ ollamaUrl: ollama.url, dataDir, port });
      expect(await send('Mind the ferns.')).toMatchObject({ status: 200, body: { message: { id: 'm1' } } });
      expect(await send('Mind the moss.')).toMatchObject({
        status: 409,
        body: { error: { code: 'idempotency_conflict' } },
      });
      await ended(id, server);
      expect(await send('Mind the ferns.')).toMatchObject({
        status: 200,
        body: { message: { id: 'm1', status: 'delivered' } },
      });
      expect(JSON.stringify(ollama.chats.at(-1)).match(/Mind the ferns/g)).toHaveLength(1);
    } finally {
      await server.dispose();
    }
  });

  it('creates an experiment, a benchmark and a rating once when the request is repeated, even after kill -9', async () => {
    let server = await startLoupe({ ollamaUrl: ollama.url });
    const { dataDir, port } = server;
    try {
      const folder = writeBenchmarkFolder(dataDir, ['hall']);
      const runId = await startRun('short', server);
      await ended(runId, server);
      const scale = { min: 1, max: 5, min_label: 'no', max_label: 'yes' };
      const questionnaire = { name: 'Clarity', scale, items: [{ id: 'plain', text: 'It is plain.' }] };
      const requests = {
        experiments: { name: 'Once', mode: 'prompt', task: 'Hi', models: ['slow'], repeats: 9 },
        benchmarks: { folder, models: ['slow'] },
        ratings: { name: 'Once', questionnaire, part: 'output', run_ids: [runId], models: ['slow'] },
      };
      const create = async (kind: string, json: object) => {
        const answer = await server.request(`/api/${kind}`, { json, headers: { 'idempotency-key': 'once' } });
        return `${answer.status} ${answer.headers.get('location')}`;
      };
      const places: string[] = [];
      for (const [kind, json] of Object.entries(requests)) {
        const answers = await Promise.all([1, 2, 3].map(() => create(kind, json)));
        const place = answers[0]?.slice(4) ?? '';
        expect(answers.sort()).toEqual([`200 ${place}`, `200 ${place}`, `201 ${place}`]);
        places.push(place);
      }
      await server.stop('SIGKILL');
      server = await startLoupe({ ollamaUrl: ollama.url, dataDir, port });
      const again = Object.entries(requests).map(([kind, json]) => create(kind, json));
      expect(await Promise.all(again)).toEqual(places.map((place) => `200 ${place}`));
      for (const kind of Object.keys(requests)) {
        const listed = await get<Record<string, unknown[]>>(`/api/${kind}`, server);
        expect(listed[kind]).toHaveLength(1);
      }
    } finally {
      await server.dispose();
    }
  });

  it('stops within two seconds on SIGTERM, Ctrl-C and SIGHUP, with streams open, and the next start resumes the run', {
    retry: 3,
  }, async () => {
    let server = await startLoupe({ ollamaUrl: ollama.url });
    const { dataDir, port } = server;
    try {
      const id = await startRun('slow', server);
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        const following = follow(id, { server });
        await delay(400);
        const asked = performance.now();
        expect(await server.stop(signal)).toEqual({ code: 0, signal: null });
        expect(performance.now() - asked).toBeLessThan(8000);
        await following;
        server = await startLoupe({ ollamaUrl: ollama.url, dataDir, port });
      }
      expect(await ended(id, server)).toMatchObject({ termination_reason: 'final_answer' });
    } finally {
      await server.dispose();
    }
  });

  it('exits when the shell that started it is gone', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'loupe-orphan-'));
    const shell = spawn('sh', ['-c', `"$0" scripts/start.mjs & echo started $!; wait`, process.execPath], {
      env: {
        ...process.env,
        LOUPE_PORT: '0',
        LOUPE_DATA_DIR: dataDir,
        LOUPE_OPEN: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    shell.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await vi.waitFor(() => expect(printed).toContain('Loupe is ready'), { timeout: 20_000 });
    const pid = Number(/started (\d+)/.exec(printed)?.[1]);
    shell.kill('SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 5000, interval: 100 });
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('starting', () => {
  it('keeps responding when nobody reads its output any more', async () => {
    const server = await startLoupe({ ollamaUrl: ollama.url, waitUntilReady: false });
    server.process.stdout?.destroy();
    server.process.stderr?.destroy();
    try {
      await vi.waitFor(
        async () => {
          const answer = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(2000) });
          expect(await answer.text()).toContain('</html>');
        },
        { timeout: 20_000, interval: 200 },
      );
    } finally {
      await server.dispose();
    }
  });

  it.runIf(process.platform === 'linux' && /^v2[46]\./.test(process.version))(
    'gives V8 its flags in the process that was started, and keeps the arguments (docs/decisions/0075)',
    () => {
      const command = readFileSync(`/proc/${loupe.process.pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
      expect(command[0]).toBe(process.execPath);
      expect(command).toContain('--initial-heap-size=160');
      expect(command.filter((argument) => argument.endsWith('start.mjs'))).toHaveLength(1);
      expect(loupe.output()).not.toMatch(/Warning|bad option/);
    },
  );

  const startAgain = (env: Record<string, string>) => runStart({ OLLAMA_HOST: ollama.url, ...env });

  it('a second start opens the first', () => {
    const again = startAgain({
      LOUPE_PORT: String(loupe.port),
      LOUPE_DATA_DIR: loupe.dataDir,
      LOUPE_TOKEN: loupe.token,
    });
    expect(again.status).toBe(0);
    expect(again.text).toContain('Loupe is already running');
    expect(again.text).toMatch(new RegExp(`${loupe.url}/\\?t=[A-Za-z0-9_-]{43}`));
  });

  it('names the process that holds the data directory if it does not respond', () => {
    const again = startAgain({ LOUPE_PORT: '0', LOUPE_DATA_DIR: loupe.dataDir, LOUPE_TOKEN: 'x'.repeat(30) });
    expect(again.status).toBe(1);
    expect(again.text).toContain(`already running with the data directory ${loupe.dataDir}`);
    expect(again.text).toContain(`process ${loupe.process.pid}`);
  });

  it('a second start sends nothing but a random number to a program that listens in place of the first', async () => {
    const received: string[] = [];
    const hostile = createServer((request, response) => {
      received.push([request.method, request.url, ...request.rawHeaders].join('\n'));
      response.end(JSON.stringify({ url: 'http://evil.example/\u001b]0;x\u0007?t=1' }));
    });
    hostile.listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    const { port } = hostile.address() as AddressInfo;
    const announced = join(loupe.dataDir, 'server.json');
    const before = readFileSync(announced, 'utf8');
    writeFileSync(announced, JSON.stringify({ pid: 1, url: `http://127.0.0.1:${port}/\u001b[2J` }));
    try {
      const start = spawn(process.execPath, ['scripts/start.mjs'], {
        env: {
          ...process.env,
          LOUPE_OPEN: '0',
          LOUPE_PORT: String(port),
          LOUPE_DATA_DIR: loupe.dataDir,
          LOUPE_TOKEN: loupe.token,
        },
      });
      let text = '';
      for (const stream of [start.stdout, start.stderr]) {
        stream.on('data', (chunk) => {
          text += chunk;
        });
      }
      expect(await once(start, 'exit')).toEqual([1, null]);
      expect(received).toHaveLength(1);
      expect(received[0]).toMatch(/^GET\n\/api\/handshake\?nonce=[\w-]{43}\n/);
      expect(received[0]).not.toContain(loupe.token);
      expect(received[0]?.toLowerCase()).not.toContain('authorization');
      expect(text).toContain('already running with the data directory');
      for (const sign of ['evil', '\u001b[2J', '\u001b]']) expect(text).not.toContain(sign);
    } finally {
      writeFileSync(announced, before);
      hostile.close();
    }
  });

  it('says what to do if the port is in use', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'loupe-port-'));
    const received: string[] = [];
    const other = createServer(({ rawHeaders }, response) => {
      received.push(rawHeaders.join('\n').toLowerCase());
      response.end('something else');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = spawn(process.execPath, ['scripts/start.mjs'], {
      env: { ...process.env, LOUPE_PORT: String(port), LOUPE_DATA_DIR: dataDir, LOUPE_OPEN: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    start.stderr.on('data', (chunk) => {
      text += chunk;
    });
    const [status] = await once(start, 'exit');
    expect(status).toBe(1);
    expect(text).toContain(`Port ${port} is used by another program.`);
    expect(received.join('\n')).not.toContain('authorization');
    other.close();
    const beside = startAgain({ LOUPE_PORT: String(loupe.port), LOUPE_DATA_DIR: dataDir });
    expect(beside.text).toContain(`Port ${loupe.port} is used by another Loupe`);
    const suggested = Number(/LOUPE_PORT=(\d+) npm start/.exec(beside.text)?.[1]);
    // The port after it is for shared runs.
    expect([loupe.port, loupe.port + 1]).not.toContain(suggested);
    expect(suggested).toBeLessThanOrEqual(65_535);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('warns when it runs as root', () => {
    const asRoot = process.getuid?.() === 0;
    expect(loupe.output().includes('Loupe runs as root.')).toBe(asRoot);
  });

  it('exits if the token file is damaged, and releases the data directory', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'loupe-token-'));
    const token = join(dataDir, 'token');
    for (const damage of [() => writeFileSync(token, 'not a token\n'), () => mkdirSync(token)]) {
      damage();
      for (const attempt of ['first', 'second']) {
        const start = startAgain({ LOUPE_PORT: '0', LOUPE_DATA_DIR: dataDir });
        expect({ attempt, status: start.status }).toEqual({ attempt, status: 1 });
        expect(start.text).toContain(token);
        expect(start.text).toContain('delete it');
        expect(start.text).not.toContain('already running');
      }
      rmSync(token, { recursive: true });
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('names invalid settings and does not start', () => {
    const again = startAgain({ LOUPE_PROT: '1', LOUPE_OPEN: 'yes', LOUPE_DATA_DIR: loupe.dataDir });
    expect(again.status).toBe(1);
    const lines = again.text.split('\n').map((line) => line.trim());
    expect(lines).toContain('LOUPE_PROT is not a setting; did you mean LOUPE_PORT?');
    expect(lines).toContain('LOUPE_OPEN is "yes"; it must be 1 or 0.');
  });
});
