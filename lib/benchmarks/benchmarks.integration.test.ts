import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BenchmarkRequest, benchmarkRequest } from '../api/benchmark.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { benchmarkQuestion, writeBenchmarkFolder } from '../testing/benchmark-folder.ts';
import { bundleProgram } from '../testing/bundle-program.ts';
import { benchmarkCsv } from './benchmark-table.ts';

const ROOMS = ['hall', 'attic', 'garage'];

let root: string;
let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;

const environment = () =>
  readEnvironment({
    LOUPE_DATA_DIR: join(root, 'loupe'),
    OLLAMA_HOST: fake.url,
    LOUPE_MIN_FREE_MB: '0',
  });

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'loupe-benchmarks-'));
  folder = writeBenchmarkFolder(join(root, 'files'), ROOMS);
  const call = (room: string, level: unknown = 5) => ({ name: 'lamp_set', arguments: { room, level } });
  const script = (match: string, reply: object) => ({
    name: match,
    model: 'alpha',
    match,
    steps: [{ reply }],
  });
  fake = await startFakeOllama({
    models: [{ name: 'alpha' }],
    scenarios: [
      script(benchmarkQuestion('hall'), { tool_calls: [call('Hall')] }),
      script(benchmarkQuestion('attic'), {
        content: `<tool_call>\n${JSON.stringify(call('attic'))}\n</tool_call>`,
      }),
      script(benchmarkQuestion('garage'), { tool_calls: [call('garage', '6')] }),
      script('How are you?', { content: 'I am fine.' }),
      script('What is love?', { tool_calls: [call('bedroom')] }),
    ].map((one) => ({ ...one, name: one.name.replaceAll(/\W+/g, '-') })),
  });
  opened = await openRunService(environment());
});

afterEach(async () => {
  await opened.close();
  await fake.close();
  rmSync(root, { recursive: true, force: true });
});

const request = (change: Partial<BenchmarkRequest> = {}) =>
  benchmarkRequest.parse({ folder, models: ['alpha'], ...change });

const ended = (id: string) =>
  vi.waitFor(
    async () => {
      const reply = await opened.benchmarks.get(id);
      expect(['finished', 'stopped']).toContain(reply.benchmark.status);
      return reply;
    },
    { timeout: 20_000, interval: 20 },
  );

it('judges one reply per case by native calls alone and as Loupe reads it', async () => {
  const { benchmark } = await opened.benchmarks.create(request());
  expect(benchmark).toMatchObject({
    total: 5,
    categories: [
      { name: 'simple_python', cases: 3 },
      { name: 'irrelevance', cases: 2 },
    ],
  });
  const { benchmark: last, cells } = await ended(benchmark.id);
  expect(last).toMatchObject({ status: 'finished', done: 5 });
  expect(fake.chats).toHaveLength(5);
  expect(cells).toMatchObject([
    {
      ...{ category: 'simple_python', judged: 3, failed: 0, native: { right: 1 }, read: { right: 2 } },
      gain: { only_read: 1, only_native: 0, p: 1 },
    },
    { category: 'irrelevance', judged: 2, native: { right: 1 }, read: { right: 1 } },
    { judged: 5, native: { right: 2 }, read: { right: 3 } },
  ]);
  const { cases } = await opened.benchmarks.cases(benchmark.id, { after: 0, limit: 9, filter: 'gained' });
  expect(cases).toMatchObject([{ case_id: 'simple_python_1', layer: 'xml', format: 'hermes' }]);
  const { result, evidence } = await opened.benchmarks.case(benchmark.id, 2);
  expect(result).toMatchObject({ native: { right: false, reason: 'The reply has 0 calls, not 1.' } });
  expect(evidence).toMatchObject({
    request: {
      messages: [{ role: 'user', content: benchmarkQuestion('attic') }],
      options: { temperature: 0 },
    },
    native_calls: [],
    read_calls: [{ name: 'lamp_set', arguments: { room: 'attic', level: 5 } }],
    expected: [{ 'lamp.set': { room: ['attic'], level: [5] } }],
  });
  const wrong = await opened.benchmarks.case(benchmark.id, 3);
  expect(wrong.result).toMatchObject({
    native: { right: false, reason: expect.stringContaining('The type of "level" is wrong') },
    read: { right: false, reason: expect.stringContaining('The value of "level" is wrong: 6') },
  });
  expect(benchmarkCsv(await opened.benchmarks.results(benchmark.id))).toContain(
    '2,alpha,simple_python,simple_python_1,0,1,xml,hermes,"The reply has 0 calls, not 1."',
  );
});

