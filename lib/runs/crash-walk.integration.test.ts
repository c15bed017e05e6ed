import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { SqliteReader } from '../store/sqlite/sqlite-reader.ts';
import { bundleProgram } from '../testing/bundle-program.ts';
import { LifeProcess } from '../testing/life-process.ts';

/**
 * One life of the program, without its pages: takes up what an earlier life left, makes a run for each task that has
 * none, follows them like a viewer, who writes down each event as it is shown, and returns their logs when all have ended.
 */
const LIFE = `
  import { appendFileSync } from 'node:fs';
  import { readEnvironment } from '#lib/config/environment.ts';
  import { openRunService } from '#lib/app/open-run-service.ts';
  import { createRunRequest } from '#lib/api/create-run.ts';
  process.on('message', async (settings) => {
    const env = { ...process.env, ...settings };
    const opened = await openRunService(readEnvironment(env));
    const { service } = opened;
    const began = performance.now();
    await service.resumeUnfinished();
    const resumedMs = performance.now() - began;
    const runs = [];
    // One after the other: the first task has the first place in the queue.
    for (const task of JSON.parse(env.WALK_TASKS)) {
      const { run } = await service.start(
        createRunRequest.parse({ task, workspace: env.WALK_WORKSPACE, ...JSON.parse(env.WALK_REQUEST) }),
        { idempotencyKey: task },
      );
      runs.push(run);
    }
    const logs = await Promise.all(runs.map(async (run) => {
      const feed = await service.follow({ topics: new Map([[run.id, 0]]), signal: new AbortController().signal });
      const log = [];
      while (!feed.done) for (const item of await feed.next(1000)) {
        if (item.kind !== 'event') continue;
        log.push(item.event);
        appendFileSync(env.WALK_SEEN, JSON.stringify(item.event) + '\\n');
      }
      feed.close();
      return log;
    }));
    await opened.close();
    process.send(JSON.stringify({ resumedMs, logs }));
  });
`;

let ollama: FakeOllama;
let commandsRun = false;
let root: string;
let program: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'loupe-walk-'));
  program = await bundleProgram(join(root, 'program'), LIFE);
  commandsRun = (await openSandbox()).report.available;
  ollama = await startFakeOllama({
    record: false,
    models: [
      { name: 'walk' },
      { name: 'edit' },
      ...['large', 'large-edit'].map((name) => ({ name, context_length: 2_000_000 })),
    ],
  });
  ollama.add({
    name: 'walk',
    steps: [
      { reply: { content: 'A command.', tool_calls: [appendLine('one')] } },
      {
        reply: {
          content: 'Two calls at once.',
          tool_calls: [
            appendLine('two'),
            { name: 'write_file', arguments: { path: 'notes.md', content: 'Notes.\n' } },
          ],
        },
      },
      { reply: { content: 'The work is completed.' } },
    ],
  });
  for (const [name, call] of [
    ['large', writeLarge('large.txt')],
    ['large-edit', edit('large.txt', 'x', 'x'.repeat(4_900_000))],
    ['edit', edit('a.txt', 'x', 'xx')],
  ] as const) {
    ollama.add({
      name,
      steps: [
        { reply: { content: 'A file.', tool_calls: [call], eval_count: 10, literal: true } },
        { reply: { content: 'The work is completed.' } },
      ],
    });
  }
});
afterAll(async () => {
  await ollama.close();
  rmSync(root, { recursive: true, force: true });
});

function appendLine(line: string) {
  return { name: 'run_command', arguments: { command: `echo ${line} >> effects.txt` } };
}

function writeLarge(path: string) {
  return { name: 'write_file', arguments: { path, content: 'x'.repeat(4_900_000) } };
}

function edit(path: string, old_text: string, new_text: string) {
  return { name: 'edit_file', arguments: { path, edits: [{ old_text, new_text }] } };
}

interface Life {
  killed: boolean;
  logs: RunEvent[][];
  /** Of the first task. */
  log: RunEvent[];
  resumedMs: number;
}

interface LifeOptions {
  tasks?: readonly string[];
  request?: object;
}

