import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listSubfolders } from './list-subfolders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-folders-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

const inside = (...names: string[]) => join(folder, ...names);
const names = async (options = {}) => (await listSubfolders(folder, options)).folders.map(({ name }) => name);

it('lists subfolders by name, counts everything else, and opens no file', async () => {
  for (const name of ['b', 'A', 'part 10', 'part 9']) mkdirSync(inside(name));
  writeFileSync(inside('secret.txt'), 'not for listings', { mode: 0o000 });
  execFileSync('mkfifo', [inside('pipe')]);
  expect(await listSubfolders(folder)).toEqual({
    path: folder,
    folders: [{ name: 'A' }, { name: 'b' }, { name: 'part 9' }, { name: 'part 10' }],
    files: 2,
    hidden: 0,
    complete: true,
  });
});

it('lists hidden folders only on request', async () => {
  for (const name of ['.git', 'src']) mkdirSync(inside(name));
  expect(await listSubfolders(folder)).toMatchObject({ folders: [{ name: 'src' }], hidden: 1 });
  expect(await names({ hidden: true })).toEqual(['.git', 'src']);
});

it('marks links to folders, and leaves out broken, circular and other links', async () => {
  mkdirSync(inside('real'));
  writeFileSync(inside('file'), '');
  symlinkSync('real', inside('to-folder'));
  symlinkSync('file', inside('to-file'));
  symlinkSync('nowhere', inside('broken'));
  symlinkSync('circle', inside('circle'));
  expect(await listSubfolders(folder)).toMatchObject({
    folders: [{ name: 'real' }, { name: 'to-folder', link: true }],
    files: 4,
    complete: true,
  });
  // A path through a link is shown as its target.
  expect((await listSubfolders(inside('to-folder'))).path).toBe(inside('real'));
});

it('reads a huge folder up to its limits, and says so', async () => {
  for (let index = 0; index < 30; index += 1) mkdirSync(inside(`folder ${index}`));
  const few = await listSubfolders(folder, { limits: { folders: 10 } });
  expect([few.folders.length, few.complete]).toEqual([10, false]);
  const read = await listSubfolders(folder, { limits: { entries: 20 } });
  expect([read.folders.length, read.complete]).toEqual([20, false]);
  expect((await listSubfolders(folder, { limits: { folders: 30, entries: 30 } })).complete).toBe(true);
});

it('keeps names with line breaks and skips those that are not Unicode', async () => {
  mkdirSync(inside('two\nlines'));
  mkdirSync(inside('Ünïcode 名'));
  if (process.platform === 'linux')
    mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff, 0x61)]));
  expect(new Set(await names())).toEqual(new Set(['two\nlines', 'Ünïcode 名']));
});

it.each([
  ['folder_relative', () => 'notes'],
  ['folder_relative', () => '/with\0nul'],
  ['folder_missing', () => inside('nowhere')],
  ['folder_missing', () => inside('x'.repeat(300))],
  ['folder_is_a_file', () => inside('file')],
  ['folder_is_a_file', () => inside('file', 'below')],
  ['folder_missing', () => inside('circle')],
])('refuses with %s and says what to do', async (code, path) => {
  writeFileSync(inside('file'), '');
  symlinkSync('circle', inside('circle'));
  await expect(listSubfolders(path())).rejects.toMatchObject({ code, hint: expect.any(String) });
});

it.skipIf(process.getuid?.() === 0)('names a folder that may not be read', async () => {
  mkdirSync(inside('closed'), { mode: 0o000 });
  await expect(listSubfolders(inside('closed'))).rejects.toMatchObject({ code: 'folder_unreadable' });
});
