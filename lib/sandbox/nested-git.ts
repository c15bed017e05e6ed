import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Maximum depth of nested repositories below the workspace root: `a/b/c/.git` is found. */
const MAX_DEPTH = 3;
/** Maximum number of folders visited, nearest to the root first. */
const MAX_FOLDERS = 500;
const MAX_FOUND = 32;
/** Folders opened concurrently. */
const BATCH = 16;
/** Filled by tools with thousands of folders, and not used for working with git. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** The entries that make git treat a folder as a bare repository. */
export const BARE_PARTS = ['HEAD', 'objects', 'refs', 'commondir'] as const;

/**
 * Whether git treats a folder with these entries as a bare repository and obeys its config: HEAD, and either both folders
 * or a file with their location (`is_git_directory` in git's setup.c).
 */
export function isBareRepository(names: ReadonlySet<string>): boolean {
  return names.has('HEAD') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));
}

/** The relevant entry names, ignoring case like some file systems do. */
export function barePart(name: string): string | undefined {
  return BARE_PARTS.find((part) => part.toLowerCase() === name.toLowerCase());
}

/** A folder of a workspace with its entries. */
export interface VisitedFolder {
  /** Relative to the workspace; empty for its root. */
  path: string;
  entries: readonly Dirent[];
}

/** The folders of a workspace, nearest to the root first. Follows no links; the number is bounded. */
export async function* visitFolders(workspace: string): AsyncGenerator<VisitedFolder> {
  let looked = 0;
  let level = [''];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (let start = 0; start < level.length && looked < MAX_FOLDERS; start += BATCH) {
      const batch = level.slice(start, start + Math.min(BATCH, MAX_FOLDERS - looked));
      looked += batch.length;
      for (const [index, entries] of (await Promise.all(batch.map((f) => list(workspace, f)))).entries()) {
        const path = batch[index] ?? '';
        yield { path, entries };
        if (path === '' || !isBareRepository(namesOf(entries))) next.push(...folders(entries, path));
      }
    }
    level = next;
  }
}

/**
 * The repositories in a visited folder, relative to the workspace: its `.git`, or the folder itself if it is a bare
 * repository. The workspace root is left to the caller.
 */
export function repositoriesIn({ path, entries }: VisitedFolder): string[] {
  if (path === '') return [];
  const git = entries.find(({ name }) => name === '.git');
  return [
    ...(isBareRepository(namesOf(entries)) ? [path] : []),
    ...(git?.isDirectory() || git?.isFile() ? [join(path, '.git')] : []),
  ];
}

function namesOf(entries: readonly Dirent[]): Set<string> {
  return new Set(entries.map(({ name }) => name));
}

/**
 * Repositories in subfolders of a workspace: the paths of their `.git`, and of bare repositories. Visits a bounded number
 * of folders, so a deeply nested repository in a large workspace may be missed.
 */
export async function findNestedGit(workspace: string): Promise<string[]> {
  const found: string[] = [];
  for await (const folder of visitFolders(workspace)) found.push(...repositoriesIn(folder));
  return found.slice(0, MAX_FOUND);
}

/** The paths that a user can reach: only those need protection from commands, and only those can be mounted. */
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
        return false; // deleted meanwhile, or not valid UTF-8
      }
    }),
  );
  return paths.filter((_, index) => reachable[index]);
}

function canEnter({ uid, gid, mode }: Stats, user: { uid: number; gid: number }): boolean {
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0;
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
    return []; // deleted meanwhile, or not readable
  }
}