/** What a life in this folder needs to know. */
function settingsOf(folder: string, { tasks = ['Walk'], request }: LifeOptions = {}) {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  return {
    WALK_WORKSPACE: workspace,
    WALK_SEEN: join(folder, 'seen'),
    WALK_REQUEST: JSON.stringify({ model: 'walk', ...request }),
    WALK_TASKS: JSON.stringify(tasks),
    LOUPE_DATA_DIR: join(folder, 'data'),
    OLLAMA_HOST: ollama.url,
  };
}

function startProcess(fault?: string): LifeProcess {
  return new LifeProcess(
    program,
    { NODE_COMPILE_CACHE: join(root, 'compiled'), ...(fault === undefined ? {} : { LOUPE_FAULT: fault }) },
    fault?.startsWith('throw') ? 'ignore' : 'inherit',
  );
}

/** Lives once in a process that is there already. */
async function liveIn(process: LifeProcess, folder: string, options?: LifeOptions): Promise<Life> {
  const text = await process.live(settingsOf(folder, options));
  if (text === undefined) return { killed: true, logs: [], log: [], resumedMs: 0 };
  const { logs, resumedMs }: { logs: RunEvent[][]; resumedMs: number } = JSON.parse(text);
  return { killed: false, logs, log: logs[0] ?? [], resumedMs };
}

/** Lives once in a separate process, which a fault or the appearance of a file may kill. */
async function live(
  folder: string,
  fault?: string,
  { killAt, ...options }: LifeOptions & { killAt?: RegExp } = {},
): Promise<Life> {
  const { WALK_WORKSPACE } = settingsOf(folder, options);
  await using process = startProcess(fault);
  const watcher =
    killAt && watch(WALK_WORKSPACE, (_, name) => name !== null && killAt.test(name) && process.kill());
  const life = await liveIn(process, folder, options);
  watcher?.close();
  return life;
}

/** The log of the only run, as stored on disk. */
async function stored(folder: string): Promise<RunEvent[]> {
  const reader = SqliteReader.open(join(folder, 'data', 'loupe.db'));
  const [run] = await reader.list({ limit: 1 });
  const events = run ? await reader.read(run.id, { afterSeq: 0, limit: 1000 }) : [];
  reader.close();
  return events;
}

/** Every event that a viewer was shown, in any life. */
function shown(folder: string): RunEvent[] {
  const path = join(folder, 'seen');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

/** Does the work for each, two at a time, and each of the two with a process for lives that are not to be killed. */
async function twoAtATime<T>(
  items: readonly T[],
  work: (item: T, survivor: LifeProcess) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    await using survivor = startProcess();
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item, survivor);
  };
  await Promise.all([worker(), worker()]);
}

/** The result of a run, without times, tokens and traces of being resumed. */
function outcome(log: readonly RunEvent[]) {
  const end = log.at(-1);
  return {
    result: end?.type === 'run.ended' && { ...end.result, tokens_in: 0, tokens_out: 0 },
    // An interrupted call has another result, at the same position.
    calls: log.flatMap((event) =>
      event.type === 'tool-call.ended' || event.type === 'tool-call.interrupted' ? [event.call_id] : [],
    ),
    replies: log.flatMap((event) => (event.type === 'reply.parsed' ? [event.text] : [])),
  };
}

function linesOf(folder: string): string[] {
  return readFileSync(join(folder, 'workspace', 'effects.txt'), 'utf8')
    .trimEnd()
    .split('\n');
}

