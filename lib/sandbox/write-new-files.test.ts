import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeNewFiles } from './write-new-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-new-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('writes files with their folders, as they are given', async () => {
  await writeNewFiles(folder, { 'a.txt': 'A', 'b/c/d.txt': '', 'b/ü.txt': 'ü\n' });
  expect(readFileSync(join(folder, 'b', 'ü.txt'), 'utf8')).toBe('ü\n');
  expect(readFileSync(join(folder, 'b', 'c', 'd.txt'), 'utf8')).toBe('');
});

it('names a file that cannot be written, and writes neither over a file nor through a link', async () => {
  const outside = join(folder, 'outside.txt');
  writeFileSync(outside, 'mine');
  symlinkSync(outside, join(folder, 'link.txt'));
  for (const path of ['outside.txt', 'link.txt', `${'x'.repeat(300)}.txt`]) {
    await expect(writeNewFiles(folder, { [path]: 'other' })).rejects.toMatchObject({
      code: 'workspace_files',
      message: expect.stringContaining(path),
    });
  }
  expect(readFileSync(outside, 'utf8')).toBe('mine');
});
