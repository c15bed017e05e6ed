import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { NewFolders } from '../sandbox/new-folders.ts';
import { prepareRun } from './prepare-run.ts';

let folder: string;
let source: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-prepare-')));
  source = join(folder, 'texts');
  mkdirSync(join(source, 'old'), { recursive: true });
  writeFileSync(join(source, 'old', 'a.md'), 'A');
  mkdirSync(join(folder, 'data'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const prepare = (request: Partial<CreateRunRequest>, runId = 'run-1') =>
  prepareRun(createRunRequest.parse({ task: 'Count.', model: 'm', ...request }), {
    ...{ runId, dataDir: join(folder, 'data'), folders: newFolders(), offeredTools: [] },
  });
const newFolders = () => new NewFolders({ dataDir: join(folder, 'data'), alone: true });

it('creates a fresh folder for a run that names none, and removes it if the run is not created [T11, K-33]', async () => {
  const { config, discard } = await prepare({});
  expect(config.workspace).toBe(join(folder, 'data', 'workspaces', 'run-1'));
  await discard();
  expect(existsSync(config.workspace)).toBe(false);
});

it('marks a fresh folder until its run is stored, so that a start after a kill -9 removes it', async () => {
  writeFileSync(join(source, 'b.md'), 'B');
  const [killed, kept] = [
    await prepare({ workspace: source, workspace_copy: true }),
    await prepare({ workspace: source, workspace_copy: true }, 'run-2'),
  ];
  kept.keep();
  await newFolders().removeUnfinished();
  expect(existsSync(killed.config.workspace)).toBe(false);
  expect(existsSync(join(kept.config.workspace, 'b.md'))).toBe(true);
  expect(existsSync(join(source, 'b.md'))).toBe(true);
});

it('works on a copy where one is asked for: no run finds what another has done', async () => {
  symlinkSync('/etc', join(source, 'link'));
  const first = await prepare({ workspace: source, workspace_copy: true });
  expect(first.copied).toEqual({ files: 1, bytes: 1, left_out: 1 });
  expect(first.config.copied_from).toBe(source);
  writeFileSync(join(first.config.workspace, 'old', 'a.md'), 'changed');
  const second = await prepare({ workspace: source, workspace_copy: true }, 'run-2');
  expect(readFileSync(join(second.config.workspace, 'old', 'a.md'), 'utf8')).toBe('A');
  expect(readFileSync(join(source, 'old', 'a.md'), 'utf8')).toBe('A');
  await second.discard();
  expect(existsSync(source)).toBe(true);
});

it('uses the folder that is named, and never removes it [T11]', async () => {
  const { config, discard } = await prepare({ workspace: source });
  expect(config.workspace).toBe(source);
  expect(config.copied_from).toBeUndefined();
  await discard();
  expect(existsSync(source)).toBe(true);
});

it('leaves nothing behind when there is nothing to copy', async () => {
  const missing = { workspace: join(folder, 'nowhere'), workspace_copy: true };
  await expect(prepare(missing)).rejects.toMatchObject({ code: 'workspace_missing' });
  expect(existsSync(join(folder, 'data', 'workspaces', 'run-1'))).toBe(false);
  expect(
    createRunRequest.safeParse({ task: 'x', model: 'm', workspace_copy: true }).error?.issues,
  ).toMatchObject([{ path: ['workspace_copy'] }]);
});