it('a run killed at every event boundary reaches the same end, loses nothing and repeats no tool call', async ({
  skip,
}) => {
  if (!commandsRun) skip('commands cannot be confined here');
  const whole = await live(join(root, 'whole'));
  const points = new Map<string, number>();
  for (const { type } of whole.log.slice(1)) points.set(type, (points.get(type) ?? 0) + 1);
  points.set('tool-effect', points.get('tool-call.started') ?? 0);
  const faults = [...points].flatMap(([type, count]) =>
    Array.from({ length: count }, (_, n) => [
      `kill:before:${type}#${n + 1}`,
      ...(type === 'tool-effect' ? [] : [`kill:queued:${type}#${n + 1}`]),
      `kill:after:${type}#${n + 1}`,
    ]).flat(),
  );

  let deaths = 0;
  let interrupted = 0;
  let repeated = 0;
  let lost = 0;
  let kept = 0;
  let seen = 0;
  let unstored = 0;
  const walk = async (fault: string, survivor: LifeProcess) => {
    const folder = join(root, fault.replaceAll(/[^a-z0-9]+/g, '-'));
    const first = await live(folder, fault);
    deaths += first.killed ? 1 : 0;
    const left = await stored(folder);
    const viewed = shown(folder);
    seen += viewed.length;
    unstored += viewed.filter((event) => !isDeepStrictEqual(event, left[event.seq - 1])).length;
    const { log } = first.killed ? await liveIn(survivor, folder) : first;
    const same = left.filter((event, index) => isDeepStrictEqual(event, log[index])).length;
    lost += left.length - same;
    kept += same;
    expect(outcome(log), fault).toEqual(outcome(whole.log));
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
    const failures = log.filter((event) => event.type === 'tool-call.ended' && !event.result.success);
    expect(failures, fault).toEqual([]);
    const lines = linesOf(folder);
    repeated += lines.length - new Set(lines).size;
    interrupted += log.filter((event) => event.type === 'tool-call.interrupted').length;
    const started = log.flatMap((event) => (event.type === 'tool-call.started' ? [event.call_id] : []));
    expect(new Set(started).size, fault).toBe(started.length);
    rmSync(folder, { recursive: true, force: true });
  };
  await twoAtATime(faults, walk);
  console.info(
    `crash walk: ${faults.length} points, ${deaths} deaths, ${interrupted} calls told as interrupted, ` +
      `${lost} of ${lost + kept} events lost, ${repeated} effects repeated; ` +
      `a viewer saw ${seen} events, ${unstored} of them not on disk`,
  );
  expect(lost).toBe(0);
  expect(seen).toBeGreaterThan(faults.length);
  expect(unstored).toBe(0);
  // After the last event, the program ends before it could be killed.
  expect(deaths).toBeGreaterThanOrEqual(faults.length - 1);
  expect(repeated).toBe(0);
}, 900_000);

it('an exception at any event boundary ends this run with an error, and no other run', async ({ skip }) => {
  if (!commandsRun) skip('commands cannot be confined here');
  const tasks = ['Walk', 'Another'];
  const whole = await live(join(root, 'sound'), undefined, { tasks });
  const types = [...new Set(whole.log.slice(1).map(({ type }) => type))];
  const faults = [
    ...types.map((type) => `throw:before:${type}`),
    ...['model-call.ended', 'tool-call.started', 'run.ended'].map((type) => `throw:after:${type}`),
  ];
  let exceptions = 0;
  await twoAtATime(faults, async (fault) => {
    const folder = join(root, fault.replaceAll(/[^a-z0-9]+/g, '-'));
    const { logs } = await live(folder, fault, { tasks });
    const ends = logs.map((log) => log.at(-1));
    const errors = ends.filter(
      (end) => end?.type === 'run.ended' && end.result.error?.code === 'internal_error',
    );
    // After its last event, a run has ended as intended.
    expect(errors.length, fault).toBe(fault === 'throw:after:run.ended' ? 0 : 1);
    exceptions += errors.length;
    for (const log of logs) {
      expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
      expect(log.at(-1)?.type, fault).toBe('run.ended');
    }
    rmSync(folder, { recursive: true, force: true });
  });
  console.info(`exceptions: ${faults.length} points, ${exceptions} runs ended by them, 0 others`);
}, 900_000);

it('a run whose server is killed twice before resuming it continues, and reports the interrupted call once', async ({
  skip,
}) => {
  if (!commandsRun) skip('commands cannot be confined here');
  const folder = join(root, 'twice');
  expect((await live(folder, 'kill:after:tool-call.started')).killed).toBe(true);
  for (const fault of ['kill:recovery', 'kill:after:tool-call.interrupted']) {
    expect((await live(folder, fault)).killed).toBe(true);
  }
  const { log } = await live(folder);
  expect(log.filter((event) => event.type === 'tool-call.interrupted')).toHaveLength(1);
  expect(log.at(-1)).toMatchObject({ type: 'run.ended', result: { termination_reason: 'final_answer' } });
  expect(linesOf(folder)).toEqual(['two']);
});

