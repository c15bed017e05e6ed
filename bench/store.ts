import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { foldAll } from '../lib/events/fold-run.ts';
import { placeEvents } from '../lib/events/place-events.ts';
import type { NewEvent } from '../lib/events/registry.ts';
import { emptyRunState } from '../lib/events/run-state.ts';
import { growthOf } from '../lib/store/growth-of.ts';
import { SqliteRunStore } from '../lib/store/sqlite/sqlite-store.ts';
import { sampleConfig } from '../lib/testing/sample-logs.ts';
import { quantile } from './quantile.ts';

// What it costs to append an event, compared with a bare insert of the same bytes with the same durability (WAL, an fsync
// each), and to find a word in all events. The search index is updated between the bursts, so that its cost shows in the
// tail and in the rate, not in the median.
//   node bench/store.ts [events] [rounds]

const events = Number(process.argv[2] ?? 2000);
const rounds = Number(process.argv[3] ?? 3);
/** Max median cost of an append, relative to the bare insert. */
const LIMIT = 3;

const words = 'the quick brown fox jumps over the lazy dog and reads every file of the folder again'.split(
  ' ',
);
const text = (index: number) =>
  Array.from({ length: 130 }, (_, at) => words[(index * 7 + at * 13) % words.length]).join(' ');
const event = (index: number): NewEvent => ({
  type: 'policy.warned',
  code: 'bench',
  message: `part ${index}: ${text(index)}`,
});

const turn = () => new Promise((done) => setImmediate(done));

const root = await mkdtemp(join(tmpdir(), 'loupe-bench-store-'));
const store = SqliteRunStore.open(join(root, 'data'));
const bare = new Database(join(root, 'bare.db'));
bare.pragma('journal_mode = WAL');
bare.pragma('synchronous = FULL');
bare.exec('create table events (run_id text, seq integer, type text, at integer, body text)');
const insert = bare.prepare('insert into events values (?, ?, ?, ?, ?)');

try {
  const appends: number[] = [];
  const inserts: number[] = [];
  let seq = 0;
  for (let round = 0; round < rounds; round += 1) {
    const id = `bench-${round}`;
    await store.create({ id, config: sampleConfig() });
    const { epoch } = await store.claim(id, 'bench');
    let state = foldAll(emptyRunState(id), await store.read(id, { afterSeq: 0, limit: 1 }));
    // Alternating, so that other load on the machine affects both.
    for (let index = 1; index <= events; index += 1) {
      const one = event(index);
      let started = performance.now();
      const placed = placeEvents(state, [one], Date.now());
      state = foldAll(state, placed);
      await store.append(id, { epoch, ...growthOf(placed, state) });
      appends.push(performance.now() - started);
      started = performance.now();
      insert.run(id, ++seq, one.type, Date.now(), JSON.stringify(one));
      inserts.push(performance.now() - started);
      if (index % 50 === 0) await turn();
    }
  }
  const caughtUp = performance.now();
  for (;;) {
    const { behind } = await store.search('fox', { limit: 1 });
    if (behind === 0) break;
  }
  const indexing = performance.now() - caughtUp;
  const searches: number[] = [];
  for (const query of ['fox', 'lazy folder', '"quick brown"', 'part_77', 'nowhere', 'e']) {
    const started = performance.now();
    await store.search(query, { limit: 30 });
    searches.push(performance.now() - started);
  }

  console.info(`${rounds * events} appends of 1 KB, SQLite with fsync; ms\n`);
  console.info(`${''.padEnd(30)}${['p50', 'p95', 'p99'].map((name) => name.padStart(9)).join('')}`);
  for (const [name, values] of [
    ['append', appends],
    ['bare insert', inserts],
    ['search over all of them', searches],
  ] as const) {
    const cells = [0.5, 0.95, 0.99].map((share) => quantile(values, share).toFixed(3).padStart(9));
    console.info(`${name.padEnd(30)}${cells.join('')}`);
  }
  console.info(
    `\nreading the log into the search: ${((indexing / rounds / events) * 1000).toFixed(0)} µs an event`,
  );
  const ratio = quantile(appends, 0.5) / quantile(inserts, 0.5);
  console.info(
    `append / bare insert: ${ratio.toFixed(2)}, ${ratio <= LIMIT ? 'within' : 'ABOVE'} the limit of ${LIMIT}`,
  );
  if (ratio > LIMIT) process.exitCode = 1;
} finally {
  bare.close();
  await store.close();
  await rm(root, { recursive: true, force: true });
}
