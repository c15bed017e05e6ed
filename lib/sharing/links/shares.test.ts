import { afterEach, expect, it, vi } from 'vitest';
import { shareRequest } from '../../api/share.ts';
import type { RunReader } from '../../store/run-store.ts';
import { eventsOf } from '../../testing/events-of.ts';
import { completedLog, SampleLog, sampleFile } from '../../testing/sample-logs.ts';
import { openTestService, scripted, type TestService, warned } from '../../testing/test-service.ts';
import { Shares } from './shares.ts';

let test: TestService;
afterEach(() => test.dispose());

/** The links of an ended run, over a store that counts reads and can be made to fail. */
async function open() {
  test = await openTestService(scripted(['a', 'b'].map(warned)));
  const runId = await test.start({ task: 'Log in with ghp_abcdefghijklmnopqrstuvwxyz0123456789' });
  await vi.waitFor(async () => expect((await test.service.stored.get(runId)).run.phase).toBe('ended'), {
    timeout: 30_000,
  });
  const reads = { events: 0, fail: 0 };
  const read: RunReader['read'] = async (...asked) => {
    if (reads.fail > 0) {
      reads.fail -= 1;
      throw new Error('The store is busy.');
    }
    const events = await test.store.read(...asked);
    reads.events += events.length;
    return events;
  };
  const store = new Proxy(test.store, {
    get: (target, name) => {
      if (name === 'read') return read;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { runId, reads, store, shares: new Shares({ store, now: Date.now, redaction: {} }) };
}

it('a link created after a preview reuses its scan', async () => {
  const { runId, reads, shares } = await open();
  const request = shareRequest.parse({});
  await shares.preview(runId, request);
  reads.events = 0;
  const first = await shares.create(runId, request);
  expect(await shares.open(first.token)).toMatchObject({ record: { run_id: runId } });
  expect(reads.events).toBe(0);
  expect(first.title).not.toContain('ghp_');

  // A second link, or one with other settings, scans the log itself.
  expect((await shares.create(runId, request)).title).toBe(first.title);
  expect(reads.events).toBeGreaterThan(0);
  await shares.preview(runId, request);
  reads.events = 0;
  await shares.create(runId, shareRequest.parse({ scope: 'summary' }));
  expect(reads.events).toBeGreaterThan(0);
});

it('faults: a link works again after its log could not be read once', async () => {
  const { runId, reads, shares, store } = await open();
  const { token } = await shares.create(runId, shareRequest.parse({}));
  const afterRestart = new Shares({ store, now: Date.now, redaction: {} });
  reads.fail = 1;
  await expect(afterRestart.open(token)).rejects.toThrow('busy');
  expect(await afterRestart.open(token)).toMatchObject({ record: { run_id: runId } });
});

it('lists a link by what ended it first, and no longer tells visitors of a revoked link that it expired since', async () => {
  const { runId, store } = await open();
  let now = 1000;
  const shares = new Shares({ store, now: () => now, redaction: {} });
  const request = shareRequest.parse({ expires_in_ms: 3_600_000 });
  const [revoked, expired] = [await shares.create(runId, request), await shares.create(runId, request)];
  await shares.revoke(revoked.id);
  expect(await shares.find(revoked.token)).toBe('revoked');
  now += 3_600_000;
  await shares.revoke(expired.id);
  const statusOf = new Map((await shares.list()).map(({ id, status }) => [id, status]));
  expect([statusOf.get(revoked.id), statusOf.get(expired.id)]).toEqual(['revoked', 'expired']);
  expect([await shares.find(revoked.token), await shares.find(expired.token)]).toEqual([
    'unknown',
    'unknown',
  ]);
});

it('a preview shows the beginning of a log with large events, and looks through all of it', async () => {
  const { store, shares } = await open();
  const log = new SampleLog({ runId: 'large' });
  for (let step = 0; step < 12; step += 1)
    log.push({ type: 'policy.warned', code: 'x', message: 'x'.repeat(1_000_000) });
  log.push({ type: 'policy.warned', code: 'x', message: 'ghp_abcdefghijklmnopqrstuvwxyz9876543210' });
  const [end] = eventsOf(completedLog().events, 'run.ended');
  if (!end) throw new Error('no end');
  log.push(end);
  await store.importRun(sampleFile(log));
  const preview = await shares.preview('large', shareRequest.parse({}));
  expect(preview.events).toHaveLength(8);
  expect(preview.total).toBe(15);
  expect(preview.findings.at(-1)).toMatchObject({ kind: 'github token', seqs: [14] });
});

it('a link stays revoked although the clock was ahead when it was revoked', async () => {
  const { runId, store } = await open();
  let now = 1000;
  const shares = new Shares({ store, now: () => now, redaction: {} });
  const { id, token } = await shares.create(runId, shareRequest.parse({ expires_in_ms: 3_600_000 }));
  now = 10_000_000;
  await shares.revoke(id);
  now = 2000;
  expect(await shares.find(token)).toBe('revoked');
  expect(await shares.list()).toMatchObject([{ status: 'revoked' }]);
});
