import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

it('creates a file that only its owner can read, and replaces it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'loupe-replace-'));
  const folder = join(root, 'folder');
  const path = join(folder, 'file.json');
  try {
    await replaceFile(path, 'old');
    expect([folder, path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
    await replaceFile(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['file.json']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
