import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { Suites } from './suites.ts';

let folder: string;
let store: SqliteRunStore;
let suites: Suites;
/** Runs that can become cases. */
let runs: Map<string, { run: { folder?: string; imported_at?: number }; config: RunConfig }>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-suites-'));
  store = SqliteRunStore.open(folder, { ballastMegabytes: 1 });
  runs = new Map();
  let id = 0;
  let now = 0;
  suites = new Suites({
    store,
    runOf: async (runId) => {
      const found = runs.get(runId);
      if (found) return found;
      throw new AppError({ code: 'run_not_found', message: runId });
    },
    newId: () => `s${++id}`,
    now: () => ++now,
  });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const content = (...inputs: string[]) => ({
  name: 'Mine',
  cases: inputs.map((input, index) => ({ id: `c${index}`, input })),
});

it('imports a file under a free name, and refuses one with problems', async () => {
  const text = '{"id": "a", "input": "x"}\n{"id": "b", "input": "y"}\n';
  const first = await suites.create({ text, format: 'jsonl', name: 'Data' });
  expect(first).toMatchObject({ suite: { name: 'Data', cases: 2 }, cases: [{ id: 'a' }, { id: 'b' }] });
  expect((await suites.create({ text, format: 'jsonl', name: 'data' })).suite.name).toBe('data (2)');
  await expect(
    suites.create({ text: `${text}{"id": "a"}`, format: 'jsonl', name: 'D' }),
  ).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('line 3: case "a"'),
  });
  expect((await suites.list()).suites).toHaveLength(2);
});

it('imports a file several times at the same moment, each time under a free name', async () => {
  const file = { text: '{"id": "a", "input": "x"}\n', format: 'jsonl' as const, name: 'Data' };
  const imported = await Promise.all([1, 2, 3].map(() => suites.create(file)));
  expect(imported.map(({ suite }) => suite.name).sort()).toEqual(['Data', 'Data (2)', 'Data (3)']);
});

it('keeps the suite of a file once when several experiments read it at the same moment', async () => {
  const fileOf = (input: string) => ({
    text: JSON.stringify({ id: 'a', input }),
    format: 'jsonl' as const,
    name: 'Data',
  });
  const keptTwice = () => Promise.all([suites.keep(fileOf('x')), suites.keep(fileOf('x'))]);
  const [first, second] = await keptTwice();
  expect(second).toEqual(first);
  // Both make a new version of it.
  const versions = await Promise.all([suites.keep(fileOf('y')), suites.keep(fileOf('z'))]);
  expect(new Set([first, ...versions].map(({ hash }) => hash)).size).toBe(3);
  for (const { id, hash } of versions) expect((await suites.get(id, hash)).suite.id).toBe(first.id);
});

it('adds a suite that ships with Loupe', async () => {
  const { shipped } = await suites.list();
  expect(shipped).toMatchObject([
    { name: 'basics', title: 'Basics', cases: 40 },
    { name: 'long-reading', title: 'Long reading', cases: 4 },
    { name: 'probes', title: 'Probes', cases: 10 },
  ]);
  expect((await suites.create({ shipped: 'basics' })).suite).toMatchObject({ name: 'Basics', cases: 40 });
  await expect(suites.create({ shipped: 'basic' })).rejects.toMatchObject({
    code: 'suite_not_found',
    message: 'No suite "basic" ships with Loupe.',
    hint: 'Choose one of basics, long-reading, probes.',
  });
  await expect(suites.find({ shipped: 'basics', hash: 'other' })).rejects.toMatchObject({
    hint: expect.stringContaining('An update of Loupe changed it; its version is '),
  });
});

it('makes a version when the cases change, and only then', async () => {
  const { suite } = await suites.create({ suite: content('one') });
  const renamed = await suites.update(suite.id, { suite: { ...content('one'), name: 'Other' } });
  expect(renamed.suite).toMatchObject({ name: 'Other', hash: suite.hash });
  expect(renamed.versions).toHaveLength(1);
  const changed = await suites.update(suite.id, { suite: content('one', 'two'), base: suite.hash });
  expect(changed.versions.map(({ cases }) => cases)).toEqual([2, 1]);
  expect((await suites.get(suite.id, suite.hash)).cases).toHaveLength(1);
  await expect(suites.update(suite.id, { suite: content('three'), base: suite.hash })).rejects.toMatchObject({
    code: 'suite_changed',
  });
  await expect(suites.get(suite.id, 'none')).rejects.toMatchObject({ code: 'suite_version_not_found' });
});

it('refuses the name of another suite', async () => {
  await suites.create({ suite: content('one') });
  await expect(suites.create({ suite: { ...content('one'), name: 'MINE' } })).rejects.toMatchObject({
    code: 'suite_exists',
  });
});

it('adds the task of a run as a case, once', async () => {
  const { suite } = await suites.create({ suite: content('one') });
  const checks = [{ type: 'file_exists' as const, path: 'a' }];
  const config = sampleConfig({ task: 'Do it', checks, asked: ['result_chars', 'model_options', 'checks'] });
  runs.set('run', { run: { folder: '/home/ada/work' }, config });
  const added = await suites.addCase(suite.id, { run_id: 'run', tags: ['new'] });
  expect(added.case).toEqual({
    id: 'run',
    input: 'Do it',
    folder: '/home/ada/work',
    settings: { result_chars: config.result_chars },
    checks,
    tags: ['new'],
  });
  expect((await suites.get(suite.id)).cases).toHaveLength(2);
  await expect(suites.addCase(suite.id, { run_id: 'run' })).rejects.toMatchObject({ code: 'case_exists' });
  await expect(suites.addCase(suite.id, { run_id: 'gone' })).rejects.toMatchObject({ code: 'run_not_found' });
});

it('accepts no folder from an imported run, and no session with a person’s messages', async () => {
  const { suite } = await suites.create({ suite: content('one') });
  runs.set('imported', { run: { folder: '/etc', imported_at: 1 }, config: sampleConfig({ task: 'x' }) });
  const { case: added } = await suites.addCase(suite.id, { run_id: 'imported', id: 'mine' });
  expect(added).not.toHaveProperty('folder');
  runs.set('session', { run: {}, config: sampleConfig({ mode: 'session', autopilot: false }) });
  await expect(suites.addCase(suite.id, { run_id: 'session' })).rejects.toMatchObject({
    message: expect.stringContaining('session'),
  });
});

it('deletes a suite with its versions', async () => {
  const { suite } = await suites.create({ suite: content('one') });
  expect(await suites.delete(suite.id)).toEqual({ deleted: suite.id });
  await expect(suites.get(suite.id)).rejects.toMatchObject({ code: 'suite_not_found' });
  await expect(suites.delete(suite.id)).rejects.toMatchObject({ code: 'suite_not_found' });
});

it('reads a stored suite without settings that have no effect on its cases', async () => {
  const one = { id: 'a', input: 'Say it.', mode: 'prompt' as const };
  const settings = { tier: 'trivial' as const, system: 'Be terse.' };
  const record = {
    id: 'old',
    name: 'Old',
    description: '',
    hash: 'h',
    cases: 1,
    created_at: 1,
    updated_at: 1,
  };
  await store.saveSuite(record, { cases: [{ ...one, settings }] });
  expect((await suites.get('old')).cases).toEqual([{ ...one, settings: { system: 'Be terse.' } }]);
  await expect(
    suites.create({ suite: { name: 'New', cases: [{ ...one, settings }] } }),
  ).rejects.toMatchObject({ message: expect.stringContaining('settings.tier: This has no effect') });
});
