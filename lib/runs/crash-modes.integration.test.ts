import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateRunRequest } from '../api/create-run.ts';
import type { ExperimentItem, ExperimentRequest } from '../api/experiment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent, RunEventType } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { SessionLogProjection } from '../sharing/exports/session-log.ts';
import { bundleProgram } from '../testing/bundle-program.ts';
import { LifeProcess } from '../testing/life-process.ts';
import { calls, says, silence } from '../testing/loop-harness.ts';

/** One life of the program: makes the run if there is none, takes up what an earlier life left, returns the ended log. */
const LIFE = `
  import { readEnvironment } from '#lib/config/environment.ts';
  import { openRunService } from '#lib/app/open-run-service.ts';
  import { createRunRequest } from '#lib/api/create-run.ts';
  process.on('message', async (settings) => {
    const env = { ...process.env, ...settings };
    const opened = await openRunService(readEnvironment(env));
    const { service } = opened;
    await service.resumeUnfinished();
    const { run } = await service.start(createRunRequest.parse(JSON.parse(env.REQUEST)), {
      idempotencyKey: 'the walk',
    });
    await service.ended(run.id, new AbortController().signal);
    const log = [];
    for await (const events of service.stored.log(run.id)) log.push(...events);
    await opened.close();
    process.send(JSON.stringify(log));
  });
`;

/** One life of the program that works an experiment off, and returns its items and how many runs there are. */
const EXPERIMENT = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { readEnvironment } from '#lib/config/environment.ts';
  import { openRunService } from '#lib/app/open-run-service.ts';
  import { experimentRequest } from '#lib/api/experiment.ts';
  process.on('message', async (settings) => {
    const env = { ...process.env, ...settings };
    const opened = await openRunService(readEnvironment(env));
    const { service, experiments } = opened;
    await service.resumeUnfinished();
    await experiments.resume();
    const [left] = await experiments.list();
    const { id } = left ?? (await experiments.create(experimentRequest.parse(JSON.parse(env.REQUEST)))).experiment;
    while ((await experiments.get(id)).experiment.status !== 'finished') await delay(10);
    const { items } = await experiments.get(id);
    const runs = await service.stored.list({ limit: 100 });
    await opened.close();
    process.send(JSON.stringify({ items, runs: runs.length }));
  });
`;

let ollama: FakeOllama;
let root: string;
let lifeProgram: string;
let experimentProgram: string;

const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const remember = (key: string, value: string) => ({ name: 'write', arguments: { key, value } });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'loupe-crash-modes-'));
  lifeProgram = await bundleProgram(join(root, 'life'), LIFE);
  experimentProgram = await bundleProgram(join(root, 'experiment-program'), EXPERIMENT);
  ollama = await startFakeOllama({ record: false });
  ollama.add({
    name: 'session',
    steps: [
      { reply: { content: 'I begin.', tool_calls: [write('a.md', 'A')] } },
      says('That is done.'),
      calls(write('b.md', 'B'), write('c.md', 'C')),
      says('And that.'),
      silence,
      silence,
      silence,
    ],
  });
  ollama.add({
    name: 'explore',
    steps: [
      calls(remember('idea', 'clouds'), remember('plan', 'sky')),
      says('I had an idea.'),
      calls({ name: 'send_message_to_operator', arguments: { message: 'I have an idea.' } }),
      calls({ name: 'delete', arguments: { key: 'plan' } }, { name: 'list' }),
      says('I had an idea.'),
      calls({ name: 'read', arguments: { key: 'idea' } }),
      says('The end of it.'),
    ],
  });
});
afterAll(async () => {
  await ollama.close();
  rmSync(root, { recursive: true, force: true });
});

function startProcess(program: string, fault?: string): LifeProcess {
  return new LifeProcess(program, {
    NODE_COMPILE_CACHE: join(root, 'compiled'),
    ...(fault === undefined ? {} : { LOUPE_FAULT: fault }),
  });
}

/** Lives once in this folder. @returns what came of it, as JSON; `undefined` if the life was killed */
function liveIn(process: LifeProcess, folder: string, request: CreateRunRequest | ExperimentRequest) {
  return process.live({
    REQUEST: JSON.stringify(request),
    LOUPE_DATA_DIR: join(folder, 'data'),
    OLLAMA_HOST: ollama.url,
  });
}

/** Lives until the fault kills the process. */
async function killedBy(
  fault: string,
  program: string,
  folder: string,
  request: CreateRunRequest | ExperimentRequest,
) {
  await using process = startProcess(program, fault);
  expect(await liveIn(process, folder, request), fault).toBeUndefined();
}

/** The result of a run, without times, token counts and traces of being resumed. */
function outcome(log: readonly RunEvent[]) {
  const state = foldAll(emptyRunState(log[0]?.run_id ?? ''), log);
  return {
    reason: state.result?.termination_reason,
    output: state.result?.output,
    turns: state.turns.completed,
    reflections: state.reflections.map(({ text }) => text),
    roles: state.messages.map(({ role }) => role),
    said: state.messages.filter(({ role }) => role !== 'tool').map(({ content }) => content),
    advice: state.diversity?.similarity,
  };
}

function pointsOf(log: readonly RunEvent[], types: readonly RunEventType[]): string[] {
  return types.flatMap((type) => {
    const times = log.filter((event) => event.type === type).length;
    if (times === 0) throw new Error(`${type} never happens`);
    // Only one kill in the middle: the walk over a task has shown that the first and the last point behave
    // alike.
    const n = Math.ceil(times / 2);
    return [`kill:before:${type}#${n}`, `kill:after:${type}#${n}`];
  });
}

