import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { writeBenchmarkFolder } from '../testing/benchmark-folder.ts';
import { instantScenario } from '../testing/instant-scenario.ts';
import { losingProxy } from '../testing/losing-proxy.ts';
import { trustedRelay } from '../testing/trusted-relay.ts';
import { Loupe, LoupeError, type ProgressEvent } from './index.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

let ollama: FakeOllama;
let server: LoupeServer;
let loupe: Loupe;

beforeAll(async () => {
  ollama = await startFakeOllama();
  ollama.add(instantScenario(3, 'short'));
  ollama.add(instantScenario(99, 'long'));
  ollama.add({
    name: 'talker',
    pace: { ms_per_token: 20 },
    steps: [
      { reply: { content: 'I look around in the garden first, bed by bed, before I do anything.' } },
      {
        reply: {
          content: 'There is a list.',
          tool_calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'x' } }],
        },
      },
      { repeat: 99, steps: [{ reply: { content: 'Turn {{turn}}.' } }] },
    ],
  });
  server = await startLoupe({ ollamaUrl: ollama.url });
  loupe = new Loupe({ url: server.url, token: server.token });
});
afterAll(async () => {
  await server.dispose();
  await ollama.close();
});

const startSession = () =>
  loupe.start({ mode: 'session', autopilot: true, model: 'talker', turn_delay: 300 });

/** The text of each reply, assembled from its tokens. */
function textsOf(events: readonly ProgressEvent[]): string[] {
  const texts = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'token') texts.set(event.iteration, (texts.get(event.iteration) ?? '') + event.text);
  }
  return [...texts.values()];
}

/** A proxy to the server whose open connections can be cut. */
async function proxy(target: LoupeServer) {
  const sockets = new Set<Socket>();
  const between = createServer(trustedRelay(target));
  between.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  return {
    url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      between.close();
    },
  };
}

it('starts a run, reports its progress, and resolves to its result [E1, T18]', async () => {
  const started = await loupe.start({ model: 'short', task: 'Count', max_iterations: 20 });
  const progress: ProgressEvent[] = [];
  const result = await started.follow({ onProgress: (event) => progress.push(event) });
  expect(result).toMatchObject({ status: 'completed', termination_reason: 'final_answer', error: null });
  expect(progress.map(({ seq }) => seq)).toEqual(progress.map((_, index) => index + 1));
  expect(progress.every(({ run_id }) => run_id === started.id)).toBe(true);
  expect(progress[0]).toMatchObject({ type: 'run_started', model: 'short' });
  expect(progress.filter(({ type }) => type === 'tool_call').length).toBeGreaterThan(1);
  expect(progress.at(-1)).toMatchObject({ type: 'run_finished', termination_reason: 'final_answer' });
  expect(textsOf(progress).at(-1)).toBe(result.output);
  expect(await started.result()).toEqual(result);
  expect(await loupe.run(started.id).result()).toEqual(result);
});

it('streams a session’s text, delivers messages, and stops the session [S6, S12, S13]', async () => {
  const session = await startSession();
  const progress: ProgressEvent[] = [];
  const following = session.follow({ onProgress: (event) => progress.push(event) });
  await vi.waitFor(() => expect(progress.some(({ type }) => type === 'token')).toBe(true), 20_000);
  expect(textsOf(progress)[0]).not.toContain('anything.');
  expect(await session.say('Mind the ferns.')).toMatchObject({ status: 'queued' });
  await vi.waitFor(() => expect(textsOf(progress).length).toBeGreaterThan(2), 20_000);
  expect(await session.stop()).toMatchObject({ stop_requested: true });
  expect(await following).toMatchObject({ termination_reason: 'stopped', status: 'cancelled' });
  expect(textsOf(progress).slice(0, 2)).toEqual([
    'I look around in the garden first, bed by bed, before I do anything.',
    'There is a list.',
  ]);
  const notices = progress.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices[0]).toMatch(/^Session with talker in /);
  expect(notices).toContain('[tool] write_file({"path":"a.md","content":"x"})');
  expect(notices).toContain('Stopping after this turn. Stop again to stop immediately.');
  expect(notices.at(-1)).toMatch(/^Session ended: user_shutdown after \d+ completed turns?\. Log: /);
  expect(JSON.stringify(ollama.chats.at(-1)?.messages)).toContain('Mind the ferns.');
});

it('resumes a lost connection without missing or repeating an event or text [D5, E9]', async () => {
  const between = await proxy(server);
  const session = await new Loupe({ url: between.url, token: server.token }).start({
    mode: 'session',
    autopilot: true,
    model: 'talker',
    turn_delay: 300,
  });
  const progress: ProgressEvent[] = [];
  const seqs: number[] = [];
  let reconnects = 0;
  const following = session.follow({
    onProgress: (event) => progress.push(event),
    onEvent: ({ seq }) => void seqs.push(seq),
    onReconnect: () => {
      reconnects += 1;
    },
  });
  for (const turns of [1, 2, 4]) {
    await vi.waitFor(() => expect(textsOf(progress).length).toBeGreaterThanOrEqual(turns), 20_000);
    between.cut();
  }
  await vi.waitFor(() => expect(reconnects).toBeGreaterThanOrEqual(3), 20_000);
  await vi.waitFor(() => expect(textsOf(progress).length).toBeGreaterThan(4), 20_000);
  await loupe.run(session.id).stop();
  await following;
  between.close();
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(progress.map(({ seq }) => seq)).toEqual(progress.map((_, index) => index + 1));
  const log = await (await server.request(`/api/runs/${session.id}/log?format=session`)).text();
  const said = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap((entry) => (entry.event === 'assistant_text' ? [entry.text] : []));
  expect(textsOf(progress)).toEqual(said);
});

