import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How many folders below the workspace's root a repository is looked for: `a/b/c/.git` is found. */
const MAX_DEPTH = 3;
/** Folders looked into at most, those near the root first. */
const MAX_FOLDERS = 500;
const MAX_FOUND = 32;
/** Folders opened at a time. */
const BATCH = 16;
/** Filled by tools, with thousands of folders, and no place where one works with git. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * Repositories in subfolders of a workspace: the paths of their `.git`, relative to it. Links are not followed. Looks at
 * a bounded number of folders, so a repository far down in a large workspace is not found.
 */
export async function findNestedGit(workspace: string): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  let level = await foldersIn(workspace, '');
  for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (let start = 0; start < level.length && looked < MAX_FOLDERS; start += BATCH) {
      const batch = level.slice(start, start + Math.min(BATCH, MAX_FOLDERS - looked));
      looked += batch.length;
      for (const [index, entries] of (await Promise.all(batch.map((f) => list(workspace, f)))).entries()) {
        const folder = batch[index] ?? '';
        const git = entries.find(({ name }) => name === '.git');
        if (git?.isDirectory() || git?.isFile()) found.push(join(folder, '.git'));
        next.push(...folders(entries, folder));
      }
    }
    level = next;
  }
  return found.slice(0, MAX_FOUND);
}

/** Those of them that a user can reach: only what a command can open has to be kept from it, and can be. */
export async function reachableBy(
  user: { uid: number; gid: number },
  workspace: string,
  paths: readonly string[],
): Promise<string[]> {
  const reachable = await Promise.all(
    paths.map(async (path) => {
      const steps = path.split('/');
      const above = steps.slice(0, -1).map((_, index) => join(workspace, ...steps.slice(0, index + 1)));
      try {
        const stats = await Promise.all([...above, join(workspace, path)].map((each) => lstat(each)));
        return stats.slice(0, -1).every((folder) => canEnter(folder, user));
      } catch {
        return false; // gone since, or a name that is no text
      }
    }),
  );
  return paths.filter((_, index) => reachable[index]);
}

function canEnter({ uid, gid, mode }: Stats, user: { uid: number; gid: number }): boolean {
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0;
}

async function foldersIn(workspace: string, folder: string): Promise<string[]> {
  return folders(await list(workspace, folder), folder);
}

function folders(entries: readonly Dirent[], folder: string): string[] {
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map(({ name }) => join(folder, name));
}

async function list(workspace: string, folder: string): Promise<Dirent[]> {
  try {
    return await readdir(join(workspace, folder), { withFileTypes: true });
  } catch {
    return []; // gone since, or not ours to see
  }
}
