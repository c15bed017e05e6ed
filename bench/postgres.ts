import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foldAll } from '../lib/events/fold-run.ts';
import { placeEvents } from '../lib/events/place-events.ts';
import type { NewEvent } from '../lib/events/registry.ts';
import { emptyRunState, type RunState } from '../lib/events/run-state.ts';
import { growthOf } from '../lib/store/growth-of.ts';
import { PostgresRunStore } from '../lib/store/postgres/postgres-store.ts';
import { ThreadedRunStore } from '../lib/store/sqlite/threaded-store.ts';
import type { Store } from '../lib/store/store.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../lib/testing/postgres-server.ts';
import { sampleConfig } from '../lib/testing/sample-logs.ts';
import { type Cost, costOf, type Rig } from './harness/cost.ts';
import { CASES } from './harness/loads.ts';
import { FakeProcess, measureRuns, median } from './harness/measure.ts';
import { ServerRoom } from './harness/measured-server.ts';
import { quantile } from './quantile.ts';

// What PostgreSQL costs, as a separate server on the loopback interface that waits for the disk at each commit: an append,
// beside SQLite on the same disk; a run, beside the bare fetch loop of bench/harness.ts; and how many iterations per second
// one, two and four processes make on one database. All of them by turns. Needs a build of the dashboard.
//   npm run bench postgres -- [--appends 2000] [--rounds 3]

const { values: options } = parseArgs({
  options: { appends: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '3' } },
});
const appends = Number(options.appends);
const rounds = Number(options.rounds);
const ROUND = 100;
const PROCESSES = [1, 2, 4];
const WARM_UPS_PER_PROCESS = 8;
const crowd = { title: '32 runs of 20 at once', iterations: 20, concurrency: 32, repetitions: 1 };
const event: NewEvent = { type: 'policy.warned', code: 'bench', message: 'x'.repeat(1000) };

interface Subject {
  name: string;
  store: Store;
  epoch: number;
  state: RunState;
  tookMs: number[];
  readMs: number;
}

async function subject(name: string, store: Store): Promise<Subject> {
  await store.create({ id: 'bench', config: sampleConfig() });
  const { epoch } = await store.claim('bench', 'bench');
  const state = foldAll(emptyRunState('bench'), await store.read('bench', { afterSeq: 0, limit: 1 }));
  return { name, store, epoch, state, tookMs: [], readMs: 0 };
}

async function appendRound(to: Subject): Promise<void> {
  for (let n = 0; n < ROUND; n++) {
    const from = performance.now();
    const placed = placeEvents(to.state, [event], Date.now());
    to.state = foldAll(to.state, placed);
    await to.store.append('bench', { epoch: to.epoch, ...growthOf(placed, to.state) });
    to.tookMs.push(performance.now() - from);
  }
}

async function measureAppends(server: PostgresServer): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-bench-store-'));
  const subjects = [
    await subject('SQLite', await ThreadedRunStore.open(folder)),
    await subject('PostgreSQL', await PostgresRunStore.open(server.newDatabase())),
  ];
  for (const each of subjects) await appendRound(each);
  for (const each of subjects) each.tookMs = [];
  for (let done = 0; done < appends; done += ROUND) for (const each of subjects) await appendRound(each);
  for (const each of subjects) {
    const from = performance.now();
    await each.store.read('bench', { afterSeq: 0, limit: appends });
    each.readMs = performance.now() - from;
  }
  const [sqlite] = subjects;
  for (const { name, tookMs, readMs } of subjects) {
    const [half, tail] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
    const ratio = half / quantile(sqlite?.tookMs ?? [], 0.5);
    console.info(
      `${name.padEnd(10)}  append p50 ${half.toFixed(2)} ms, p99 ${tail.toFixed(2)} ms ` +
        `(${ratio.toFixed(1)} x SQLite)   read ${appends} events ${readMs.toFixed(0)} ms`,
    );
  }
  for (const { store } of subjects) await store.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measureRatios(rig: Rig): Promise<void> {
  const costs = { SQLite: [] as Cost[], PostgreSQL: [] as Cost[] };
  for (let round = 0; round < rounds; round += 1) {
    costs.SQLite.push(await costOf(rig, { load: 'mixed' }, CASES.short, round));
    costs.PostgreSQL.push(await costOf(rig, { load: 'mixed', usesPostgres: true }, CASES.short, round));
  }
  console.info(`\nruns of ${CASES.short.title}, ratio to a bare fetch loop`);
  for (const [name, own] of Object.entries(costs)) {
    const ratio = median(own.map((cost) => cost.ratio)).toFixed(2);
    console.info(
      `${name.padEnd(10)}  ${ratio}   ${median(own.map((cost) => cost.msPerIteration)).toFixed(2)} ms`,
    );
  }
}

/** Iterations per second, with this many processes on a new database. */
async function throughput({ fake, room }: Rig, url: string, processes: number, id: string): Promise<number> {
  const servers = await Promise.all(
    Array.from({ length: processes }, () => room.start(fake.url, { LOUPE_DATABASE_URL: url })),
  );
  try {
    const size = { ...crowd, warmUps: WARM_UPS_PER_PROCESS * processes };
    const { msPerIteration } = await measureRuns({
      fake,
      by: 'followed-runs',
      plan: { id, load: 'mixed', size, loupe: room.runsOf(servers) },
    });
    return (1000 * crowd.concurrency) / msPerIteration;
  } finally {
    await Promise.all(servers.map((server) => server.dispose()));
  }
}

async function measureThroughput(rig: Rig, server: PostgresServer): Promise<void> {
  const rates = new Map(PROCESSES.map((processes) => [processes, [] as number[]]));
  const limits: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [processes, own] of round % 2 === 0 ? rates : [...rates].reverse()) {
      own.push(await throughput(rig, server.newDatabase(), processes, `${processes}x${round}`));
    }
    const plan = { id: `limit${round}`, load: 'mixed', size: { ...crowd, warmUps: 4 } } as const;
    const { msPerIteration } = await measureRuns({
      fake: rig.fake,
      by: 'bare-loop',
      plan: { ...plan, loop: 'serialized-once' },
    });
    limits.push((1000 * crowd.concurrency) / msPerIteration);
  }
  console.info(
    `\n${crowd.title} on one database, ${availableParallelism()} processors; iterations per second`,
  );
  const one = median(rates.get(1) ?? []);
  for (const [processes, own] of rates) {
    const rate = median(own);
    console.info(
      `${`${processes} ${processes === 1 ? 'process' : 'processes'}`.padEnd(24)}${rate.toFixed(0).padStart(6)}   ` +
        `${(rate / one).toFixed(2)} x one`,
    );
  }
  console.info(`${'a loop without a store'.padEnd(24)}${median(limits).toFixed(0).padStart(6)}`);
}

if (findPostgres() === undefined) {
  console.warn('NOT measured: PostgreSQL is not installed. apt-get install postgresql');
} else {
  await using postgres = await startPostgres({ durable: true });
  await measureAppends(postgres);
  using fake = await FakeProcess.start();
  using room = new ServerRoom();
  await measureRatios({ fake, room, postgres });
  await measureThroughput({ fake, room, postgres }, postgres);
}
