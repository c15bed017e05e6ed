import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type ForkRequest, forkRequest } from '../api/fork-run.ts';
import type { NewEvent } from '../events/registry.ts';
import { NewFolders } from '../sandbox/new-folders.ts';
import { completedLog, sampleConfig, sampleFile } from '../testing/sample-logs.ts';
import { openTestService, scripted, type TestService, warned } from '../testing/test-service.ts';
import { prepareForkWorkspace } from './fork-workspace.ts';
import type { RunServiceOptions } from './run-service.ts';
import type { ExecuteRun } from './run-worker.ts';

let test: TestService;
afterEach(() => test.dispose());

const untilAborted: ExecuteRun = async ({ signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return { outcome: 'suspended' };
};
const ended = (id: string) =>
  vi.waitFor(async () => expect((await test.service.stored.get(id)).run.phase).toBe('ended'), {
    timeout: 10_000,
  });
const at = (seq: number, more: object = {}) => forkRequest.parse({ at: { seq }, ...more });
const log = (id: string) => test.store.read(id, { afterSeq: 0, limit: 100 });

it('creates a separate run; the original is not touched, running or not', async () => {
  test = await openTestService(scripted([warned('a'), warned('b')]));
  const parent = await test.start();
  await ended(parent);
  const before = await log(parent);
  const { run } = await test.service.fork(parent, at(3, { settings: { model: 'other' } }));
  await ended(run.id);
  expect(await log(parent)).toEqual(before);
  expect((await log(run.id)).map(({ type }) => type)).toEqual([
    'run.created',
    'run.started',
    'policy.warned',
    'run.forked',
    'run.started',
    'policy.warned',
    'policy.warned',
    'run.ended',
  ]);
  expect((await test.service.stored.get(run.id)).config.model).toBe('other');
  const family = await test.service.stored.forks(run.id);
  expect(family.parent?.id).toBe(parent);
  expect(family.siblings.map(({ id }) => id)).toEqual([run.id]);
  expect((await test.service.stored.forks(parent)).forks.map(({ id }) => id)).toEqual([run.id]);
});

it('says of a repeated key that its fork was deleted', async () => {
  test = await openTestService(scripted([warned('a')]));
  const parent = await test.start();
  await ended(parent);
  const options = { idempotencyKey: 'key' };
  const { run } = await test.service.fork(parent, at(1), options);
  await ended(run.id);
  await test.service.organizer.delete([run.id]);
  await expect(test.service.fork(parent, at(1), options)).rejects.toMatchObject({
    code: 'run_deleted',
    message: expect.stringContaining(run.id),
  });
});

it('is made once for a repeated key, and refused for another fork under the same key', async () => {
  test = await openTestService(untilAborted);
  const parent = await test.start();
  const options = { idempotencyKey: 'key' };
  const first = await test.service.fork(parent, at(1, { message: 'Hint' }), options);
  const again = await test.service.fork(parent, at(1, { message: 'Hint' }), options);
  expect(again).toMatchObject({ created: false, run: { id: first.run.id } });
  await expect(test.service.fork(parent, at(1, { message: 'Other' }), options)).rejects.toMatchObject({
    code: 'idempotency_conflict',
  });
});

it('is made once for a repeated key at the end of a run that has grown since', async () => {
  const go = Promise.withResolvers<void>();
  test = await openTestService(async (run) => {
    await Promise.race([go.promise, untilAborted(run)]);
    if (run.signal.aborted) return { outcome: 'suspended' };
    run.log.append([warned('more')]);
    return untilAborted(run);
  });
  const parent = await test.start();
  const lastSeq = (seq: number) =>
    vi.waitFor(async () => expect((await test.service.stored.get(parent)).run.last_seq).toBe(seq), {
      timeout: 10_000,
    });
  await lastSeq(2);
  const atEnd = (message: string) => forkRequest.parse({ at: { end: true }, message });
  const options = { idempotencyKey: 'key' };
  const first = await test.service.fork(parent, atEnd('Hint'), options);
  go.resolve();
  await lastSeq(3);
  const again = await test.service.fork(parent, atEnd('Hint'), options);
  expect(again).toMatchObject({ created: false, run: { id: first.run.id } });
  for (const other of [atEnd('Other'), at(3, { message: 'Hint' }), at(1, { message: 'Hint' })]) {
    await expect(test.service.fork(parent, other, options)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  }
});

it('a fork that was stored and not begun is begun at the next start [D19]', async () => {
  test = await openTestService(untilAborted);
  const parent = await test.start();
  const { run } = await test.service.fork(parent, at(1));
  await test.restart(scripted([]));
  await test.service.resumeUnfinished();
  await ended(run.id);
});

it('refuses a place that is not there or where the run has ended', async () => {
  test = await openTestService(scripted([]));
  const parent = await test.start();
  await ended(parent);
  await expect(test.service.fork(parent, at(99))).rejects.toMatchObject({ code: 'event_not_found' });
  await expect(test.service.fork(parent, at(3))).rejects.toMatchObject({ code: 'fork_point_open' });
  await expect(test.service.fork('nobody', at(1))).rejects.toMatchObject({ code: 'run_not_found' });
});

it('a fork of a run that came as a file does not work in the folder which the file names [threat 1]', async () => {
  test = await openTestService(scripted([]));
  const theirs = completedLog({ runId: 'theirs', config: { workspace: '/home/me/project' } });
  await test.store.importRun(sampleFile(theirs));
  const fork = (workspace: string) => test.service.fork('theirs', at(1, { workspace }));
  await expect(fork('same')).rejects.toMatchObject({
    code: 'imported_workspace',
    message: expect.stringContaining('/home/me/project'),
    hint: expect.stringContaining('"workspace": "empty"'),
  });
  const { run } = await fork('empty');
  await ended(run.id);
  expect((await test.service.fork(run.id, at(1, { workspace: 'same' }))).created).toBe(true);
});

it('a fork of an imported run copies the folder its file names only when a person confirms the path [threat 1]', async () => {
  test = await openTestService(scripted([]));
  const from = join(test.dataDir, 'workspaces/private');
  await mkdir(from, { recursive: true });
  await writeFile(join(from, 'id_ed25519'), 'secret');
  const theirs = completedLog({ runId: 'theirs', config: { workspace: from } });
  await test.store.importRun(sampleFile(theirs));
  const fork = (request: Partial<ForkRequest>) => test.service.fork('theirs', at(1, request));
  const refused = { code: 'imported_workspace', message: expect.stringContaining(from) };
  await expect(fork({ workspace: 'copy' })).rejects.toMatchObject(refused);
  await expect(fork({ workspace: 'copy', copy_from: '/elsewhere' })).rejects.toMatchObject(refused);
  const files = async (request: Partial<ForkRequest>) => {
    const { run, config } = await fork(request);
    await ended(run.id);
    return readdir(config.workspace);
  };
  expect(await files({})).toEqual([]);
  for (const kind of [{}, { workspace: 'empty' as const }]) {
    await expect(fork({ ...kind, copy_from: from })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^copy_from: It has no effect/),
    });
  }
  expect(await files({ workspace: 'copy', copy_from: from })).toEqual(['id_ed25519']);
});

