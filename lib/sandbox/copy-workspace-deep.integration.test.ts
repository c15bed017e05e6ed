import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyWorkspace } from './copy-workspace.ts';
import { temporaryFolder } from './under-test.ts';

/** Creates nested folders without using a path that is too long. */
function nest(path: string, depth: number, name: string): void {
  const before = process.cwd();
  try {
    process.chdir(path);
    for (let level = 0; level < depth; level++) {
      mkdirSync(name);
      process.chdir(name);
    }
    writeFileSync('deepest', 'x');
  } finally {
    process.chdir(before);
  }
}

it.runIf(process.platform === 'linux')(
  'copies 1,500 nested folders in linear time',
  async () => {
    await using folder = await temporaryFolder();
    const from = join(folder.path, 'from');
    const to = join(folder.path, 'to');
    mkdirSync(from);
    mkdirSync(to);
    nest(from, 1500, 'd');
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    const copied = await copyWorkspace(from, to);
    expect(copied).toEqual({ files: 1, bytes: 1, leftOut: 0 });
    expect(descriptors()).toBe(before);
    expect((await readdir(to, { recursive: true })).length).toBe(1501);
  },
  60_000,
);

it.runIf(process.platform === 'linux')(
  'skips and counts entries whose path is too long to open',
  async () => {
    await using folder = await temporaryFolder();
    const from = join(folder.path, 'from');
    const to = join(folder.path, 'to');
    mkdirSync(from);
    mkdirSync(to);
    nest(from, 40, 'n'.repeat(200));
    expect(await copyWorkspace(from, to)).toEqual({ files: 0, bytes: 0, leftOut: 1 });
    expect((await readdir(to, { recursive: true })).length).toBeLessThan(21);
    execFileSync('rm', ['-rf', from]); // the path is too long for Node as well
  },
);