it('sends a message once, although the answers to its request are lost', async () => {
  const { id } = await startSession();
  const between = await losingProxy(server, { times: 2, path: /messages$/ });
  const session = new Loupe({ url: between.url, token: server.token }).run(id);
  const waits: number[] = [];
  const message = await session.say('Only once.', { onReconnect: (waitMs) => void waits.push(waitMs) });
  expect([message.text, between.lost(), waits]).toEqual(['Only once.', 2, [250]]);
  const events = (await (await server.request(`/api/runs/${id}/log`)).text()).trimEnd().split('\n');
  expect(events.filter((line) => line.includes('"operator.messaged"'))).toHaveLength(1);
  await expect(
    new Loupe({ url: 'http://127.0.0.1:9', token: server.token }).run(id).say('Nobody is there.'),
  ).rejects.toMatchObject({ code: 'unreachable' });
  await loupe.run(id).stop({ force: true });
  between.close();
});

it('starts one run, although the answers to its request are lost', async () => {
  const between = await losingProxy(server, { times: 2, path: /^\/api\/runs$/ });
  const started = await new Loupe({ url: between.url, token: server.token }).start({
    model: 'short',
    task: 'Count once',
  });
  expect(between.lost()).toBe(2);
  expect(await loupe.list({ query: { text: 'Count once' } })).toMatchObject([{ id: started.id }]);
  between.close();
});

it('starts one experiment, one benchmark and one rating, although the answers to their requests are lost', async () => {
  const started = await loupe.start({ model: 'short', task: 'Count for a rating' });
  await started.result();
  const between = await losingProxy(server, { times: 1, path: /^\/api\/(experiments|benchmarks|ratings)$/ });
  const client = new Loupe({ url: between.url, token: server.token });
  const waits: number[] = [];
  const options = { onReconnect: (waitMs: number) => void waits.push(waitMs) };
  const plan = { name: 'Once', mode: 'prompt' as const, task: 'Hi', models: ['short'] };
  const experiment = await client.experiments.start(plan, options);
  const folder = writeBenchmarkFolder(server.dataDir, ['hall']);
  const { benchmark } = await client.startBenchmark({ folder, models: ['short'] }, options);
  const study = { name: 'Once', shipped: 'experience', run_ids: [started.id] };
  const { rating } = await client.startRating(study, options);
  expect([between.lost(), waits]).toEqual([3, []]);
  between.close();
  const listed = async (kind: string) => (await (await server.request(`/api/${kind}`)).json())[kind];
  expect(await listed('experiments')).toMatchObject([{ id: experiment.id }]);
  expect(await listed('benchmarks')).toMatchObject([{ id: benchmark.id }]);
  expect(await listed('ratings')).toMatchObject([{ id: rating.id }]);
});

it('an error in a callback ends follow() but not the run [E12]', async () => {
  const started = await loupe.start({ model: 'short', task: 'Count' });
  const following = started.follow({
    onProgress: ({ type }) => {
      if (type === 'iteration_started') throw new Error('a listener fails');
    },
  });
  await expect(following).rejects.toThrow('a listener fails');
  expect(await started.result()).toMatchObject({ termination_reason: 'final_answer' });
});

it('a forced stop ends the run; a signal only ends follow()', async () => {
  const release = ollama.hold('long', { turn: 1 });
  const started = await loupe.start({ model: 'long', task: 'Go' });
  const leaving = new AbortController();
  const following = started.follow({
    onProgress: ({ type }) => {
      if (type === 'tool_call') leaving.abort();
    },
    signal: leaving.signal,
  });
  await expect(following).rejects.toThrow('abort');
  expect((await started.summary()).phase).not.toBe('ended');
  await started.stop({ force: true });
  release();
  expect(await started.result()).toMatchObject({ termination_reason: 'stopped' });
});

it('rejects with the server’s error', async () => {
  const missing = await loupe
    .run('no-such-run')
    .follow()
    .catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(LoupeError);
  expect(missing).toMatchObject({ code: 'run_not_found' });
  const stranger = new Loupe({ url: server.url, token: 'another-token-0123456789-0123456789' });
  await expect(stranger.list()).rejects.toMatchObject({ code: 'unauthorized' });
});

it('can be imported as "loupe/client" from another package, with types', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-client-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    // The result of "npm install ../loupe".
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    symlinkSync(root, join(modules, 'loupe'));
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      `import { Loupe } from 'loupe/client';
       const run = await new Loupe().start({ model: 'short', task: 'Count' });
       const { status } = await run.follow({ onProgress: ({ type }) => console.error(type) });
       console.log(status);`,
    );
    const { stdout, stderr } = await run(process.execPath, [program], {
      env: { ...process.env, LOUPE_URL: server.url, LOUPE_TOKEN: server.token },
    });
    expect(stdout).toBe('completed\n');
    expect(stderr).toContain('run_finished\n');
    const typed = join(folder, 'typed.ts');
    writeFileSync(
      typed,
      `import { Loupe, type ProgressEvent } from 'loupe/client';
       const run = await new Loupe().start({ model: 'short', task: 'Count' });
       const events: ProgressEvent[] = [];
       const { tokens_in } = await run.follow({ onProgress: (event) => events.push(event) });
       const total: number = tokens_in;
       // @ts-expect-error misspelled
       await new Loupe().start({ modle: 'short' });
       export { total };`,
    );
    const options =
      '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --allowImportingTsExtensions';
    const typeRoots = join(root, 'node_modules/@types');
    const checked = await run(
      process.execPath,
      [
        join(root, 'node_modules/typescript-native/bin/tsc'),
        ...options.split(' '),
        ...['--types', 'node', '--typeRoots', typeRoots, typed],
      ],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    expect(checked.stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
