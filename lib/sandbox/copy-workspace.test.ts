import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyWorkspace } from './copy-workspace.ts';
import { NOBODY, temporaryFolder } from './under-test.ts';

async function folders(path: string): Promise<{ from: string; to: string }> {
  const from = join(path, 'from');
  const to = join(path, 'to');
  await mkdir(from);
  await mkdir(to);
  return { from, to };
}

it('copies files and folders with their contents and modes, including empty ones', async () => {
  await using folder = await temporaryFolder();
  const { from, to } = await folders(folder.path);
  await mkdir(join(from, 'a/b'), { recursive: true });
  await mkdir(join(from, 'empty'));
  await writeFile(join(from, 'a/b/deep.txt'), 'deep');
  await writeFile(join(from, 'nothing'), '');
  await writeFile(join(from, 'run.sh'), '#!/bin/sh');
  await chmod(join(from, 'run.sh'), 0o755);
  expect(await copyWorkspace(from, to)).toEqual({ files: 3, bytes: 13, leftOut: 0 });
  expect(await readFile(join(to, 'a/b/deep.txt'), 'utf8')).toBe('deep');
  expect((await stat(join(to, 'run.sh'))).mode & 0o111).toBe(0o111);
  expect((await readdir(to)).sort()).toEqual(['a', 'empty', 'nothing', 'run.sh']);
});

it('neither follows nor copies links, so that nothing from outside is copied [O5]', async () => {
  await using folder = await temporaryFolder();
  const { from, to } = await folders(folder.path);
  await writeFile(join(folder.path, 'secret'), 'secret');
  await symlink(join(folder.path, 'secret'), join(from, 'file-link'));
  await symlink(folder.path, join(from, 'folder-link'));
  expect(await copyWorkspace(from, to)).toEqual({ files: 0, bytes: 0, leftOut: 2 });
  expect(await readdir(to)).toEqual([]);
});

it.each([
  [{ bytes: 9 }, '0.000009 MB'],
  [{ entries: 2 }, '2 files and folders'],
])('rejects more than %o with a hint', async (limits, words) => {
  await using folder = await temporaryFolder();
  const { from, to } = await folders(folder.path);
  for (const name of ['a', 'b', 'c']) await writeFile(join(from, name), '12345');
  await expect(copyWorkspace(from, to, limits)).rejects.toMatchObject({
    code: 'workspace_too_large',
    message: expect.stringContaining(words),
    hint: expect.stringContaining('same folder'),
  });
});

it('skips and counts unreadable entries, and copies the rest', async () => {
  await using folder = await temporaryFolder(process.getuid?.() === 0 ? NOBODY : undefined);
  const { from, to } = await folders(folder.path);
  await mkdir(join(from, 'closed'));
  await writeFile(join(from, 'closed/inside'), 'x');
  await writeFile(join(from, 'secret'), 'x');
  await writeFile(join(from, 'open'), 'x');
  await chmod(join(from, 'closed'), 0);
  await chmod(join(from, 'secret'), 0);
  await chown(to, process.getuid?.() === 0 ? NOBODY : -1, -1);
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(NOBODY); // root may read everything
  const copied = await copyWorkspace(from, to).finally(() => root && process.seteuid?.(0));
  expect(copied).toEqual({ files: 1, bytes: 1, leftOut: 2 });
  expect(await readdir(to)).toEqual(['open']);
});

it.runIf(process.platform === 'linux')('preserves names that are not valid UTF-8', async () => {
  await using folder = await temporaryFolder();
  const { from, to } = await folders(folder.path);
  const name = (path: string) => Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff, 0xfe])]);
  mkdirSync(name(from));
  writeFileSync(Buffer.concat([name(from), Buffer.from([0x2f, 0xe9])]), 'inside');
  expect(await copyWorkspace(from, to)).toEqual({ files: 1, bytes: 6, leftOut: 0 });
  expect(readdirSync(to, { encoding: 'buffer' })).toEqual([Buffer.from([0x66, 0xff, 0xfe])]);
  expect(readdirSync(name(to), { encoding: 'buffer' })).toEqual([Buffer.from([0xe9])]);
});
