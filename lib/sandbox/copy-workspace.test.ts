import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyWorkspace } from './copy-workspace.ts';
import { temporaryFolder } from './under-test.ts';

async function folders(path: string): Promise<{ from: string; to: string }> {
  const from = join(path, 'from');
  const to = join(path, 'to');
  await mkdir(from);
  await mkdir(to);
  return { from, to };
}

it('copies files and folders with their contents and modes, empty ones too', async () => {
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

it('O5: neither follows nor copies a link, so that nothing from outside comes in', async () => {
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
])('refuses more than %o and says what to do', async (limits, words) => {
  await using folder = await temporaryFolder();
  const { from, to } = await folders(folder.path);
  for (const name of ['a', 'b', 'c']) await writeFile(join(from, name), '12345');
  await expect(copyWorkspace(from, to, limits)).rejects.toMatchObject({
    code: 'workspace_too_large',
    message: expect.stringContaining(words),
    hint: expect.stringContaining('same folder'),
  });
});
