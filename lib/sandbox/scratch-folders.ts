import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGone, ownIdentity } from './server-identity.ts';

/** The server that made a folder. */
const NAME = /^loupe-scratch-(\d+)-(\d+)-(\d+)-/;

/** Makes a folder for the temporary files of one command. Its name says which server made it. */
export function makeScratchFolder(place = tmpdir()): Promise<string> {
  const { space, pid, start } = ownIdentity();
  return mkdtemp(join(place, `loupe-scratch-${space}-${pid}-${start}-`));
}

/**
 * Removes folders of servers that were killed during a command. Only folders of this user are removed, and only if their
 * server would be seen if it were running. Links are left alone. Never throws; what cannot be removed is reported on the console.
 */
export async function removeLeftoverScratch(place = tmpdir()): Promise<void> {
  const warn = (path: string) => (error: unknown) =>
    console.warn(`Temporary files of an interrupted command may be left in ${path}:`, error);
  const names = await readdir(place).catch(warn(place));
  for (const name of names?.filter(isLeftover) ?? []) {
    const path = join(place, name);
    await removeIfOwn(path).catch(warn(path));
  }
}

function isLeftover(name: string): boolean {
  const [, space, pid, start] = NAME.exec(name) ?? [];
  if (space === undefined || pid === undefined || start === undefined) return false;
  return isGone({ space, pid, start });
}

async function removeIfOwn(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.()) return;
  await rm(path, { recursive: true, force: true });
}
