import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateRunRequest, createRunRequest } from '../lib/api/create-run.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import type { ScenarioInput } from '../lib/demo/scenario.ts';
import { runLoop } from '../lib/engine/run-loop.ts';
import { foldAll } from '../lib/events/fold-run.ts';
import { emptyRunState } from '../lib/events/run-state.ts';
import type { ChatModel } from '../lib/model/chat-model.ts';
import { parseOllamaHost } from '../lib/model/ollama-host.ts';
import { exploreMode } from '../lib/modes/explore.ts';
import type { Mode } from '../lib/modes/mode.ts';
import { resolveConfig } from '../lib/modes/resolve-config.ts';
import { sessionMode } from '../lib/modes/session.ts';
import { taskMode } from '../lib/modes/task.ts';
import { ended } from '../lib/policies/rule.ts';
import { openToolsOf } from '../lib/runs/open-tools.ts';
import { StoredRunLog } from '../lib/runs/stored-run-log.ts';
import { openUnconfined } from '../lib/sandbox/unconfined.ts';
import { SessionLogger } from '../lib/sharing/exports/session-logger.ts';
import { SqliteRunStore } from '../lib/store/sqlite/sqlite-store.ts';
import { instantScenario } from '../lib/testing/instant-scenario.ts';
import { createOllamaChatModel } from '../lib/testing/ollama-chat-model.ts';

// The cost of a step at the beginning and at the end of a long run of each mode, apart from sending the
// conversation: the real loop, parser, tools and SQLite store (one fsync per append) against a fake Ollama in
// another process that answers at once. Beside it a bare fetch loop that sends the very same bodies.
//   node bench/engine.ts [runs] [task|session|explore]

const TURNS = 500;
const CYCLES = 200;
const ITERATIONS = 200;

interface Subject {
  name: string;
  /** The unit, and the number of model calls per unit. */
  unit: string;
  callsPerUnit: number;
  request: Partial<CreateRunRequest>;
  /** The mode with a limit, if it has none or a lower one. */
  mode: Mode;
  scenario: ScenarioInput;
}

const remember = (key: string, value: string) => ({ name: 'write', arguments: { key, value } });

const subjects: readonly Subject[] = [
  {
    name: 'task',
    unit: 'iteration',
    callsPerUnit: 1,
    request: { mode: 'task', task: 'Write and read files.', max_iterations: 100, stall_guard: false },
    // More iterations than a run may ask for.
    mode: { ...taskMode, betweenIterations: [] },
    scenario: instantScenario(ITERATIONS, 'task'),
  },
  {
    name: 'session',
    unit: 'turn',
    callsPerUnit: 1,
    request: { mode: 'session', autopilot: true, autopilot_turns: TURNS + 1 },
    mode: {
      ...sessionMode,
      betweenIterations: [
        (state) => (state.turns.completed >= TURNS ? ended('final_answer') : undefined),
        ...sessionMode.betweenIterations,
      ],
    },
    scenario: {
      name: 'session',
      steps: [
        {
          repeat: TURNS,
          steps: [
            {
              reply: {
                tool_calls: [{ name: 'write_file', arguments: { path: 'log.md', content: 'Turn {{n}}.\n' } }],
              },
            },
            { reply: { content: 'Turn {{turn}} is done, and I think about the next one.' } },
          ],
        },
      ],
    },
  },
  {
    name: 'explore',
    unit: 'cycle',
    callsPerUnit: 3,
    request: { mode: 'explore', max_cycles: CYCLES, diversity: {} },
    mode: exploreMode,
    scenario: {
      name: 'explore',
      steps: [
        {
          repeat: CYCLES,
          steps: [
            { reply: { tool_calls: [remember('k{{n}}', 'Idea number {{n}}.')] } },
            {
              reply: {
                tool_calls: [remember('last', '{{n}}'), { name: 'read', arguments: { key: 'k{{n}}' } }],
              },
            },
            { reply: { content: 'In cycle {{n}} I thought about the number {{n}} and its neighbors.' } },
          ],
        },
      ],
    },
  },
];

if (process.env.LOUPE_BENCH_FAKE) {
  const fake = await startFakeOllama({
    models: subjects.map(({ name }) => ({ name, context_length: 2_000_000 })),
    scenarios: subjects.map(({ scenario }) => scenario),
    record: false,
  });
  process.send?.(fake.url);
  await once(process, 'disconnect');
  process.exit(0);
}

const runs = Number(process.argv[2] ?? 5);
const only = process.argv[3];
const WARM_UP_RUNS = 1;
const EDGE = 20;
const LIMIT = 1.5;

interface Measured {
  /** Milliseconds per model call in total. */
  total: number[];
  /** The same without the model call: deciding, parsing, executing, folding, storing. */
  own: number[];
  bodies: string[];
  appends: number;
}

interface Place {
  url: string;
  root: string;
  store: SqliteRunStore;
}

