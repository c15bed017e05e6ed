import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { canMountDisks, mountSmallDisk } from '../testing/small-disk.ts';

const PROGRAM = `
  const { operatorToken } = await import(${JSON.stringify(new URL('./operator-token.ts', import.meta.url).href)});
  console.log(operatorToken(process.env.FOLDER, undefined));
`;

it.skipIf(!canMountDisks)(
  'keeps a new token in memory on a full disk, and leaves no empty file',
  async () => {
    const disk = await mountSmallDisk({ megabytes: 1 });
    const [command = '', ...within] = disk.within;
    const start = () =>
      spawnSync(command, [...within, process.execPath, '--input-type=module', '-e', PROGRAM], {
        env: { ...process.env, FOLDER: disk.path },
        encoding: 'utf8',
      });
    try {
      disk.fill();
      const full = start();
      expect(full.stdout).toMatch(/^[\w-]{43}\n$/);
      expect(full.stderr).toContain('the disk is full');
      expect(readdirSync(disk.outside)).toEqual(['filler']);
      disk.empty();
      expect(start().stdout).toMatch(/^[\w-]{43}\n$/);
      expect(readdirSync(disk.outside)).toEqual(['token']);
    } finally {
      await disk.dispose();
    }
  },
);