it('copies no other folder than that of its run', async () => {
  test = await openTestService(scripted([]));
  const parent = await test.start();
  await ended(parent);
  const fork = (copy_from: string) => test.service.fork(parent, at(1, { copy_from }));
  await expect(fork('/elsewhere')).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^copy_from: /),
  });
  const { workspace } = (await test.service.stored.get(parent)).config;
  expect((await fork(workspace)).created).toBe(true);
});

it('a copy of the workspace is a separate folder, and is removed when no fork is made', async () => {
  test = await openTestService(untilAborted);
  const { dataDir } = test;
  const from = join(dataDir, 'workspaces/parent');
  await mkdir(from, { recursive: true });
  await writeFile(join(from, 'a.txt'), 'one');
  const config = sampleConfig({ workspace: from });
  const options = { runId: 'fork', dataDir, folders: new NewFolders({ dataDir, alone: true }) };
  const made = await prepareForkWorkspace(config, { kind: 'copy', ...options });
  expect(made.files).toEqual({ kind: 'copied', from, files: 1, bytes: 3, left_out: 0 });
  await writeFile(join(made.workspace, 'a.txt'), 'two');
  expect(await readFile(join(from, 'a.txt'), 'utf8')).toBe('one');
  await made.discard();
  expect(await readdir(join(dataDir, 'workspaces'))).toEqual(['parent']);
  const same = await prepareForkWorkspace(config, { kind: 'same', ...options });
  await same.discard();
  expect(same).toMatchObject({ workspace: from, files: { kind: 'same' } });
  expect(await readdir(from)).toEqual(['a.txt']);
});

