import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoupeServer, startLoupe } from '../e2e/loupe-server.ts';
import type { RunReply } from '../lib/api/replies.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { findPostgres, startPostgres } from '../lib/testing/postgres-server.ts';
import { quantile } from './quantile.ts';
import { writeCall } from './write-call.ts';

// How long other requests wait while a long run is imported: the real server, the upload in a separate process, and beside it
// a client that lists the runs, one that writes, and a live run whose events a third one receives. The same without an import
// comes first. Needs a build of the dashboard; PostgreSQL is measured where it is installed.
//   node bench/import.ts [events]

const events = Number(process.argv[2] ?? 200_000);
const WITHOUT_IMPORT_MS = 15_000;
const PAUSE_MS = 10;
/** How long the model takes for a reply. */
const REPLY_MS = 20;
/** No request may wait longer. */
const LIMIT_MS = 100;

/** The waits of each kind, in milliseconds. */
interface Waits {
  read: number[];
  write: number[];
  /** From one event of the live run to the next, excluding the model's time. */
  live: number[];
}

async function measure(loupe: LoupeServer, during: Promise<unknown>): Promise<Waits> {
  let over = false;
  const waits: Waits = { read: [], write: [], live: [] };
  const repeat = async (into: number[], request: () => Promise<Response>) => {
    while (!over) {
      const from = performance.now();
      const answer = await request();
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
      into.push(performance.now() - from);
      await delay(PAUSE_MS);
    }
  };
  const all = Promise.all([
    repeat(waits.read, () => loupe.request('/api/runs')),
    repeat(waits.write, () =>
      loupe.request('/api/models/price', {
        json: { model: 'bench', price: { kind: 'electricity', watts: 350, usd_per_kwh: 0.3 } },
      }),
    ),
    followRuns(loupe, { into: waits.live, isOver: () => over }),
  ]);
  await Promise.race([during, all]); // a client that fails ends the measurement
  over = true;
  await all;
  return waits;
}

/** Follows runs, one after the other. */
async function followRuns(
  loupe: LoupeServer,
  { into, isOver }: { into: number[]; isOver: () => boolean },
): Promise<void> {
  while (!isOver()) {
    const started = await loupe.request('/api/runs', {
      json: { task: 'Write', model: 'many', max_iterations: 100, stall_guard: false },
    });
    const { run } = (await started.json()) as RunReply;
    const { body } = await loupe.request(`/api/runs/${run.id}/events`);
    if (!body) throw new Error('The run cannot be followed');
    const decoder = new TextDecoder();
    let last: number | undefined;
    let asked = false;
    for await (const chunk of body) {
      const now = performance.now();
      if (last !== undefined) into.push(Math.max(0, now - last - (asked ? REPLY_MS : 0)));
      last = now;
      asked = decoder.decode(chunk, { stream: true }).includes('"type":"model-call.started"');
      if (isOver()) break;
    }
    await loupe.request(`/api/runs/${run.id}/stop`, { json: { force: true } });
  }
}

/** Resolves when a step of bench/import-steps.ts is done. */
async function done(args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  const child = fork(join(import.meta.dirname, 'import-steps.ts'), args, { env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The step "${args[0]}" failed`);
}

function report(name: string, before: Waits, during: Waits): void {
  console.info(
    `\n${name.padEnd(28)}${'without import'.padStart(20)}${'during import'.padStart(20)}${'ratio'.padStart(16)}`,
  );
  const words = { read: 'list of runs', write: 'write', live: 'next event of a live run' } as const;
  for (const kind of ['read', 'write', 'live'] as const) {
    const [p95, most] = [before, during]
      .map((waits) => waits[kind])
      .reduce<number[][]>(
        (rows, values) => [
          [...(rows[0] ?? []), quantile(values, 0.95)],
          [...(rows[1] ?? []), Math.max(...values)],
        ],
        [],
      );
    const cell = (values: number[] | undefined, index: number) =>
      (values?.[index] ?? 0).toFixed(0).padStart(5);
    const ratio = (values: number[] | undefined) =>
      ((values?.[1] ?? 0) / (values?.[0] ?? 1)).toFixed(1).padStart(5);
    const columns = [0, 1].map((index) => `p95${cell(p95, index)}, most${cell(most, index)}`.padStart(20));
    console.info(`${words[kind].padEnd(28)}${columns.join('')}   ${ratio(p95)}, ${ratio(most)}`);
    // There are several waits and a tool call between two events of a run.
    if (kind !== 'live' && (most?.[1] ?? 0) > LIMIT_MS) {
      console.info(`  ABOVE the limit of ${LIMIT_MS} ms`);
      process.exitCode = 1;
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'loupe-bench-import-'));
const path = join(folder, 'run.jsonl');
await done(['write', path, String(events)]);
const ollama = await startFakeOllama({
  record: false,
  scenarios: [
    {
      name: 'many',
      pace: { prompt_ms: REPLY_MS },
      steps: [
        { repeat: 92, steps: [{ reply: { tool_calls: [writeCall(1), writeCall(2), writeCall(3)] } }] },
        { reply: { content: 'The work is completed.' } },
      ],
    },
  ],
});
const postgres = findPostgres() === undefined ? undefined : await startPostgres({ durable: true });
try {
  console.info(
    `About ${events} events, ${(statSync(path).size / 1e6).toFixed(0)} MB, Node ${process.version}; waits in ms`,
  );
  for (const name of ['SQLite', 'PostgreSQL'] as const) {
    if (name === 'PostgreSQL' && !postgres) {
      console.warn('\nPostgreSQL NOT measured: it is not installed. apt-get install postgresql');
      continue;
    }
    const env: Record<string, string> = { LOUPE_MIN_FREE_MB: '0' };
    if (name === 'PostgreSQL' && postgres) env.LOUPE_DATABASE_URL = postgres.newDatabase();
    const loupe = await startLoupe({ ollamaUrl: ollama.url, env });
    try {
      await measure(loupe, delay(3000)); // the engine compiles what is used often
      const before = await measure(loupe, delay(WITHOUT_IMPORT_MS));
      const from = performance.now();
      const { url, token } = loupe;
      const uploaded = done(['upload', path], { LOUPE_URL: url, LOUPE_TOKEN: token });
      const during = await measure(loupe, uploaded);
      report(name, before, during);
      console.info(`the import took ${((performance.now() - from) / 1000).toFixed(1)} s`);
    } finally {
      await loupe.dispose();
    }
  }
} finally {
  await ollama.close();
  await postgres?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
