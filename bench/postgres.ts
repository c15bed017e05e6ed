import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldAll } from '../lib/events/fold-run.ts';
import { placeEvents } from '../lib/events/place-events.ts';
import type { NewEvent } from '../lib/events/registry.ts';
import { emptyRunState, type RunState } from '../lib/events/run-state.ts';
import { growthOf } from '../lib/store/growth-of.ts';
import { PostgresRunStore } from '../lib/store/postgres/postgres-store.ts';
import { ThreadedRunStore } from '../lib/store/sqlite/threaded-store.ts';
import type { Store } from '../lib/store/store.ts';
import { findPostgres, startPostgres } from '../lib/testing/postgres-server.ts';
import { sampleConfig } from '../lib/testing/sample-logs.ts';
import { quantile } from './quantile.ts';

// What an append costs in each store, on the same disk and in one run: events of 1 KB, each on disk before the next, by
// turns so that both meet the same machine. PostgreSQL is a server of its own on the loopback interface.
//   node bench/postgres.ts [appends]

const appends = Number(process.argv[2] ?? 2000);
const ROUND = 100;
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

if (findPostgres() === undefined) {
  console.warn('NOT measured: PostgreSQL is not installed. apt-get install postgresql');
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'loupe-bench-store-'));
const server = await startPostgres({ durable: true });
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
await server[Symbol.asyncDispose]();
rmSync(folder, { recursive: true, force: true });