it('compares runs as their logs stand, and does not know missing ones', async () => {
  test = await openTestService(scripted([warned('a')]));
  const parent = await test.start();
  await ended(parent);
  const { run } = await test.service.fork(parent, at(2, { settings: { model: 'other' } }));
  await ended(run.id);
  const { stored } = test.service;
  expect(await stored.compare(parent, run.id)).toMatchObject({ a: { id: parent }, b: { id: run.id } });
  expect(await stored.compareRuns([run.id, parent, run.id])).toMatchObject({
    runs: [
      { run: { id: run.id } },
      { run: { id: parent }, figures: { reason: 'error' } },
      { run: { id: run.id } },
    ],
    settings: [{ name: 'model', values: ['other', expect.any(String), 'other'] }],
  });
  await expect(stored.compare(parent, 'nobody')).rejects.toMatchObject({ code: 'run_not_found' });
  await expect(stored.compareRuns([parent, 'nobody'])).rejects.toMatchObject({ code: 'run_not_found' });
});

it('puts explorations side by side, and refuses runs without cycles', async () => {
  const cycle = (number: number): NewEvent[] => [
    { type: 'cycle.started', cycle: number },
    { type: 'cycle.reflected', cycle: number, text: 'The sea is deep and blue.', ended_by: 'reflection' },
  ];
  const prepare: RunServiceOptions['prepare'] = async ({ task, model, mode }) => ({
    config: sampleConfig({ task, model, mode }),
    keep: () => undefined,
    discard: async () => undefined,
  });
  test = await openTestService(scripted([...cycle(1), ...cycle(2)]), { prepare });
  const request = { mode: 'explore' as const, task: '' };
  const [first, second] = [await test.start(request), await test.start(request)];
  await ended(first);
  await ended(second);
  const { stored } = test.service;
  const table = { measure: 'ngram', rows: [{ cycle: 1 }, { cycle: 2, novelty: 0, diversity: 0 }] };
  expect(await stored.explorations([first, second])).toMatchObject({
    runs: [
      { run: { id: first }, table },
      { run: { id: second }, table },
    ],
    similarity: { points: [{ run: 0 }, { run: 0 }, { run: 1 }, { run: 1 }], left_out: 0 },
    by_run: [
      [1, 1],
      [1, 1],
    ],
  });
  const task = await test.start();
  await ended(task);
  await expect(stored.explorations([task])).rejects.toMatchObject({ code: 'invalid_request' });
});

it('makes one comparison at a time, refuses the seventeenth that waits, and continues after cancelled ones', async () => {
  test = await openTestService(scripted([warned('a')]));
  const run = await test.start();
  await ended(run);
  const gone = new AbortController();
  const asked = Array.from({ length: 17 }, () =>
    test.service.stored.compare(run, run, { signal: gone.signal }),
  );
  await expect(test.service.stored.compare(run, run)).rejects.toMatchObject({ code: 'too_many_comparisons' });
  gone.abort(new Error('gone'));
  const given = await Promise.allSettled(asked);
  expect(given.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'));
  expect((await test.service.stored.compare(run, run)).comparison.divergence).toBeUndefined();
  expect(await test.service.stored.agreement([run, run])).toMatchObject({ variants: 1, causes: [] });
});
