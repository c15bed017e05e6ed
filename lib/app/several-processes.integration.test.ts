import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import { readMessages } from '../../e2e/read-messages.ts';
import type { ExperimentReply } from '../api/experiment.ts';
import type { McpServerReply } from '../api/mcp.ts';
import type { HealthReply, RunReply } from '../api/replies.ts';
import type { ViewDelta } from '../api/stream.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';
import { hostileServer } from '../mcp/under-test.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { writeBenchmarkFolder } from '../testing/benchmark-folder.ts';
import { eventsOf } from '../testing/events-of.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../testing/postgres-server.ts';
import { toolsToAccept } from '../testing/tools-to-accept.ts';

const installed = findPostgres() !== undefined;
if (!installed)
  console.warn('PostgreSQL is not installed: several processes are NOT tested. apt-get install postgresql');

/** MCP servers are only started as programs where they can be confined. */
const confined = (await openSandbox()).report.available;

const LEASE_SECONDS = 3;
/** A request gives up after five seconds without the database, and so would work that does not wait for it. */
const LONGER_THAN_A_REQUEST_MS = 8_000;
/** Several leases, on a machine that is also busy with other work. */
const patient = { timeout: 40_000, interval: 50 };
const write = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: 'x' } };

describe.skipIf(!installed && !process.env.CI)('several processes on one database', () => {
  let postgres: PostgresServer;
  let ollama: FakeOllama;
  let commandsRun = false;
  let root: string;
  let url: string;
  const servers: LoupeServer[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    commandsRun = (await openSandbox()).report.available;
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'loupe-several-'));
    url = postgres.newDatabase();
    ollama = await startFakeOllama({ record: false });
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop('SIGKILL')));
    await ollama.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function startServer(): Promise<LoupeServer> {
    const server = await startLoupe({
      ollamaUrl: ollama.url,
      dataDir: join(root, 'data'),
      env: { LOUPE_DATABASE_URL: url, LOUPE_LEASE_SECONDS: String(LEASE_SECONDS) },
    });
    servers.push(server);
    return server;
  }

  async function startRun(server: LoupeServer, model: string, more: object = {}): Promise<string> {
    const workspace = join(root, 'workspace');
    mkdirSync(workspace, { recursive: true });
    const json = { task: 'Do it', model, workspace, stall_guard: false, max_iterations: 50, ...more };
    const answer = await server.request('/api/runs', { json });
    expect(answer.status).toBe(201);
    const { run }: RunReply = await answer.json();
    return run.id;
  }

  async function get(server: LoupeServer, id: string): Promise<RunReply['run']> {
    const answer = await server.request(`/api/runs/${id}`);
    expect(answer.status).toBe(200);
    const { run }: RunReply = await answer.json();
    return run;
  }

  async function logOf(server: LoupeServer, id: string): Promise<RunEvent[]> {
    const text = await (await server.request(`/api/runs/${id}/log`)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line): RunEvent => JSON.parse(line));
  }

  /** The server that holds the run, and the other one. */
  async function holderOf(
    id: string,
    both: readonly [LoupeServer, LoupeServer],
  ): Promise<[LoupeServer, LoupeServer]> {
    return vi.waitFor(async () => {
      const log = await logOf(both[0], id);
      const worker = [...eventsOf(log, 'run.started'), ...eventsOf(log, 'run.resumed')].at(-1)?.worker ?? '';
      const [a, b] = both;
      if (worker.endsWith(`:${a.process.pid}`)) return [a, b];
      expect(worker.endsWith(`:${b.process.pid}`)).toBe(true);
      return [b, a];
    }, patient);
  }

  const ended = (server: LoupeServer, id: string) =>
    vi.waitFor(async () => {
      const run = await get(server, id);
      expect(run.phase).toBe('ended');
      return run;
    }, patient);

  /** Follows a run as a viewer does; `seen` grows until the run ends or the server is gone. */
  function follow(
    server: LoupeServer,
    id: string,
  ): { seen: { event: RunEvent; at: number }[]; live: ViewDelta[]; over: Promise<void> } {
    const seen: { event: RunEvent; at: number }[] = [];
    const live: ViewDelta[] = [];
    const read = async () =>
      readMessages(await server.request(`/api/runs/${id}/events?after=0`), ({ event, data }) => {
        if (event === undefined) seen.push({ event: JSON.parse(data), at: Date.now() });
        if (event === 'delta') live.push(JSON.parse(data));
      });
    return { seen, live, over: read().catch(() => undefined) };
  }

  const effects = () => {
    const path = join(root, 'workspace', 'effects.txt');
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  };
  const command = (text: string) => ({
    reply: { tool_calls: [{ name: 'run_command', arguments: { command: text } }] },
  });

  it('fault matrix: after kill -9 of a worker, during a tool or a model call, another resumes the run', async ({
    skip,
  }) => {
    if (!commandsRun) skip('commands cannot be confined here');
    ollama.add({
      name: 'worker',
      steps: [
        command('echo one >> effects.txt'),
        command('echo two >> effects.txt; sleep 300'),
        command('echo three >> effects.txt'),
        { reply: { content: 'The work is completed.' } },
      ],
    });
    const letAnswer = ollama.hold('worker', { turn: 3 });
    const first = await startServer();
    const second = await startServer();
    const id = await startRun(first, 'worker');
    const [holder, other] = await holderOf(id, [first, second]);
    const viewer = follow(other, id);
    await vi.waitFor(() => expect(effects()).toEqual(['one', 'two']), patient);

    const killedAt = Date.now();
    await holder.stop('SIGKILL');
    await vi.waitFor(() => expect(effects()).toEqual(['one', 'two', 'three']), patient);
    const resumed = eventsOf(await logOf(other, id), 'run.resumed');
    expect(resumed).toMatchObject([{ epoch: 2, worker: expect.stringMatching(`:${other.process.pid}$`) }]);
    const takenAfterMs = (resumed[0]?.at ?? 0) - killedAt;
    expect(takenAfterMs).toBeLessThan(LEASE_SECONDS * 1000 + 10_000);

    // Now a model call is in progress, and the second worker dies as well.
    await vi.waitFor(async () => expect((await get(other, id)).phase).toBe('calling'), patient);
    const third = await startServer();
    await other.stop('SIGKILL');
    await viewer.over;
    await vi.waitFor(
      async () => expect(eventsOf(await logOf(third, id), 'run.resumed')).toHaveLength(2),
      patient,
    );
    letAnswer();
    expect(await ended(third, id)).toMatchObject({ termination_reason: 'final_answer' });

    const log = await logOf(third, id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    const lost = viewer.seen.filter(({ event }, index) => !isDeepStrictEqual(event, log[index]));
    expect(viewer.seen.length).toBeGreaterThan(10);
    expect(lost).toEqual([]);
    expect(effects()).toEqual(['one', 'two', 'three']);
    const interrupted = eventsOf(log, 'tool-call.interrupted');
    expect(interrupted).toHaveLength(1);
    const started = eventsOf(log, 'tool-call.started').map(({ call_id }) => call_id);
    expect(new Set(started).size).toBe(started.length);
    expect(eventsOf(log, 'run.resumed').map(({ epoch }) => epoch)).toEqual([2, 3]);
    console.info(
      `several processes: 2 workers killed, taken over ${takenAfterMs} ms after the kill (lease ${LEASE_SECONDS} s), ` +
        `${lost.length} of ${viewer.seen.length} seen events lost, ${effects().length - 3} effects repeated`,
    );
  }, 180_000);

  it('fault matrix: a worker frozen past its lease writes nothing more and stops by itself', async () => {
    ollama.add({
      name: 'looker',
      pace: { prompt_ms: 100 },
      steps: [{ repeat: 49, steps: [{ reply: { content: 'Round {{n}}.', tool_calls: [write] } }] }],
    });
    const both = [await startServer(), await startServer()] as const;
    const id = await startRun(both[0], 'looker');
    const [frozen, awake] = await holderOf(id, both);
    await vi.waitFor(async () => expect((await get(awake, id)).last_seq).toBeGreaterThan(12), patient);
    frozen.process.kill('SIGSTOP');
    await vi.waitFor(
      async () => expect(eventsOf(await logOf(awake, id), 'run.resumed')).toHaveLength(1),
      patient,
    );
    const atTakeover = await logOf(awake, id);
    frozen.process.kill('SIGCONT');
    await vi.waitFor(() => expect(frozen.output()).toContain('taken over by another process'), patient);
    const health = async (server: LoupeServer): Promise<HealthReply> =>
      (await server.request('/api/health')).json();
    // If a model call is in progress, its slot is free once the call is abandoned.
    await vi.waitFor(async () => expect((await health(frozen)).runs.active).toBe(0), patient);
    // It still shows the run while the other process writes it.
    const viewer = follow(frozen, id);
    await ended(awake, id);
    await viewer.over;
    const log = await logOf(awake, id);
    expect(viewer.seen.map(({ event }) => event)).toEqual(log);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(log.slice(0, atTakeover.length)).toEqual(atTakeover);
    // One worker after the other: calls that the frozen worker started and did not end are reported as
    // interrupted, or made again.
    const workers = [...eventsOf(log, 'run.started'), ...eventsOf(log, 'run.resumed')].map(
      ({ epoch }) => epoch,
    );
    expect(workers).toEqual([1, 2]);
    const calls = eventsOf(log, 'tool-call.started').map(({ call_id }) => call_id);
    expect(new Set(calls).size).toBe(calls.length);
  }, 180_000);

  it('a process stops and releases its run once a newer version has migrated the database', async () => {
    ollama.add({ name: 'writer', steps: [{ reply: { content: 'Never.' } }] });
    ollama.hold('writer', { turn: 0 });
    const server = await startServer();
    const id = await startRun(server, 'writer');
    await vi.waitFor(async () => expect((await get(server, id)).phase).toBe('calling'), patient);
    postgres.sql(url, 'update loupe_schema set version = version + 1');
    await vi.waitFor(() => expect(server.process.exitCode).toBe(1), patient);
    expect(server.output()).toContain('was written by a newer Loupe');
    expect(postgres.sql(url, `select until from leases where run_id = '${id}'`)).toBe('-infinity');
    expect(postgres.sql(url, `select phase from runs where id = '${id}'`)).toBe('calling');
  }, 60_000);

  it('fault matrix: a database restart during a run loses nothing, and the run continues', async () => {
    ollama.add({
      name: 'writer',
      pace: { prompt_ms: 100 },
      steps: [
        { repeat: 30, steps: [{ reply: { tool_calls: [write] } }] },
        { reply: { content: 'All is completed.' } },
      ],
    });
    const server = await startServer();
    const id = await startRun(server, 'writer');
    const viewer = follow(server, id);
    for (const calls of [3, 12]) {
      await vi.waitFor(
        async () => expect((await get(server, id)).tool_calls).toBeGreaterThan(calls),
        patient,
      );
      await postgres.crash();
      await delay(1000);
      await postgres.restart();
    }
    expect(await ended(server, id)).toMatchObject({ termination_reason: 'final_answer', tool_calls: 30 });
    await viewer.over;
    const log = await logOf(server, id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(viewer.seen.map(({ event }) => event)).toEqual(log);
    expect(readFileSync(join(root, 'workspace', 'file-30.txt'), 'utf8')).toBe('x');
  }, 180_000);

  it('another process streams a run live, and accepts messages and stops for it', async () => {
    ollama.add({
      name: 'talker',
      pace: { prompt_ms: 50 },
      steps: [{ repeat: 49, steps: [{ reply: { content: 'Round {{n}}.', tool_calls: [write] } }] }],
    });
    const held = ollama.hold('talker', { turn: 20 });
    const both = [await startServer(), await startServer()] as const;
    const id = await startRun(both[0], 'talker');
    const [holder, other] = await holderOf(id, both);
    const viewer = follow(other, id);
    const said = await other.request(`/api/runs/${id}/messages`, { json: { text: 'From the other side' } });
    expect(said.status).toBeLessThan(300);
    await vi.waitFor(
      () => expect(viewer.seen.filter(({ event }) => event.type === 'iteration.started')).toHaveLength(21),
      patient,
    );
    // A model call is in progress: the stop reaches the process that waits for it.
    const at = Date.now();
    const stopped = await other.request(`/api/runs/${id}/stop`, { json: { force: true } });
    expect(stopped.status).toBeLessThan(300);
    expect(await ended(holder, id)).toMatchObject({ termination_reason: 'stopped' });
    const stopMs = Date.now() - at;
    held();
    await viewer.over;
    const log = await logOf(other, id);
    expect(viewer.seen.map(({ event }) => event)).toEqual(log);
    expect(eventsOf(log, 'operator.messaged')).toMatchObject([{ text: 'From the other side' }]);
    expect(stopMs).toBeLessThan(5000);
    const lags = viewer.seen.map((received) => received.at - received.event.at).sort((a, b) => a - b);
    console.info(
      `another process: event to viewer p50 ${lags[Math.floor(lags.length / 2)]} ms, max of the live ones ` +
        `${lags.at(-1)} ms; forced stop took ${stopMs} ms`,
    );
  }, 120_000);

  it.skipIf(!confined)(
    'another process answers what a server asks during a call [O24]',
    async () => {
      ollama.add({
        name: 'asks',
        steps: [
          { reply: { tool_calls: [{ name: 'asker__act', arguments: {} }] } },
          { reply: { content: 'The task is completed.' } },
        ],
      });
      const both = [await startServer(), await startServer()] as const;
      const path = '/api/mcp/servers';
      const server = hostileServer('asks-form');
      await both[0].request(path, { json: { name: 'asker', server } });
      await both[0].request(`${path}/asker/start`, { json: {} });
      const tools = await vi.waitFor(async () => {
        const reply: McpServerReply = await (await both[0].request(`${path}/asker`)).json();
        expect(reply.state).toBe('ready');
        return toolsToAccept(reply);
      }, patient);
      await both[0].request(`${path}/asker/accept`, { json: { tools } });
      const approval = { tools: { asker__act: 'auto' } };
      const id = await startRun(both[0], 'asks', { tools: ['asker__act'], approval });
      const [, other] = await holderOf(id, both);
      await vi.waitFor(async () => expect((await get(other, id)).phase).toBe('awaiting-approval'), patient);
      const json = { request_id: 'q1', action: 'accept', content: { name: 'From the other side' } };
      const answered = await other.request(`/api/runs/${id}/mcp-requests`, { json });
      expect(answered.status).toBe(200);
      expect(await ended(other, id)).toMatchObject({ termination_reason: 'final_answer' });
      const [call] = eventsOf(await logOf(other, id), 'tool-call.ended');
      expect(JSON.stringify(call?.result)).toContain('From the other side');
    },
    60_000,
  );

  it('another process shows text in progress, also to late viewers [D5, D13]', async () => {
    const words = Array.from({ length: 900 }, (_, index) => `word ${index} 🦊\u0000`).join(' ');
    ollama.add({ name: 'writer', steps: [{ reply: { content: `${words} All is completed.` } }] });
    const goOn = ollama.hold('writer', { turn: 0, afterTokens: 600 });
    const both = [await startServer(), await startServer()] as const;
    const settings = { live_tokens: true, num_predict: [30_000, 30_000] };
    const id = await startRun(both[0], 'writer', settings);
    const [holder, other] = await holderOf(id, both);
    const textOf = ({ live }: { live: ViewDelta[] }) =>
      live.reduce((text, delta) => {
        if (delta.type !== 'text') return text;
        // No delta leaves a gap, and repeated text is identical.
        expect(delta.offset).toBeLessThanOrEqual(text.length);
        return text.slice(0, delta.offset) + delta.text;
      }, '');
    const there = follow(holder, id);
    await vi.waitFor(() => expect(textOf(there).length).toBeGreaterThan(1500), patient);
    const early = follow(other, id);
    await vi.waitFor(() => expect(textOf(early)).toBe(textOf(there)), patient);
    const late = follow(other, id);
    await vi.waitFor(() => expect(textOf(late)).toBe(textOf(there)), patient);
    expect(words.startsWith(textOf(late))).toBe(true);
    goOn();
    await Promise.all([there.over, early.over, late.over]);
    const log = await logOf(other, id);
    for (const viewer of [early, late]) expect(viewer.seen.map(({ event }) => event)).toEqual(log);
    const said = eventsOf(log, 'model-call.ended')[0]?.message.content ?? '';
    expect(said.startsWith(textOf(early))).toBe(true);
  }, 120_000);

  /** Six tasks that each write a file and then answer; the held model is called last. */
  async function startExperiment(
    server: LoupeServer,
    models: string[],
    pace: { prompt_ms?: number } = {},
  ): Promise<string> {
    for (const name of models) {
      ollama.add({
        ...{ name, pace },
        steps: [{ reply: { tool_calls: [write] } }, { reply: { content: 'It is completed.' } }],
      });
    }
    const json = { name: 'Shared', mode: 'task', task: 'Write', models, seeds: [1, 2, 3] };
    const answer = await server.request('/api/experiments', { json });
    expect(answer.status).toBe(201);
    const { experiment }: ExperimentReply = await answer.json();
    return experiment.id;
  }

  async function experimentOf(server: LoupeServer, id: string): Promise<ExperimentReply> {
    return (await server.request(`/api/experiments/${id}`)).json();
  }

  const statusOf = async (server: LoupeServer, id: string) =>
    (await experimentOf(server, id)).items.map(({ status }) => status).join(' ');

  it('fault matrix: after kill -9 of the process that runs an experiment, another finishes it without repeating a run', async () => {
    const letAnswer = ollama.hold('beta', { turn: 1 });
    const first = await startServer();
    const second = await startServer();
    const id = await startExperiment(first, ['alpha', 'beta']);
    await vi.waitFor(
      async () => expect(await statusOf(second, id)).toBe('done done done running waiting waiting'),
      patient,
    );
    const before = await experimentOf(second, id);
    // A call in progress would be interrupted and not repeated.
    await vi.waitFor(async () => {
      const log = await logOf(second, before.items[3]?.run_id ?? '');
      expect(eventsOf(log, 'tool-call.ended')).toHaveLength(1);
    }, patient);
    await first.stop('SIGKILL');
    letAnswer();
    await vi.waitFor(
      async () => expect((await experimentOf(second, id)).experiment.status).toBe('finished'),
      patient,
    );
    const after = await experimentOf(second, id);
    expect(after.experiment).toMatchObject({ total: 6, done: 6, failed: 0 });
    expect(after.items.slice(0, 3)).toEqual(before.items.slice(0, 3));
    expect(after.items[3]?.run_id).toBe(before.items[3]?.run_id);
    for (const { result } of after.items) {
      expect(result).toMatchObject({ status: 'completed', tool_calls: 1, files_written: 1 });
    }
    const listed = await (await second.request('/api/runs?limit=100')).json();
    const made = listed.runs.map((run: { id: string }) => run.id);
    expect(made.toSorted()).toEqual(after.items.map(({ run_id }) => run_id).toSorted());
    for (const run of made) {
      const started = eventsOf(await logOf(second, run), 'tool-call.started').map(({ call_id }) => call_id);
      expect(new Set(started).size).toBe(started.length);
    }
    const table = await (await second.request(`/api/experiments/${id}/results?format=csv`)).text();
    expect(table.trimEnd().split('\r\n')).toHaveLength(7);
  }, 120_000);

  it('fault matrix: an experiment and a benchmark wait for a database that is gone for longer than a request waits, and finish', async () => {
    const pace = { prompt_ms: 100 };
    ollama.add({ name: 'hall', pace, steps: [{ reply: { content: 'No.' } }] });
    const folder = writeBenchmarkFolder(root, ['hall', 'attic']);
    const server = await startServer();
    const id = await startExperiment(server, ['alpha', 'beta'], pace);
    const json = { folder, models: ['hall'] };
    const { benchmark } = await (await server.request('/api/benchmarks', { json })).json();
    await vi.waitFor(async () => expect(await statusOf(server, id)).toContain('done running'), patient);
    await postgres.crash();
    await delay(LONGER_THAN_A_REQUEST_MS);
    await postgres.restart();
    await vi.waitFor(
      async () => expect((await experimentOf(server, id)).experiment.status).not.toBe('running'),
      patient,
    );
    const { experiment, items } = await experimentOf(server, id);
    expect(experiment).toMatchObject({ status: 'finished', total: 6, done: 6, failed: 0 });
    expect(experiment.problem).toBeUndefined();
    const runs = items.map(({ run_id }) => run_id);
    expect(new Set(runs).size).toBe(6);
    for (const { result } of items) {
      expect(result).toMatchObject({ status: 'completed', tool_calls: 1, files_written: 1 });
    }
    await vi.waitFor(async () => {
      const reply = await (await server.request(`/api/benchmarks/${benchmark.id}`)).json();
      expect(reply.benchmark).toMatchObject({ status: 'finished' });
    }, patient);
  }, 120_000);

  it('fault matrix: a process frozen past its lease does nothing more for an experiment that was stopped elsewhere', async () => {
    const letAnswer = ollama.hold('alpha', { turn: 1 });
    const frozen = await startServer();
    const awake = await startServer();
    const id = await startExperiment(frozen, ['alpha']);
    await vi.waitFor(async () => expect(await statusOf(awake, id)).toBe('running waiting waiting'), patient);
    frozen.process.kill('SIGSTOP');
    await vi.waitFor(async () => {
      const stopped = await awake.request(`/api/experiments/${id}/stop`, { json: {} });
      // Until the lease expires, the frozen process holds the run.
      expect(stopped.status).toBe(200);
      expect((await experimentOf(awake, id)).experiment.status).toBe('stopped');
    }, patient);
    letAnswer();
    await vi.waitFor(async () => expect(await statusOf(awake, id)).toBe('done waiting waiting'), patient);
    frozen.process.kill('SIGCONT');
    await vi.waitFor(
      () => expect(frozen.output()).toContain(`Experiment ${id} was taken over by another`),
      patient,
    );
    expect(await experimentOf(frozen, id)).toEqual(await experimentOf(awake, id));
    const listed = await (await awake.request('/api/runs?limit=100')).json();
    expect(listed.runs).toHaveLength(1);
    // It is resumed on request.
    expect((await frozen.request(`/api/experiments/${id}/continue`, { json: {} })).status).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(awake, id)).toBe('done done done'), patient);
  }, 120_000);

  it('requests with one key to two processes create one experiment, one benchmark and one rating', async () => {
    ollama.add({ name: 'quick', steps: [{ reply: { content: 'All is completed.' } }] });
    const both = [await startServer(), await startServer()] as const;
    const runId = await startRun(both[0], 'quick');
    await ended(both[1], runId);
    const questionnaire = {
      name: 'Clarity',
      scale: { min: 1, max: 5, min_label: 'no', max_label: 'yes' },
      items: [{ id: 'plain', text: 'It is plain.' }],
    };
    const requests = {
      experiments: { name: 'Once', mode: 'prompt', task: 'Hi', models: ['quick'] },
      benchmarks: { folder: writeBenchmarkFolder(root, ['hall']), models: ['quick'] },
      ratings: { name: 'Once', questionnaire, part: 'output', run_ids: [runId] },
    };
    for (const [kind, json] of Object.entries(requests)) {
      for (const key of ['a', 'b', 'c']) {
        const answers = await Promise.all(
          both.map((server) => server.request(`/api/${kind}`, { json, headers: { 'idempotency-key': key } })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
        expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
      }
      const listed: Record<string, unknown[]> = await (await both[1].request(`/api/${kind}`)).json();
      expect(listed[kind]).toHaveLength(3);
    }
  }, 60_000);

  it('an endless session yields to a task of another process, then continues', async () => {
    ollama.add({ name: 'endless', pace: { prompt_ms: 50 }, steps: [{ reply: { content: 'And on.' } }] });
    ollama.add({ name: 'quick', steps: [{ reply: { content: 'All is completed.' } }] });
    const both = [await startServer(), await startServer()] as const;
    const session = await both[0].request('/api/runs', {
      json: { mode: 'session', autopilot: true, autopilot_turns: 100_000, model: 'endless' },
    });
    expect(session.status).toBe(201);
    const { run }: RunReply = await session.json();
    await vi.waitFor(
      async () => expect((await get(both[0], run.id)).iterations_used).toBeGreaterThan(2),
      patient,
    );
    const id = await startRun(both[1], 'quick');
    expect(await ended(both[1], id)).toMatchObject({ termination_reason: 'final_answer' });
    const { iterations_used: then } = await get(both[0], run.id);
    await vi.waitFor(
      async () => expect((await get(both[0], run.id)).iterations_used).toBeGreaterThan(then + 2),
      patient,
    );
    expect((await both[1].request(`/api/runs/${run.id}/stop`, { json: {} })).status).toBeLessThan(300);
    await ended(both[0], run.id);
    const log = await logOf(both[0], run.id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  }, 120_000);

  it('a session that waits for a message continues in any process, even after kill -9 of the one it ran in', async () => {
    ollama.add({ name: 'chatty', steps: [{ reply: { content: 'Answer {{n}}.' } }] });
    const [first, second] = [await startServer(), await startServer()];
    const json = { mode: 'session', model: 'chatty', task: 'Hello.' };
    const { run }: RunReply = await (await first.request('/api/runs', { json })).json();
    const answered = async (server: LoupeServer, turns: number) => {
      const { iterations_used, phase } = await get(server, run.id);
      expect([iterations_used, phase]).toEqual([turns, 'awaiting-message']);
    };
    const say = async (server: LoupeServer, text: string) => {
      const said = await server.request(`/api/runs/${run.id}/messages`, { json: { text } });
      expect(said.status).toBe(202);
    };
    await vi.waitFor(() => answered(first, 1), patient);
    // No worker holds it, however long it waits.
    await delay(LEASE_SECONDS * 1000 + 1500);
    await answered(second, 1);
    await say(second, 'And again.');
    await vi.waitFor(() => answered(second, 2), patient);
    await first.stop('SIGKILL');
    servers.shift();
    await say(second, 'Once more.');
    await vi.waitFor(() => answered(second, 3), patient);
    const log = await logOf(second, run.id);
    expect(log.filter(({ type }) => type === 'message.awaited')).toHaveLength(3);
    expect(log.filter(({ type }) => type === 'run.resumed')).toHaveLength(2);
    expect((await second.request(`/api/runs/${run.id}/stop`, { json: {} })).status).toBeLessThan(300);
    await ended(second, run.id);
  }, 120_000);

  it('never has more active runs per Ollama than slots, across all processes, and completes all', async () => {
    ollama.add({
      name: 'quick',
      pace: { prompt_ms: 150 },
      steps: [{ reply: { content: 'All is completed.' } }],
    });
    const both = [await startServer(), await startServer()] as const;
    const ids = await Promise.all(both.flatMap((server) => [0, 1, 2].map(() => startRun(server, 'quick'))));
    for (const id of ids) await ended(both[0], id);
    const logs = await Promise.all(ids.map((id) => logOf(both[1], id)));
    const spans = logs
      .map((log) => ({ from: eventsOf(log, 'run.started')[0]?.at ?? 0, to: log.at(-1)?.at ?? 0 }))
      .sort((a, b) => a.from - b.from);
    for (const [index, { from }] of spans.entries()) {
      expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.to ?? 0);
    }
  }, 120_000);
});
