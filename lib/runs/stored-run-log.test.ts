import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { foldAll } from '../events/fold-run.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { nothingSeen } from '../feed/live-deltas.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import { SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { appendTo } from '../testing/append-to.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { StoredRunLog } from './stored-run-log.ts';

const NEVER = new AbortController().signal;
const warned = (message: string): NewEvent => ({ type: 'policy.warned', code: 'test', message });
const messages = (events: readonly RunEvent[] = []) =>
  events.flatMap((event) => ('message' in event ? [event.message] : []));

let directory: string;
let store: SqliteRunStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'loupe-log-'));
  store = SqliteRunStore.open(directory, { ballastMegabytes: 1 });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A log whose appends reach the store only when a test lets them through, like those to a slow disk. */
async function openLog(observers: readonly AppendObserver[] = []) {
  const made = await store.create({ id: 'run', config: sampleConfig(), worker: 'test' });
  if (!made.created) throw new Error('There is such a run already');
  const written: number[] = [];
  let open = Promise.withResolvers<void>();
  let failures = 0;
  const log = new StoredRunLog({
    store: {
      read: async (...asked) => {
        if (failures === 0) return store.read(...asked);
        failures -= 1;
        throw new AppError({ code: 'store_busy', message: 'The database does not answer.' });
      },
      append: async (runId, request) => {
        written.push(request.rows.length);
        await open.promise;
        await store.append(runId, request);
      },
    },
    state: foldAll(emptyRunState('run'), [made.first]),
    epoch: 1,
    observers,
    onChange: () => undefined,
  });
  return {
    log,
    written,
    letThrough: () => open.resolve(),
    failReads: (times: number) => {
      failures = times;
    },
    hold: () => {
      open = Promise.withResolvers<void>();
    },
  };
}

it('accepts appends at once, and writes those that have accumulated together', async () => {
  const { log, written, letThrough } = await openLog();
  expect(log.append([warned('one')]).seq).toBe(2);
  const first = log.durable();
  await turn();
  log.append([warned('two')]);
  log.append([warned('three'), warned('four')]);
  expect(log.state.seq).toBe(5);
  expect(log.stored.seq).toBe(1);
  letThrough();
  await first;
  await log.durable();
  expect(written).toEqual([1, 3]);
  expect(messages(await store.read('run', { afterSeq: 1, limit: 10 }))).toEqual([
    'one',
    'two',
    'three',
    'four',
  ]);
});

it('shows no event before it is on disk', async () => {
  const { log, letThrough } = await openLog();
  log.append([warned('hidden')]);
  const durable = log.durable();
  expect(log.recent(1, 10)).toEqual([]);
  letThrough();
  await durable;
  expect(messages(log.recent(1, 10))).toEqual(['hidden']);
});

it('counts no event as stored before its observers have it, so that viewers never miss one', async () => {
  const held = Promise.withResolvers<void>();
  const observer: AppendObserver = { write: () => held.promise, remove: async () => undefined };
  const { log, letThrough } = await openLog([observer]);
  log.append([warned('observed')]);
  const durable = log.durable();
  letThrough();
  await expect.poll(async () => (await store.summary('run'))?.last_seq).toBe(2);
  await turn();
  expect(log.stored.seq).toBe(1);
  held.resolve();
  await durable;
  expect(log.stored.seq).toBe(2);
  expect(messages(log.recent(1, 10))).toEqual(['observed']);
});

it('waits for a store that does not answer while events of another process are read', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { log, letThrough, failReads } = await openLog();
  await appendTo(store, 'run', {
    epoch: 1,
    expectedSeq: 1,
    events: [{ type: 'stop.requested', force: false, by: 'operator' }],
  });
  failReads(3);
  log.append([warned('mine')]);
  letThrough();
  await log.durable();
  expect(log.failed.aborted).toBe(false);
  expect((await store.read('run', { afterSeq: 1, limit: 10 })).map(({ type }) => type)).toEqual([
    'stop.requested',
    'policy.warned',
  ]);
  warn.mockRestore();
});

it('shows text in progress only after the events before it', async () => {
  const { log, letThrough } = await openLog();
  const seen = nothingSeen();
  log.append([warned('before')]);
  log.delta({ type: 'text', call: 1, offset: 0, text: 'Hello' });
  const durable = log.durable();
  expect(log.texts.since(seen)).toEqual([]);
  letThrough();
  await durable;
  log.delta({ type: 'text', call: 1, offset: 5, text: ' you' });
  expect(log.texts.since(seen)).toMatchObject([{ offset: 0, text: 'Hello you' }]);
});

it('decides a person’s append again when another process was first', async () => {
  const { log, letThrough, hold } = await openLog();
  log.append([warned('own')]);
  const person = log.appendIf((state) => [warned(`person after ${state.seq}`)]);
  await appendTo(store, 'run', { epoch: 1, expectedSeq: 1, events: [warned('theirs')] });
  letThrough();
  const state = await person;
  hold();
  expect(state.seq).toBe(4);
  expect(messages(log.recent(1, 10))).toEqual(['theirs', 'own', 'person after 3']);
});

it('reads what another process has appended, while its own appends are on their way', async () => {
  const { log, letThrough } = await openLog();
  log.append([warned('own')]);
  const durable = log.durable();
  const refreshed = log.refresh();
  letThrough();
  await Promise.all([durable, refreshed]);
  await appendTo(store, 'run', { epoch: 1, expectedSeq: 2, events: [warned('theirs')] });
  await log.refresh();
  expect(messages(log.recent(1, 10))).toEqual(['own', 'theirs']);
});

it('drops appends that it could not write, and accepts new ones after the reset', async () => {
  const { log, letThrough } = await openLog();
  log.append([warned('late')]);
  const durable = log.durable();
  await store.claim('run', 'another');
  letThrough();
  await expect(durable).rejects.toMatchObject({ code: 'stale_epoch' });
  expect(log.failed.reason).toMatchObject({ code: 'stale_epoch' });
  expect(log.state.seq).toBe(1);
  expect(() => log.append([warned('more')])).toThrow(expect.objectContaining({ code: 'stale_epoch' }));
  log.revert();
  expect(log.append([warned('again')]).seq).toBe(2);
  await expect(log.durable()).rejects.toMatchObject({ code: 'stale_epoch' });
});

it('writes pending appends when it is closed, and accepts no more', async () => {
  const { log, letThrough } = await openLog();
  log.append([warned('last')]);
  const closed = log.close();
  letThrough();
  await closed;
  expect((await store.summary('run'))?.last_seq).toBe(2);
  expect(() => log.append([warned('more')])).toThrow(expect.objectContaining({ code: 'shutting_down' }));
  await expect(log.storedAfter(1, NEVER)).resolves.toBeUndefined();
});
