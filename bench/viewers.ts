import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { startLoupe } from '../e2e/loupe-server.ts';
import type { RunReply } from '../lib/api/replies.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { quantile } from './quantile.ts';
import { writeCall } from './write-call.ts';

// What many viewers of one run cost: the real server, a run of a thousand events, two hundred event streams in a separate
// process. Prints the time from the writing of an event to its arrival, and the server's memory round by round.
// Needs a build of the dashboard.
//   node bench/viewers.ts [viewers] [rounds]

const viewers = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 6);
/** The round from which memory must be stable: before it, V8 is still sizing its heap. */
const SETTLED_ROUND = 3;
/** Max ratio of the last round's memory to the settled memory that still counts as flat. */
const FLAT_RATIO = 1.1;
const MB = 1024 * 1024;

interface Watched {
  events: number[];
  lagsMs: number[];
}

/** Follows the run once, and returns how many events arrived and how late each was. */
async function watch(url: string, token: string): Promise<{ events: number; lagsMs: number[] }> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok || !answer.body) throw new Error(`The server answered ${answer.status}`);
  const decoder = new TextDecoder();
  const lagsMs: number[] = [];
  let events = 0;
  let rest = '';
  for await (const chunk of answer.body) {
    const now = Date.now();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('id: ') && Number(line.slice(4)) !== ++events) throw new Error(`a gap at ${line}`);
      const at = line.startsWith('data: ') ? /"at":(\d+)/.exec(line)?.[1] : undefined;
      if (at !== undefined) lagsMs.push(Math.max(0, now - Number(at)));
    }
  }
  return { events, lagsMs };
}

if (process.env.LOUPE_BENCH_WATCH) {
  const { url, token, count } = JSON.parse(process.env.LOUPE_BENCH_WATCH);
  const seen = await Promise.all(Array.from({ length: count }, () => watch(url, token)));
  const watched: Watched = {
    events: seen.map(({ events }) => events),
    lagsMs: seen.flatMap(({ lagsMs }) => lagsMs),
  };
  process.send?.(watched, () => process.exit(0));
  await once(process, 'disconnect');
}

function memoryMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

const memoryUsage = z.object({ heapTotal: z.number(), heapUsed: z.number(), external: z.number() });
const folder = mkdtempSync(join(tmpdir(), 'loupe-bench-'));
const memoryFile = join(folder, 'memory.json');

/** The composition of the server's memory, as reported by itself without a garbage collection. */
async function askMemory(server: ChildProcess): Promise<z.infer<typeof memoryUsage>> {
  rmSync(memoryFile, { force: true });
  server.kill('SIGUSR2');
  while (!existsSync(memoryFile)) await delay(20);
  return memoryUsage.parse(JSON.parse(readFileSync(memoryFile, 'utf8')));
}

const ollama = await startFakeOllama({
  record: false,
  scenarios: [
    {
      name: 'many',
      // About two hundred events a second, far more than a model makes: what is measured is delivery, not a jam.
      pace: { prompt_ms: 40 },
      steps: [
        { repeat: 92, steps: [{ reply: { tool_calls: [writeCall(1), writeCall(2), writeCall(3)] } }] },
        { reply: { content: 'The work is completed.' } },
      ],
    },
  ],
});
const loupe = await startLoupe({
  ollamaUrl: ollama.url,
  env: {
    LOUPE_MIN_FREE_MB: '0',
    BENCH_MEMORY_FILE: memoryFile,
    NODE_OPTIONS: `--import ${new URL('tell-memory.mjs', import.meta.url).href}`,
  },
});
try {
  console.info(`${viewers} viewers of one run, ${rounds} rounds, Node ${process.version}; lag in ms\n`);
  console.info('round   events   seconds   lag p50   p95   p99    RSS MB (most)   heap used   of   external');
  const memory: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const answer = await loupe.request('/api/runs', {
      json: { task: 'Write', model: 'many', max_iterations: 100, stall_guard: false },
    });
    const { run } = (await answer.json()) as RunReply;
    const began = performance.now();
    const watching = fork(import.meta.filename, {
      env: {
        ...process.env,
        LOUPE_BENCH_WATCH: JSON.stringify({
          url: `${loupe.url}/api/runs/${run.id}/events`,
          token: loupe.token,
          count: viewers,
        }),
      },
    });
    let most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, memoryMb(loupe.process.pid));
    }, 50);
    const [{ events, lagsMs }] = (await once(watching, 'message')) as [Watched];
    clearInterval(sampling);
    const seconds = (performance.now() - began) / 1000;
    const [count = 0] = events;
    if (events.some((each) => each !== count)) throw new Error('Not every viewer saw every event');
    memory.push(most);
    const { heapUsed, heapTotal, external } = await askMemory(loupe.process);
    const cells = [
      String(round).padStart(5),
      String(count).padStart(9),
      seconds.toFixed(1).padStart(10),
      ...[0.5, 0.95, 0.99].map((share, index) => String(quantile(lagsMs, share)).padStart(index ? 6 : 10)),
      most.toFixed(0).padStart(17),
      ...[heapUsed, heapTotal, external].map((bytes, index) =>
        (bytes / MB).toFixed(0).padStart([12, 5, 11][index] ?? 0),
      ),
    ];
    console.info(cells.join(''));
  }
  const settled = memory[SETTLED_ROUND - 1];
  if (settled !== undefined && rounds > SETTLED_ROUND) {
    const ratio = (memory.at(-1) ?? 0) / settled;
    console.info(
      `\nmemory of round ${rounds} / round ${SETTLED_ROUND}: ${ratio.toFixed(2)}; ${ratio <= FLAT_RATIO ? 'flat' : `ABOVE ${FLAT_RATIO}`}`,
    );
    if (ratio > FLAT_RATIO) process.exitCode = 1;
  }
} finally {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
}
