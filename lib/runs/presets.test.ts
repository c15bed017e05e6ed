import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_PRESETS, PRESET_FORMAT, presetFile, presetRequest, presetUpdate } from '../api/preset.ts';
import { SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { Presets } from './presets.ts';

let folder: string;
let store: SqliteRunStore;
let presets: Presets;
let clock = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-presets-'));
  store = SqliteRunStore.open(folder, { ballastMegabytes: 1 });
  presets = new Presets({ store, newId: () => `p${++clock}`, now: () => ++clock });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const report = presetRequest.parse({
  name: ' Weekly report ',
  run: {
    task: 'Summarise {file} for {reader}',
    model: 'qwen3:8b',
    workspace: '~/notes',
    workspace_copy: true,
  },
});

it('keeps presets by name, with the placeholders of their task', async () => {
  const { preset } = await presets.create(report);
  await presets.create({ name: 'Another', run: {} });
  expect((await presets.list()).presets.map(({ name }) => name)).toEqual(['Another', 'Weekly report']);
  expect(await presets.get(preset.id)).toEqual(preset);
  expect(preset).toMatchObject({ placeholders: ['file', 'reader'], run: report.run });
  await expect(presets.create({ ...report, name: 'WEEKLY report' })).rejects.toMatchObject({
    code: 'preset_exists',
  });
});

it('keeps changes that were saved in the meantime when it is renamed', async () => {
  const { preset } = await presets.create(report);
  await presets.update(preset.id, { name: preset.name, run: { model: 'llama3.2:3b' } });
  const renamed = await presets.update(preset.id, presetUpdate.parse({ name: 'Monthly report' }));
  expect(renamed.preset).toMatchObject({ name: 'Monthly report', run: { model: 'llama3.2:3b' } });
});

it('renames, updates and deletes', async () => {
  const { preset } = await presets.create(report);
  const renamed = (await presets.update(preset.id, { name: 'Monthly', run: { mode: 'explore' } })).preset;
  expect(renamed).toMatchObject({
    id: preset.id,
    name: 'Monthly',
    run: { mode: 'explore' },
    placeholders: [],
  });
  expect(renamed.created_at).toBe(preset.created_at);
  await presets.delete(preset.id);
  for (const gone of [presets.get(preset.id), presets.update(preset.id, report), presets.delete(preset.id)]) {
    await expect(gone).rejects.toMatchObject({ code: 'preset_not_found', hint: expect.any(String) });
  }
});

it('stays deleted if it is updated at the same time', async () => {
  const { preset } = await presets.create(report);
  await Promise.allSettled([presets.update(preset.id, report), presets.delete(preset.id)]);
  expect((await presets.list()).presets).toEqual([]);
});

it('keeps settings that are saved while it is renamed', async () => {
  const { preset } = await presets.create(report);
  const saved = presets.update(preset.id, { name: preset.name, run: { model: 'llama3.2:3b' } });
  await Promise.all([saved, presets.update(preset.id, { name: 'Monthly report' })]);
  expect(await presets.get(preset.id)).toMatchObject({
    name: 'Monthly report',
    run: { model: 'llama3.2:3b' },
  });
});

describe('a preset file', () => {
  it('gets a free name even when it is imported several times at the same moment', async () => {
    const file = presetRequest.parse({ format: PRESET_FORMAT, name: 'Report', run: { task: 'Sum up' } });
    const imported = await Promise.all([1, 2, 3].map(() => presets.create(file)));
    expect(imported.map(({ preset }) => preset.name).sort()).toEqual(['Report', 'Report (2)', 'Report (3)']);
  });

  it('is imported again, without its folder and under a free name', async () => {
    const { preset } = await presets.create(report);
    const file = JSON.parse(JSON.stringify(presetFile(preset)));
    expect(file).toEqual({
      format: PRESET_FORMAT,
      name: 'Weekly report',
      run: { task: 'Summarise {file} for {reader}', model: 'qwen3:8b' },
    });
    expect((await presets.create(presetRequest.parse(file))).preset.name).toBe('Weekly report (2)');
    const hostile = presetRequest.parse({ ...file, run: { ...file.run, workspace: '/etc' } });
    const imported = await presets.create(hostile);
    expect(imported).toMatchObject({ left_out: ['workspace'], preset: { name: 'Weekly report (3)' } });
    expect(imported.preset.run).not.toHaveProperty('workspace');
  });

  it('leaves out what has no effect, and an earlier version stored', async () => {
    const run = { agentic: false, task: 'Say it.', tier: 'complex' as const, system: 'Be terse.' };
    expect(presetRequest.safeParse({ name: 'x', run }).success).toBe(false);
    const imported = await presets.create(presetRequest.parse({ format: PRESET_FORMAT, name: 'x', run }));
    const used = { agentic: false, task: 'Say it.', system: 'Be terse.' };
    expect(imported).toMatchObject({ left_out: ['tier'], preset: { run: used } });
    await store.createPreset({ id: 'old', name: 'Old', run, created_at: 1, updated_at: 1 });
    expect((await presets.get('old')).run).toEqual(used);
  });

  it.each([
    ['an unknown field', { name: 'x', run: { modle: 'a' } }, 'modle'],
    ['an unknown field beside the run', { name: 'x', run: {}, autostart: true }, 'autostart'],
    ['a field of another mode', { name: 'x', run: { mode: 'explore', tier: 'complex' } }, 'tier'],
    ['another format', { format: 'loupe-preset/9', name: 'x', run: {} }, PRESET_FORMAT],
    ['a name with a line break', { name: 'a\nb', run: {} }, 'one line'],
    ['a name that turns the reading direction', { name: 'a\u202eb', run: {} }, 'one line'],
    ['an empty name', { name: ' ', run: {} }, 'Enter a name'],
    ['no run', { name: 'x' }, 'run'],
    [
      'an approval for a tool that does not exist',
      { name: 'x', run: { approval: { tools: { rm: 'auto' } } } },
      'rm',
    ],
    ['a task beyond the limit', { name: 'x', run: { task: 'x'.repeat(200_001) } }, 'task'],
    ['a polluting field', JSON.parse('{"name": "x", "run": {"__proto__": {"model": "evil"}}}'), '__proto__'],
  ])('is refused with %s, by name', (_, body, named) => {
    const { success, error } = presetRequest.safeParse(body);
    expect(success).toBe(false);
    expect(JSON.stringify(error?.issues)).toContain(named);
  });
});

it('keeps no more presets than the limit', async () => {
  for (let index = 0; index < MAX_PRESETS; index += 1) await presets.create({ name: `${index}`, run: {} });
  await expect(presets.create({ name: 'more', run: {} })).rejects.toMatchObject({ code: 'too_many_presets' });
});
