import { readlinkSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../util/is-alive.ts';
import { processStart } from './leftover-commands.ts';

/** The PID namespace, the PID and the start time of the server that made a folder; 0 where they are not known. */
const NAME = /^loupe-scratch-(\d+)-(\d+)-(\d+)-/;

/** Makes a folder for the temporary files of one command. Its name says which server made it. */
export function makeScratchFolder(place = tmpdir()): Promise<string> {
  const { pid } = process;
  return mkdtemp(join(place, `loupe-scratch-${namespace()}-${pid}-${processStart(pid) ?? 0}-`));
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
  if (space !== namespace() || pid === undefined || start === undefined) return false;
  if (start !== '0') return processStart(Number(pid)) !== start;
  return !isAlive(Number(pid));
}

/** Processes of another namespace cannot be seen, and its PIDs mean other processes here. */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0'; // not on Linux
  }
}

async function removeIfOwn(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.()) return;
  await rm(path, { recursive: true, force: true });
}
