import { chownSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeScratchFolder, removeLeftoverScratch } from './scratch-folders.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'loupe-scratch-test-'));
});
afterEach(() => rmSync(place, { recursive: true }));

/** A folder as a server with a PID above the largest of Linux (2^22) would have made it. */
async function leftover(): Promise<string> {
  const made = await makeScratchFolder(place);
  const name = basename(made).replace(/-\d+-\d+-(?=[^-]+$)/, '-4194305-7-');
  expect(name).not.toBe(basename(made));
  renameSync(made, join(place, name));
  return join(place, name);
}

it('removes the folders of servers that are gone, and keeps those of running ones', async () => {
  const [own, gone] = [await makeScratchFolder(place), await leftover()];
  writeFileSync(join(gone, 'file'), 'x');
  const others = ['loupe-scratch-abc', 'loupe-scratch-1-4194305-7-abc'].map((name) => join(place, name));
  for (const other of others) renameSync(await makeScratchFolder(place), other);
  await removeLeftoverScratch(place);
  expect([own, gone, ...others].map((path) => existsSync(path))).toEqual([true, false, true, true]);
});

it('follows no links', async () => {
  const target = mkdtempSync(join(place, 'target-'));
  writeFileSync(join(target, 'file'), 'x');
  const gone = await leftover();
  symlinkSync(target, join(gone, 'inside'));
  const link = await leftover();
  rmSync(link, { recursive: true });
  symlinkSync(target, link);
  await removeLeftoverScratch(place);
  expect([gone, link, join(target, 'file')].map((path) => existsSync(path))).toEqual([false, true, true]);
});

it.runIf(process.getuid?.() === 0)('leaves folders of other users alone', async () => {
  const theirs = await leftover();
  chownSync(theirs, 4242, 4242);
  await removeLeftoverScratch(place);
  expect(existsSync(theirs)).toBe(true);
});