it('stops, continues without repeating a case, and is deleted', async () => {
  const release = fake.hold('Set-the-lamp-in-the-attic-to-level-5-', { turn: 0 });
  const { benchmark } = await opened.benchmarks.create(request());
  await vi.waitFor(async () => expect(fake.chats).toHaveLength(2));
  const stopped = await opened.benchmarks.stop(benchmark.id);
  expect(stopped.benchmark).toMatchObject({ status: 'stopped', done: 1 });
  release();
  await opened.benchmarks.continue(benchmark.id);
  expect((await ended(benchmark.id)).benchmark).toMatchObject({ status: 'finished', done: 5 });
  expect(fake.chats.filter(({ messages }) => JSON.stringify(messages).includes('hall'))).toHaveLength(1);
  expect(await opened.benchmarks.plan(folder)).toMatchObject({
    categories: [{ cases: 3 }, { cases: 2 }],
    seconds: { 'alpha:latest': expect.any(Number) },
  });
  await opened.benchmarks.delete(benchmark.id);
  await expect(opened.benchmarks.get(benchmark.id)).rejects.toMatchObject({ code: 'benchmark_not_found' });
});

it('takes the first cases of chosen categories', async () => {
  const { benchmark } = await opened.benchmarks.create(request({ categories: ['simple_python'], limit: 2 }));
  expect((await ended(benchmark.id)).benchmark).toMatchObject({ total: 2, done: 2 });
});

it('stops with the reason when the model is missing, and when the files have changed', async () => {
  const missing = await opened.benchmarks.create(request({ models: ['nobody'] }));
  expect((await ended(missing.benchmark.id)).benchmark).toMatchObject({
    status: 'stopped',
    problem: { code: 'model_missing' },
  });
  appendFileSync(join(folder, 'bfcl_eval/data/BFCL_v4_irrelevance.json'), '\n');
  await opened.benchmarks.continue(missing.benchmark.id);
  expect((await ended(missing.benchmark.id)).benchmark.problem?.message).toContain('have changed');
});

it('refuses folders without the files, with the reason', async () => {
  const empty = join(root, 'empty');
  mkdirSync(empty);
  const plan = (named: string) => opened.benchmarks.plan(named);
  await expect(plan('files')).rejects.toThrow('must be an absolute path');
  await expect(plan(join(root, 'none'))).rejects.toThrow('is not a folder on this machine');
  await expect(plan(empty)).rejects.toThrow('has no files such as BFCL_v4_simple_python.json');
  writeFileSync(join(empty, 'BFCL_v4_parallel.json'), '{}');
  await expect(plan(empty)).rejects.toThrow('has no possible answers of the category "parallel"');
  await expect(opened.benchmarks.create(request({ categories: ['multiple'] }))).rejects.toThrow(
    'has no questions of the category "multiple"',
  );
});

const LIFE = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { readEnvironment } from '#lib/config/environment.ts';
  import { openRunService } from '#lib/app/open-run-service.ts';
  import { benchmarkRequest } from '#lib/api/benchmark.ts';
  const { benchmarks } = await openRunService(readEnvironment(process.env));
  benchmarks.start();
  const [left] = (await benchmarks.list()).benchmarks;
  if (!left) await benchmarks.create(benchmarkRequest.parse(JSON.parse(process.env.REQUEST)));
  await delay(60_000);
`;

it('continues after kill -9 without repeating a case that has a result', async () => {
  await opened.close();
  const program = await bundleProgram(join(root, 'life'), LIFE);
  const release = fake.hold('Set-the-lamp-in-the-garage-to-level-5-', { turn: 0 });
  const env = {
    ...process.env,
    LOUPE_DATA_DIR: join(root, 'loupe'),
    OLLAMA_HOST: fake.url,
    LOUPE_MIN_FREE_MB: '0',
    REQUEST: JSON.stringify(request()),
  };
  const child = spawn(process.execPath, [program], { env, stdio: 'inherit' });
  await vi.waitFor(() => expect(fake.chats).toHaveLength(3), { timeout: 20_000 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  release();
  opened = await openRunService(environment());
  opened.benchmarks.start();
  const [left] = (await opened.benchmarks.list()).benchmarks;
  expect(left).toMatchObject({ status: 'running', done: 2 });
  expect((await ended(left?.id ?? '')).benchmark).toMatchObject({ status: 'finished', done: 5 });
  const times = (room: string) =>
    fake.chats.filter(({ messages }) => JSON.stringify(messages).includes(room)).length;
  expect(ROOMS.map(times)).toEqual([1, 1, 2]); // the case in progress had no result
});