it('a run whose server is killed twice while resuming it is parked by the third start, and the others continue', async ({
  skip,
}) => {
  if (!commandsRun) skip('commands cannot be confined here');
  const folder = join(root, 'recovery');
  const tasks = ['Poison', 'Sound'];
  expect((await live(folder, 'kill:before:tool-effect', { tasks })).killed).toBe(true);
  for (let time = 0; time < 2; time++) {
    expect((await live(folder, 'kill:after:run.resumed', { tasks })).killed).toBe(true);
  }
  const { logs, resumedMs } = await live(folder, undefined, { tasks });
  const [poisoned = [], sound = []] = logs;
  expect(poisoned.filter((event) => event.type === 'tool-call.interrupted')).toHaveLength(1);
  expect(poisoned.at(-1)).toMatchObject({
    type: 'run.ended',
    result: { termination_reason: 'error', error: { code: 'interrupted' } },
  });
  expect(sound.at(-1)).toMatchObject({ result: { termination_reason: 'final_answer' } });
  // Resuming runs executes no tool, so the server answers soon whatever was in progress.
  expect(resumedMs).toBeLessThan(10_000);
});

it('an incomplete file left by a kill during write_file or edit_file is removed at the next start, and no other', async () => {
  const similar = '.loupe-0123456789abcdef0123456789abcdef.tmp';
  let left = 0;
  for (const [model, fault] of [
    ['large', undefined],
    ['large', 'kill:after:run.resumed'],
    ['large-edit', undefined],
  ] as const) {
    const folder = join(root, `${model}-${fault === undefined ? 'once' : 'twice'}`);
    const workspace = join(folder, 'workspace');
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, similar), 'of a person');
    if (model === 'large-edit') writeFileSync(join(workspace, 'large.txt'), 'x');
    const before = readdirSync(workspace).length;
    // Streamed, the call would be one line of 4.9 MB, and Loupe reads lines of at most 1 MB.
    const large = { request: { model, window_tokens: 2_000_000, live_tokens: false } };
    const first = await live(folder, undefined, { ...large, killAt: /^\.loupe-.*\.tmp$/ });
    expect(first.killed).toBe(true);
    left += readdirSync(workspace).length - before;
    if (fault) expect((await live(folder, fault, large)).killed).toBe(true);
    const { log } = await live(folder, undefined, large);
    expect(log.filter((event) => event.type === 'tool-call.interrupted')).toHaveLength(1);
    expect(readdirSync(workspace).filter((name) => name !== 'large.txt')).toEqual([similar]);
    expect(readFileSync(join(workspace, similar), 'utf8')).toBe('of a person');
  }
  // A kill that comes after the last byte leaves nothing to remove.
  expect(left).toBeGreaterThan(0);
});

it('an edit whose server is killed is made once or not at all, and reported as interrupted', async () => {
  for (const [fault, content] of [
    ['kill:before:tool-effect', 'x\n'],
    ['kill:after:tool-effect', 'xx\n'],
    ['kill:before:tool-call.ended', 'xx\n'],
  ] as const) {
    const folder = join(root, `edit-${fault.replaceAll(/[^a-z]+/g, '-')}`);
    const workspace = join(folder, 'workspace');
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, 'a.txt'), 'x\n');
    const request = { request: { model: 'edit' } };
    expect((await live(folder, fault, request)).killed).toBe(true);
    const { log } = await live(folder, undefined, request);
    expect(log.filter((event) => event.type === 'tool-call.interrupted')).toHaveLength(1);
    expect(log.filter((event) => event.type === 'tool-call.started')).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({ result: { termination_reason: 'final_answer' } });
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe(content);
    expect(readdirSync(workspace)).toEqual(['a.txt']);
  }
});