async function measureRun(subject: Subject, id: string, { url, root, store }: Place): Promise<Measured> {
  const workspace = join(root, id);
  await mkdir(workspace);
  const config = resolveConfig(
    createRunRequest.parse({ model: subject.name, window_tokens: 2_000_000, ...subject.request }),
    { workspace, offeredTools: [] },
  );
  await store.create({ id, config });
  const { epoch } = await store.claim(id, 'bench');
  const events = await store.read(id, { afterSeq: 0, limit: 10 });
  const logs = new SessionLogger(join(root, 'sessions'), (runId, range) => store.read(runId, range));
  const log = new StoredRunLog({
    store,
    observers: [logs],
    state: foldAll(emptyRunState(id), events),
    epoch,
    onChange: () => {},
  });
  log.append([{ type: 'run.started', worker: 'bench', epoch }]);

  const calls: { startedAt: number; endedAt: number; sent: number }[] = [];
  const real = createOllamaChatModel({ host: parseOllamaHost(url) });
  const model: ChatModel = {
    ...real,
    chat: async (request, context) => {
      const startedAt = performance.now();
      const reply = await real.chat(request, context);
      calls.push({ startedAt, endedAt: performance.now(), sent: request.messages.length });
      return reply;
    },
  };
  const { outcome, error } = await runLoop({
    log,
    model,
    mode: subject.mode,
    openTools: openToolsOf(id, {
      sandbox: openUnconfined(),
      dataDir: join(root, 'data'),
      logPathOf: (runId) => logs.pathOf(runId),
    }),
  });
  if (outcome !== 'ended' || error) throw new Error(`The run was ${outcome}`, { cause: error });
  if (log.state.result?.termination_reason !== 'final_answer') throw new Error(log.state.ended?.message);

  const bodies = calls.map(({ sent }) =>
    JSON.stringify({
      model: subject.name,
      messages: log.state.messages.slice(0, sent),
      tools: log.state.tools,
      stream: config.mode === 'session',
      think: false,
      truncate: false,
      shift: false,
      keep_alive: config.keep_alive,
      options: { num_ctx: config.window_tokens, num_predict: 2048 },
    }),
  );
  // From the end of one reply to the end of the next, which is how long a user waits for a step.
  const total: number[] = [];
  const own: number[] = [];
  for (let index = 1; index < calls.length; index += 1) {
    const before = calls[index - 1];
    const call = calls[index];
    if (!before || !call) continue;
    total.push(call.endedAt - before.endedAt);
    own.push(call.startedAt - before.endedAt);
  }
  return { total, own, bodies, appends: log.state.seq };
}

/** The same conversations over the same connection, with nothing around them. */
async function measureFetch(url: string, bodies: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const body of bodies) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.text();
    times.push(performance.now() - startedAt);
  }
  return times.slice(1);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The median over all runs at each model call, so that a disturbance of one run does not count; then the sum per unit. */
function perUnit(series: readonly (readonly number[])[], callsPerUnit: number): number[] {
  const calls = (series[0] ?? []).map((_, index) => median(series.map((values) => values[index] ?? 0)));
  return Array.from({ length: Math.floor(calls.length / callsPerUnit) }, (_, unit) =>
    calls.slice(unit * callsPerUnit, (unit + 1) * callsPerUnit).reduce((sum, value) => sum + value, 0),
  );
}

/** @returns how much more a unit costs at the end than at the beginning, apart from the model call */
async function measure(subject: Subject, place: Place): Promise<number> {
  const measured: Measured[] = [];
  const bare: number[][] = [];
  for (let run = 0; run < WARM_UP_RUNS + runs; run += 1) {
    const result = await measureRun(subject, `${subject.name}-${run}`, place);
    const fetched = await measureFetch(place.url, result.bodies);
    if (run < WARM_UP_RUNS) continue;
    measured.push(result);
    bare.push(fetched);
  }
  const { unit, callsPerUnit } = subject;
  const rows = [
    { name: `${unit} apart from the model call`, series: measured.map(({ own }) => own) },
    { name: `${unit}, all in`, series: measured.map(({ total }) => total) },
    { name: 'bare fetch of the same bodies', series: bare },
  ].map(({ name, series }) => ({ name, values: perUnit(series, callsPerUnit) }));
  console.info(
    `\n${subject.name}: ${rows[0]?.values.length} ${unit}s, ${runs} runs, ${measured[0]?.appends} events each, ` +
      `SQLite with fsync; median ms over ${EDGE} ${unit}s\n`,
  );
  console.info(`${''.padEnd(38)}${'first'.padStart(9)}${'last'.padStart(9)}${'ratio'.padStart(9)}`);
  const [own = Number.POSITIVE_INFINITY] = rows.map(({ name, values }) => {
    const first = median(values.slice(0, EDGE));
    const last = median(values.slice(-EDGE));
    const cells = [first.toFixed(3), last.toFixed(3), (last / first).toFixed(2)];
    console.info(`${name.padEnd(38)}${cells.map((cell) => cell.padStart(9)).join('')}`);
    return last / first;
  });
  console.info(`\n${own <= LIMIT ? 'within' : 'ABOVE'} the limit of ${LIMIT}`);
  return own;
}

const child = fork(import.meta.filename, { env: { ...process.env, LOUPE_BENCH_FAKE: '1' } });
const root = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
const store = SqliteRunStore.open(join(root, 'data'));
try {
  const [url] = (await once(child, 'message')) as [string];
  for (const subject of subjects) {
    if (only !== undefined && subject.name !== only) continue;
    if ((await measure(subject, { url, root, store })) > LIMIT) process.exitCode = 1;
  }
} finally {
  await store.close();
  child.disconnect();
  await rm(root, { recursive: true, force: true });
}
