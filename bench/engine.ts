import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoop } from '../lib/engine/run-loop.ts';
import { foldAll } from '../lib/events/fold-run.ts';
import { emptyRunState } from '../lib/events/run-state.ts';
import type { ChatModel } from '../lib/model/chat-model.ts';
import { createOllamaChatModel } from '../lib/model/ollama-chat-model.ts';
import { parseOllamaHost } from '../lib/model/ollama-host.ts';
import { taskMode } from '../lib/modes/task.ts';
import { StoredRunLog } from '../lib/runs/stored-run-log.ts';
import { openUnconfined } from '../lib/sandbox/unconfined.ts';
import { SqliteRunStore } from '../lib/store/sqlite-store.ts';
import { startFakeOllama } from '../lib/testing/fake-ollama.ts';
import { sampleConfig } from '../lib/testing/sample-logs.ts';
import { instantScenario } from '../lib/testing/scenario.ts';
import { createTaskTools } from '../lib/tools/registry.ts';

// What an iteration costs at the beginning and at the end of a long run, apart from sending the conversation: the real
// loop, parser, tools and SQLite store (one fsync per append) against a fake Ollama in another process that answers at
// once. Beside it a bare fetch loop that sends the very same bodies.
//   node bench/engine.ts [iterations] [runs]

if (process.env.LOUPE_BENCH_FAKE) {
  const fake = await startFakeOllama({
    scenarios: [instantScenario(Number(process.env.LOUPE_BENCH_FAKE))],
    record: false,
  });
  process.send?.(fake.url);
  await once(process, 'disconnect');
  process.exit(0);
}

const iterations = Number(process.argv[2] ?? 200);
const runs = Number(process.argv[3] ?? 5);
const WARM_UP_RUNS = 1;
const EDGE = 20;
const LIMIT = 1.5;

interface Measured {
  /** Milliseconds per iteration, all in. */
  total: number[];
  /** The same without the model call: deciding, parsing, executing, folding, storing. */
  own: number[];
  bodies: string[];
  appends: number;
}

async function measureRun(url: string, folder: string, id: string, store: SqliteRunStore): Promise<Measured> {
  const config = sampleConfig({
    model: 'instant',
    task: 'Write and read files.',
    workspace: folder,
    max_iterations: 100,
    window_tokens: 2_000_000,
    live_tokens: false,
    think: false,
  });
  await store.create({ id, config });
  const { epoch } = await store.claim(id, 'bench');
  const events = await store.read(id, { afterSeq: 0, limit: 10 });
  const log = new StoredRunLog({
    store,
    state: foldAll(emptyRunState(id), events),
    epoch,
    onChange: () => {},
  });
  await log.append([{ type: 'run.started', worker: 'bench', epoch }]);

  const calls: { startedAt: number; endedAt: number }[] = [];
  const real = createOllamaChatModel({ host: parseOllamaHost(url) });
  const model: ChatModel = {
    ...real,
    chat: async (request, context) => {
      const startedAt = performance.now();
      const reply = await real.chat(request, context);
      calls.push({ startedAt, endedAt: performance.now() });
      return reply;
    },
  };
  const bodies: string[] = [];
  const sandbox = openUnconfined();
  const { outcome, error } = await runLoop({
    log,
    model,
    // More iterations than a run may ask for: the same mode without its limit.
    mode: { ...taskMode, betweenIterations: [] },
    openTools: async () => ({
      toolbox: createTaskTools({ workspace: folder, sandbox }),
      sandbox: { available: true, kind: 'none' },
      runChecks: async () => [],
      close: async () => {},
    }),
  });
  if (outcome !== 'ended' || error) throw new Error(`The run was ${outcome}`, { cause: error });
  if (log.state.ended?.result.iterations_used !== iterations + 1) {
    throw new Error(`${log.state.ended?.message} (${log.state.ended?.result.iterations_used} iterations)`);
  }
  for (let sent = 2, call = 0; call < calls.length; call += 1, sent += 2) {
    bodies.push(
      JSON.stringify({
        model: 'instant',
        messages: log.state.messages.slice(0, sent),
        tools: log.state.tools,
        stream: false,
        think: false,
        truncate: false,
        shift: false,
        keep_alive: config.keep_alive,
        options: { num_ctx: 32_768, num_predict: 2048 },
      }),
    );
  }
  // From the end of one reply to the end of the next: what a user waits for an iteration.
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

/** The same conversations over the same wire, with nothing around them. */
async function measureFetch(url: string, bodies: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const body of bodies) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.json();
    times.push(performance.now() - startedAt);
  }
  return times;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The median over all runs at each iteration: what disturbs one run does not count. */
function perIteration(series: readonly (readonly number[])[]): number[] {
  return (series[0] ?? []).map((_, index) => median(series.map((values) => values[index] ?? 0)));
}

const child = fork(import.meta.filename, { env: { ...process.env, LOUPE_BENCH_FAKE: String(iterations) } });
const root = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
const store = SqliteRunStore.open(join(root, 'data'));
try {
  const [url] = (await once(child, 'message')) as [string];
  const measured: Measured[] = [];
  const bare: number[][] = [];
  for (let run = 0; run < WARM_UP_RUNS + runs; run += 1) {
    const folder = await realpath(await mkdtemp(join(root, 'workspace-')));
    const result = await measureRun(url, folder, `bench-${run}`, store);
    const fetched = await measureFetch(url, result.bodies);
    if (run < WARM_UP_RUNS) continue;
    measured.push(result);
    bare.push(fetched);
  }
  const rows = [
    { name: 'iteration apart from the model call', values: perIteration(measured.map(({ own }) => own)) },
    { name: 'iteration, all in', values: perIteration(measured.map(({ total }) => total)) },
    { name: 'bare fetch of the same bodies', values: perIteration(bare) },
  ];
  console.info(
    `${iterations} iterations, ${runs} runs, ${measured[0]?.appends} events each, SQLite with fsync; median ms over ${EDGE} iterations\n`,
  );
  console.info(`${''.padEnd(38)}${'first'.padStart(9)}${'last'.padStart(9)}${'ratio'.padStart(9)}`);
  const ratios = rows.map(({ name, values }) => {
    const first = median(values.slice(0, EDGE));
    const last = median(values.slice(-EDGE));
    const cells = [first.toFixed(3), last.toFixed(3), (last / first).toFixed(2)];
    console.info(`${name.padEnd(38)}${cells.map((cell) => cell.padStart(9)).join('')}`);
    return last / first;
  });
  const [own = Number.POSITIVE_INFINITY] = ratios;
  console.info(`\n${own <= LIMIT ? 'within' : 'ABOVE'} the limit of ${LIMIT}`);
  if (own > LIMIT) process.exitCode = 1;
} finally {
  await store.close();
  child.disconnect();
  await rm(root, { recursive: true, force: true });
}
