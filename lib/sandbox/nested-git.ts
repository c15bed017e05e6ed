import { type Dirent, lstatSync, type Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Maximum depth of nested repositories below the workspace root: `a/b/c/.git` is found. */
const MAX_DEPTH = 3;
/** Maximum number of folders visited, nearest to the root first. */
const MAX_FOLDERS = 500;
const MAX_FOUND = 32;
/** Entries read of one folder, and about how many of all: it happens three times per command. */
const MAX_ENTRIES_PER_FOLDER = 20_000;
const MAX_ENTRIES = 100_000;
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

/** A folder of a workspace with the names in it. */
export interface VisitedFolder {
  /** Relative to the workspace; empty for its root. */
  path: string;
  /** What makes a folder a repository is among them even if the others were not all read. */
  names: ReadonlySet<string>;
  /** Whether its `.git` is a folder or a file. */
  hasGit: boolean;
  /** Whether all of its entries were read. */
  complete: boolean;
}

/**
 * The folders of a workspace, nearest to the root first. Follows no links. Their number, and that of the entries read, is
 * bounded: a workspace may hold millions of files.
 */
export async function* visitFolders(workspace: string): AsyncGenerator<VisitedFolder> {
  let looked = 0;
  let entriesLeft = MAX_ENTRIES;
  let level = [''];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (let start = 0; start < level.length && looked < MAX_FOLDERS; start += BATCH) {
      const batch = level.slice(start, start + Math.min(BATCH, MAX_FOLDERS - looked));
      looked += batch.length;
      // The same for the whole batch, so that each visit of an unchanged workspace reads the same.
      const limit = Math.min(MAX_ENTRIES_PER_FOLDER, entriesLeft);
      for (const { subfolders, ...folder } of await Promise.all(
        batch.map((f) => look(workspace, f, limit)),
      )) {
        entriesLeft = Math.max(0, entriesLeft - folder.names.size);
        yield folder;
        if (folder.path !== '' && isBareRepository(folder.names)) continue;
        for (const name of subfolders) next.push(join(folder.path, name));
      }
    }
    level = next;
  }
}

/**
 * The repositories in a visited folder, relative to the workspace: its `.git`, or the folder itself if it is a bare
 * repository. The workspace root is left to the caller.
 */
export function repositoriesIn({ path, names, hasGit }: VisitedFolder): string[] {
  if (path === '') return [];
  return [...(isBareRepository(names) ? [path] : []), ...(hasGit ? [join(path, '.git')] : [])];
}

/** Whether a folder is a bare repository, without reading it whole. */
export function isBareRepositoryAt(folder: string): boolean {
  const exists = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return isBareRepository(new Set(BARE_PARTS.filter(exists)));
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

async function look(
  workspace: string,
  path: string,
  maxEntries: number,
): Promise<VisitedFolder & { subfolders: string[] }> {
  const folder = join(workspace, path);
  const names = new Set<string>();
  const subfolders: string[] = [];
  let hasGit = false;
  const add = (name: string, entry: Dirent | Stats) => {
    names.add(name);
    if (name === '.git') hasGit = entry.isDirectory() || entry.isFile();
  };
  try {
    // Closes itself when the loop ends.
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (names.size >= maxEntries) {
        for (const [name, stats] of await repositoryParts(folder)) add(name, stats);
        return { path, names, hasGit, complete: false, subfolders };
      }
      add(entry.name, entry);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) subfolders.push(entry.name);
    }
  } catch {
    // deleted meanwhile, or not readable
  }
  return { path, names, hasGit, complete: true, subfolders };
}

async function repositoryParts(folder: string): Promise<[name: string, stats: Stats][]> {
  const parts = await Promise.all(
    ['.git', ...BARE_PARTS].map(async (name) => {
      const stats = await lstat(join(folder, name)).catch(() => undefined);
      return stats ? ([[name, stats]] as [string, Stats][]) : [];
    }),
  );
  return parts.flat();
}
