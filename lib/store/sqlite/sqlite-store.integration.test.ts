import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { canMountDisks, mountSmallDisk } from '../../testing/small-disk.ts';
import { SqliteRunStore } from './sqlite-store.ts';

const here = (file: string) => new URL(file, import.meta.url).href;
const program = (body: string) => `
  const { SqliteRunStore } = await import(${JSON.stringify(here('./sqlite-store.ts'))});
  const { appendTo } = await import(${JSON.stringify(here('../../testing/append-to.ts'))});
  const { sampleConfig } = await import(${JSON.stringify(here('../../testing/sample-logs.ts'))});
  const directory = process.env.STORE_DIRECTORY;
  ${body}
`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'loupe-store-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function start(body: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', program(body)], {
    env: { ...process.env, STORE_DIRECTORY: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Appends continuously in batches of 1 to 4 events and prints every acknowledged sequence number. */
const APPENDER = `
  const store = SqliteRunStore.open(directory, { ballastMegabytes: 1 });
  const { runId } = await store.create({ id: 'run', config: sampleConfig(), idempotencyKey: 'the-run' });
  let { epoch, lastSeq } = await store.claim(runId, 'worker');
  for (;;) {
    const events = Array.from({ length: 1 + (lastSeq % 4) }, () => ({
      type: 'policy.warned', code: 'test', message: 'x'.repeat(1000),
    }));
    const appended = await appendTo(store, runId, { epoch, expectedSeq: lastSeq, events });
    lastSeq = appended.at(-1).seq;
    process.stdout.write(lastSeq + '\\n');
    await new Promise((resolve) => setImmediate(resolve));
  }
`;

it('loses no acknowledged event and leaves no gap when killed at 12 arbitrary moments', async () => {
  let acknowledged = 0;
  for (let round = 0; round < 12; round++) {
    const writer = start(APPENDER);
    if (!writer.stdout) throw new Error('no output');
    const lines = createInterface(writer.stdout);
    lines.on('line', (line) => {
      acknowledged = Math.max(acknowledged, Number(line));
    });
    await once(lines, 'line');
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 120));
    writer.kill('SIGKILL');
    await Promise.all([once(writer, 'exit'), once(lines, 'close')]);

    const store = SqliteRunStore.open(directory, { ballastMegabytes: 1 });
    const summary = await store.summary('run');
    const events = await store.read('run', { afterSeq: 0, limit: 1_000_000 });
    expect(summary?.last_seq).toBeGreaterThanOrEqual(acknowledged);
    expect(events.map((event) => event.seq)).toEqual(
      Array.from({ length: summary?.last_seq ?? 0 }, (_, index) => index + 1),
    );
    await store.close();
    const database = new Database(join(directory, 'loupe.db'), { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
  }
  expect(acknowledged).toBeGreaterThan(100);
  console.info(`kill -9: 12 rounds, ${acknowledged} events acknowledged, 0 lost`);
});

/** Fills a file system of 6 MB with events until it refuses, ends the run with the reserve, and reads it all again. */
const FILLER = `
  const store = SqliteRunStore.open(directory, { ballastMegabytes: 2 });
  const { runId } = await store.create({ id: 'run', config: sampleConfig() });
  const { epoch } = await store.claim(runId, 'worker');
  let seq = 1;
  let refusal;
  while (!refusal) {
    const event = { type: 'policy.warned', code: 'test', message: 'x'.repeat(20_000) };
    await appendTo(store, runId, { epoch, expectedSeq: seq, events: [event] }).then(
      () => { seq += 1; },
      (error) => { refusal = error; },
    );
  }
  const read = await store.read(runId, { afterSeq: 0, limit: 100_000 });
  await appendTo(store, runId, { epoch, expectedSeq: seq, events: [{
    type: 'run.ended', message: 'The disk is full.', evidence: [seq], cost_usd: 0, tool_calls: 0, files_written: [],
    result: { status: 'failed', output: '', model_used: 'm', tokens_in: 0, tokens_out: 0, iterations_used: 0,
      termination_reason: 'error', error: { code: refusal.code, message: refusal.message } },
  }] });
  const summary = await store.summary(runId);
  await store.close();
  console.log(JSON.stringify({ code: refusal.code, seq, read: read.length, phase: summary.phase, last: summary.last_seq }));
`;

it.skipIf(!canMountDisks)(
  'says storage_full on a full disk, goes on reading, and still writes how the run ended',
  async () => {
    const filler = spawnSync(
      'unshare',
      [
        '-Urm',
        'sh',
        '-c',
        `mount -t tmpfs -o size=6m none "$STORE_DIRECTORY" && exec "$0" --input-type=module -e "$1"`,
        process.execPath,
        program(FILLER),
      ],
      { env: { ...process.env, STORE_DIRECTORY: directory }, encoding: 'utf8' },
    );
    expect(filler.stderr).toBe('');
    const told = JSON.parse(filler.stdout);
    expect(told).toMatchObject({ code: 'storage_full', phase: 'ended' });
    expect(told.read).toBe(told.seq);
    expect(told.last).toBe(told.seq + 1);
  },
);

const STARTER = `
  const store = SqliteRunStore.open(directory);
  const made = await store.create({ id: process.env.RUN_ID, config: sampleConfig() }).then(() => 'made', (error) => error.code);
  const listed = await store.list({ limit: 10 });
  await store.close();
  console.log(JSON.stringify({ made, listed: listed.map((run) => run.id) }));
`;

it.skipIf(!canMountDisks)(
  'refuses writes after it was opened on a full disk, until there is room',
  async () => {
    const disk = await mountSmallDisk({ megabytes: 32 });
    const [command = '', ...within] = disk.within;
    const create = (id: string) => {
      const args = [...within, process.execPath, '--input-type=module', '-e', program(STARTER)];
      const env = { ...process.env, STORE_DIRECTORY: join(disk.path, 'data'), RUN_ID: id };
      const { stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
      expect(stdout, stderr).not.toBe('');
      return JSON.parse(stdout);
    };
    try {
      expect(create('a').made).toBe('made');
      disk.fill();
      expect(create('b')).toEqual({ made: 'storage_full', listed: ['a'] });
      disk.empty();
      expect(create('c').made).toBe('made');
    } finally {
      await disk.dispose();
    }
  },
);

/** Stores runs, fills the disk, deletes them all, and prints whether that returned their space. */
const DELETER = `
  const { statSync, statfsSync, writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const store = SqliteRunStore.open(directory, { ballastMegabytes: 8 });
  const ids = Array.from({ length: 60 }, (_, index) => 'run-' + index);
  for (const id of ids) {
    const { runId } = await store.create({ id, config: sampleConfig() });
    const { epoch, lastSeq } = await store.claim(runId, 'worker');
    const warning = { type: 'policy.warned', code: 'test', message: 'All work and no play. '.repeat(38) };
    const events = Array.from({ length: 600 }, () => warning);
    const result = {
      termination_reason: 'final_answer', status: 'completed', output: 'Done.', model_used: 'm',
      tokens_in: 1, tokens_out: 1, error: null, iterations_used: 1,
    };
    const end = {
      type: 'run.ended', result, outcome: { kind: 'answered' }, message: 'Ended.', evidence: [1], cost_usd: 0,
      tool_calls: 0, files_written: [],
    };
    await appendTo(store, runId, { epoch, expectedSeq: lastSeq, events: [...events, end] });
  }
  while ((await store.search('play', { limit: 1 })).behind > 0);
  const sizeOf = (file) => statSync(join(directory, file)).size;
  const size = () => sizeOf('loupe.db') + sizeOf('loupe.db-wal');
  const before = size();
  const { bavail, bsize } = statfsSync(directory);
  writeFileSync(join(directory, '..', 'others'), Buffer.alloc(bavail * bsize));
  let said = 'purged';
  try {
    await store.hideRuns(ids, 1);
    await store.finalizeDeletions(2);
    await store.purgeRuns(2);
    while (size() > before / 2) await new Promise((resolve) => setTimeout(resolve, 20));
  } catch (error) {
    said = error.code + ': ' + error.hint;
  }
  await store.close();
  console.log(said);
`;

it.skipIf(!canMountDisks)('deletes many runs at once on a full disk, and returns their space', async () => {
  const disk = await mountSmallDisk({ megabytes: 112 });
  try {
    const [command = '', ...within] = disk.within;
    const args = [...within, process.execPath, '--input-type=module', '-e', program(DELETER)];
    const env = { ...process.env, STORE_DIRECTORY: join(disk.path, 'data') };
    const { stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: 240_000 });
    expect(stdout, stderr).toBe('purged\n');
  } finally {
    await disk.dispose();
  }
});

const OPENER = `
  try { SqliteRunStore.open(directory, { ballastMegabytes: 1 }); console.log('open'); }
  catch (error) { console.log(error.code, error.message, error.hint); }
`;

function openedBy(options: { uid?: number; mounted?: string }): string {
  const { uid, mounted } = options;
  const env = { ...process.env, STORE_DIRECTORY: directory };
  const own = ['--input-type=module', '-e', program(OPENER)];
  const mount = `mount -t tmpfs -o ${mounted} none "$STORE_DIRECTORY" && exec "$0" "$@"`;
  const { stdout, stderr } = mounted
    ? spawnSync('unshare', ['-Urm', 'sh', '-c', mount, process.execPath, ...own], { env, encoding: 'utf8' })
    : spawnSync(process.execPath, own, { env, encoding: 'utf8', uid, gid: uid });
  return stdout || stderr;
}

it.skipIf(!canMountDisks)('fault matrix: names a read-only data directory', () => {
  const told = openedBy({ mounted: 'ro' });
  expect(told).toContain(
    `data_directory_unusable The data directory ${directory} cannot be used: its file system is read-only.`,
  );
  expect(told).toContain('LOUPE_DATA_DIR');
});

it.runIf(process.getuid?.() === 0)('fault matrix: names a data directory of another owner', () => {
  const told = openedBy({ uid: 65_534 });
  expect(told).toContain(
    `data_directory_unusable The data directory ${directory} cannot be used: permission denied.`,
  );
});

it.skipIf(!canMountDisks)('fault matrix: reports storage_full if the disk is full from the start', () => {
  expect(openedBy({ mounted: 'size=16k' })).toContain('storage_full');
});

/** Stores some slices of a long import and then hangs in the middle of the next. */
const STUCK_IMPORTER = `
  const { longLog, sampleFile } = await import(${JSON.stringify(here('../../testing/sample-logs.ts'))});
  const store = SqliteRunStore.open(directory, { ballastMegabytes: 1 });
  const file = sampleFile(longLog(2000, { runId: 'theirs' }));
  async function* slices() {
    yield* file.slices.slice(0, 12);
    process.stdout.write('stuck\\n');
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  await store.importRun({ ...file, slices: slices() });
`;

it('hides an import that was killed, and removes its rows at the next start', async () => {
  const importer = start(STUCK_IMPORTER);
  if (!importer.stdout) throw new Error('no output');
  await once(createInterface(importer.stdout), 'line');
  importer.kill('SIGKILL');
  await once(importer, 'exit');
  const reader = new Database(join(directory, 'loupe.db'), { readonly: true });
  const rows = (table: string) => Number(reader.prepare(`select count(*) from ${table}`).pluck().get());
  expect(rows('events')).toBe(1200);
  const store = SqliteRunStore.open(directory, { ballastMegabytes: 1 });
  expect(await store.summary('theirs')).toBeUndefined();
  expect(await store.read('theirs', { afterSeq: 0, limit: 10 })).toEqual([]);
  expect(await store.list({ limit: 10 })).toEqual([]);
  await vi.waitFor(() => expect([rows('events'), rows('runs')]).toEqual([0, 0]), 20_000);
  reader.close();
  await store.close();
});