async function walk(name: string, request: CreateRunRequest, types: readonly RunEventType[]) {
  const folders = mkdtempSync(join(root, `${name}-`)); // a retry starts over
  await using first = startProcess(lifeProgram);
  await using second = startProcess(lifeProgram);
  const logIn = async (process: LifeProcess, folder: string): Promise<RunEvent[]> =>
    JSON.parse((await liveIn(process, folder, request)) ?? '[]');
  const whole = await logIn(first, join(folders, 'whole'));
  const waiting = pointsOf(whole, types);
  const logs: { fault: string; log: RunEvent[]; folder: string }[] = [];
  const worker = async (survivor: LifeProcess) => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const folder = join(folders, fault.replaceAll(/[^a-z0-9]+/g, '-'));
      mkdirSync(folder);
      await killedBy(fault, lifeProgram, folder, request);
      const log = await logIn(survivor, folder);
      expect(outcome(log), fault).toEqual(outcome(whole));
      const started = log.flatMap((event) => (event.type === 'tool-call.started' ? [event.call_id] : []));
      expect(new Set(started).size, fault).toBe(started.length);
      logs.push({ fault, log, folder });
    }
  };
  await Promise.all([worker(first), worker(second)]);
  expect(logs.length).toBe(types.length * 2);
  console.info(`${name}: killed at ${logs.length} points, same end each time, no call repeated`);
  return logs;
}

it('a session killed at its boundaries resumes, and its log file has every line once', async () => {
  const request: CreateRunRequest = { mode: 'session', autopilot: true, model: 'session', turn_delay: 1 };
  const logs = await walk('session', request, [
    ...(['attempt.started', 'iteration.started', 'model-call.ended', 'tool-call.started'] as const),
    ...(['tool-call.ended', 'turn.ended', 'turn.paused', 'harness.prompted'] as const),
  ]);
  for (const { fault, log, folder } of logs) {
    const projection = new SessionLogProjection();
    const lines = log.flatMap((event) => projection.take(event));
    const path = join(folder, 'data', 'sessions', `${log[0]?.run_id}.jsonl`);
    const written = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(written, fault).toEqual(lines);
  }
}, 300_000);

it('an exploration killed at its boundaries resumes with its complete memory', async () => {
  const request: CreateRunRequest = { mode: 'explore', model: 'explore', max_cycles: 3, diversity: {} };
  const logs = await walk('explore', request, [
    ...(['cycle.started', 'model-call.ended', 'tool-call.started', 'memory.changed'] as const),
    ...(['agent.messaged', 'tool-call.ended', 'cycle.reflected', 'diversity.advised'] as const),
  ]);
  for (const { fault, log } of logs) {
    const interrupted = log.some((event) => event.type === 'tool-call.interrupted');
    const { memory, agentMessages } = foldAll(emptyRunState(log[0]?.run_id ?? ''), log);
    const keys = [...memory.keys()];
    // An interrupted call had no effect, and the model was told that its outcome is unknown.
    if (interrupted) expect(['', 'idea', 'idea,plan'], fault).toContain(keys.join());
    else expect(keys, fault).toEqual(['idea']);
    expect(agentMessages.length, fault).toBeLessThanOrEqual(1);
  }
}, 300_000);

it('an experiment killed between runs resumes, repeats none and has every result', async () => {
  const request: ExperimentRequest = { name: 'Killed', models: ['explore'], seeds: [1, 2, 3], cycles: 3 };
  const outcomes = (text = '') => {
    const { items, runs }: { items: ExperimentItem[]; runs: number } = JSON.parse(text);
    expect(new Set(items.map(({ run_id }) => run_id)).size).toBe(runs);
    return items.map(({ seed, status, result }) => {
      const { termination_reason, cycles, memories, output } = result ?? {};
      return { seed, status, termination_reason, cycles, memories, output };
    });
  };
  const folders = mkdtempSync(join(root, 'experiment-'));
  await using survivor = startProcess(experimentProgram);
  const whole = outcomes(await liveIn(survivor, join(folders, 'whole'), request));
  expect(whole.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  for (const point of ['before:run.started', 'after:run.started', 'before:run.ended', 'after:run.ended']) {
    const folder = join(folders, point.replace(':', '-'));
    await killedBy(`kill:${point}#2`, experimentProgram, folder, request);
    expect(outcomes(await liveIn(survivor, folder, request)), point).toEqual(whole);
  }
}, 300_000);

it('an experiment over a suite killed between runs repeats no case and has every result', async () => {
  const request: ExperimentRequest = {
    ...{ name: 'Killed', models: ['session'], suite: { shipped: 'basics', tags: ['when not to act'] } },
    settings: { max_iterations: 2 },
  };
  const outcomes = (text = '') => {
    const { items, runs }: { items: ExperimentItem[]; runs: number } = JSON.parse(text);
    expect(new Set(items.map(({ run_id }) => run_id)).size).toBe(runs);
    return items.map(({ case: id, status, result }) => [id, status, result?.outcome, result?.suite_hash]);
  };
  const folders = mkdtempSync(join(root, 'suite-experiment-'));
  await using survivor = startProcess(experimentProgram);
  const whole = outcomes(await liveIn(survivor, join(folders, 'whole'), request));
  expect(new Set(whole.map(([id]) => id)).size).toBe(5);
  for (const point of ['before:run.started', 'after:run.ended']) {
    const folder = join(folders, point.replace(':', '-'));
    await killedBy(`kill:${point}#3`, experimentProgram, folder, request);
    expect(outcomes(await liveIn(survivor, folder, request)), point).toEqual(whole);
  }
}, 300_000);
