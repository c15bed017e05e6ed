import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { shareRequest } from '../api/share.ts';
import { openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { PostgresRunStore } from '../store/postgres/postgres-store.ts';
import { appendTo } from '../testing/append-to.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../testing/postgres-server.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { openTestService, scripted, type TestService } from '../testing/test-service.ts';
import type { ExecuteRun } from './run-worker.ts';

const installed = findPostgres() !== undefined;
const LEASE_MS = 300;
const patient = { timeout: 20_000 };

// In CI, PostgreSQL must be available.
describe.skipIf(!installed && !process.env.CI)('runs that processes share', () => {
  let server: PostgresServer;
  let url: string;
  let store: PostgresRunStore;
  let test: TestService;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  beforeEach(async () => {
    url = server.newDatabase();
    ({ test, store } = await openProcess());
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await test.dispose();
  });

  async function openProcess({
    execute = scripted([]),
    leaseMs = LEASE_MS,
    concurrency = 1,
  }: {
    execute?: ExecuteRun;
    leaseMs?: number;
    concurrency?: number;
  } = {}): Promise<{ test: TestService; store: PostgresRunStore }> {
    const shared = await PostgresRunStore.open(url, { leaseMs });
    const opened = await openTestService(execute, {
      ...{ store: shared, concurrency },
      shared: { store: shared, hostOf: () => 'ollama' },
    });
    await opened.store.close(); // the service has another
    return { test: opened, store: shared };
  }

  /** Stores a run whose worker died in the middle of it. */
  async function lostRun(id: string, { recoveries }: { recoveries: number }): Promise<void> {
    await store.create({ id, config: sampleConfig() });
    const { epoch } = await store.claim(id, 'gone');
    const started = { type: 'run.started', worker: 'gone', epoch } as const;
    await appendTo(store, id, { epoch, expectedSeq: 1, events: [started] });
    await store.release({ runId: id, epoch });
    server.sql(url, `update runs set recoveries = ${recoveries} where id = '${id}'`);
  }

  const ended = (id: string) =>
    vi.waitFor(async () => {
      const run = await store.summary(id);
      expect(run?.phase).toBe('ended');
      return run;
    }, patient);

  it('reports a database that takes no writes, or does not answer, on the health page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loupe-standby-'));
    const { service, close } = await openRunService(
      readEnvironment({ LOUPE_DATA_DIR: folder, LOUPE_DATABASE_URL: url, OLLAMA_HOST: 'http://127.0.0.1:1' }),
    );
    const health = async () => (await service.health(undefined, new AbortController().signal)).store;
    expect(await health()).toMatchObject({ ok: true });
    const name = new URL(url).pathname.slice(1);
    server.sql(url, `alter database ${name} set default_transaction_read_only = on`);
    server.sql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    expect(await health()).toMatchObject({
      ok: false,
      read_only: {
        message: expect.stringContaining('takes no writes'),
        hint: expect.stringContaining('standby'),
        disk_full: false,
      },
    });
    await server.crash();
    expect(await health()).toMatchObject({ ok: false, read_only: undefined });
    await server.restart();
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('dates links by the database’s clock, which is the same for all machines', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loupe-links-'));
    const { shares, close } = await openRunService(
      readEnvironment({ LOUPE_DATA_DIR: folder, LOUPE_DATABASE_URL: url, OLLAMA_HOST: 'http://127.0.0.1:1' }),
    );
    await store.create({ id: 'a', config: sampleConfig() });
    const clock = vi.spyOn(PostgresRunStore.prototype, 'now').mockResolvedValue(1000);
    const link = await shares.create('a', shareRequest.parse({ expires_in_ms: 3_600_000 }));
    expect(link).toMatchObject({ created_at: 1000, expires_at: 3_601_000 });
    expect(await shares.find(link.token)).toMatchObject({ id: link.id });
    clock.mockResolvedValue(3_601_000);
    expect(await shares.find(link.token)).toBe('unknown');
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('sends a message once when two processes get its request at the same time', async () => {
    const { test: other } = await openProcess();
    try {
      const id = await test.start();
      const sent = await Promise.all(
        [test, other, test, other].map(({ service }) =>
          service.message(id, 'Look.', { idempotencyKey: 'a' }),
        ),
      );
      expect(sent.map(({ message }) => message.id)).toEqual(['m1', 'm1', 'm1', 'm1']);
      expect(sent.filter(({ created }) => created)).toHaveLength(1);
      const events = await store.read(id, { afterSeq: 0, limit: 100 });
      expect(events.filter(({ type }) => type === 'operator.messaged')).toHaveLength(1);
    } finally {
      await other.dispose();
    }
  });

  it('frees the slot of a run that it ends because it crashed too many processes', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await lostRun('crashes', { recoveries: 2 });
    await store.create({ id: 'next', config: sampleConfig() });
    await test.service.resumeUnfinished();
    expect(await ended('crashes')).toMatchObject({ message: expect.stringContaining('interrupted') });
    expect(await ended('next')).toMatchObject({ message: expect.stringContaining('script is over') });
  });

  it('continues its run after it was suspended for longer than its lease', async () => {
    const signals: AbortSignal[] = [];
    const untilStopped: ExecuteRun = async (run) => {
      signals.push(run.signal);
      await run.log.when(({ stop }) => stop !== undefined, run.signal);
      return scripted([])(run);
    };
    await test.dispose();
    ({ test, store } = await openProcess({ execute: untilStopped, leaseMs: 60_000, concurrency: 2 }));
    await store.create({ id: 'a', config: sampleConfig() });
    await test.service.resumeUnfinished();
    await vi.waitFor(async () => expect((await store.summary('a'))?.phase).toBe('starting'), patient);
    server.sql(url, `update leases set until = '-infinity'`);
    const looked = vi.spyOn(store, 'free');
    await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(1), patient);
    await test.service.stop('a', { force: false });
    await ended('a');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    const log = await store.read('a', { afterSeq: 0, limit: 100 });
    expect(log.map(({ type }) => type)).not.toContain('run.resumed');
  });

  it('holds for one process what another of the same name and number asks for', async () => {
    // Like two containers that use the network of their host.
    const { test: other } = await openProcess();
    expect(other.service.worker).toBe(test.service.worker);
    expect(other.service.processId).not.toBe(test.service.processId);
    const using = Promise.withResolvers<void>();
    const signal = new AbortController().signal;
    const use = { id: 'check', purpose: 'check', model: 'm', signal } as const;
    const order: string[] = [];
    const first = test.service.withSlot(use, async () => {
      order.push('first begins');
      await using.promise;
      order.push('first ends');
    });
    await vi.waitFor(() => expect(order).toEqual(['first begins']), patient);
    const second = other.service.withSlot(use, async () => void order.push('second'));
    const leases = 'select count(*) from place_leases';
    await vi.waitFor(() => expect(server.sql(url, leases)).toBe('2'), patient);
    using.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first begins', 'first ends', 'second']);
    await other.dispose();
  });

  it('retries a run that it could not resume', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await lostRun('a', { recoveries: 0 });
    vi.spyOn(store, 'beginRecovery').mockRejectedValueOnce(new Error('no answer'));
    await test.service.resumeUnfinished();
    expect(await ended('a')).toMatchObject({ message: expect.stringContaining('script is over') });
    expect(said.mock.calls.flat().join(' ')).toContain('Run a could not be claimed');
  });
});
