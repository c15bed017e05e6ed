import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canMountDisks, mountSmallDisk } from '../testing/small-disk.ts';
import { replaceFile } from './replace-file.ts';

it.skipIf(!canMountDisks)('says that a disk is full, and leaves the file as it was', async () => {
  const disk = await mountSmallDisk({ megabytes: 1 });
  const path = join(disk.outside, 'file.json');
  const long = 'x'.repeat(100_000);
  try {
    await replaceFile(path, 'old');
    disk.fill();
    await expect(replaceFile(path, long)).rejects.toMatchObject({
      code: 'storage_full',
      message: expect.stringContaining(path),
      hint: expect.stringContaining('Free space'),
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(disk.outside).sort()).toEqual(['file.json', 'filler']);
    disk.empty();
    await replaceFile(path, long);
    expect(readFileSync(path, 'utf8')).toBe(long);
  } finally {
    await disk.dispose();
  }
});
