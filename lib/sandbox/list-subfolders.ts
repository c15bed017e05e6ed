import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';

/** Limits for listing a folder. */
export interface ListingLimits {
  /** Max entries read. Default: 20,000. */
  entries?: number;
  /** Max subfolders returned. Default: 1000. */
  folders?: number;
  /** Links that are followed to see whether they lead to a folder. Default: 200. */
  links?: number;
}

interface Subfolder {
  name: string;
  /** A link to a folder. */
  link?: true;
}

export interface FolderListing {
  /** Canonical path. */
  path: string;
  /** Sorted by name. */
  folders: Subfolder[];
  /** Entries that are not folders. */
  files: number;
  /** Folders whose name starts with a dot, if they were left out. */
  hidden: number;
  /** `false` if a limit was reached: there may be more folders. */
  complete: boolean;
}

/** Names are read as bytes, one character each: not every name on Linux is Unicode. */
const ENCODING = process.platform === 'linux' ? 'latin1' : 'utf8';
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Lists the subfolders of a folder. Opens no file, follows links only to see whether they lead to a folder, and skips names
 * that are not Unicode, because no path in JSON can name them.
 *
 * @param path absolute
 * @param options.hidden also lists names that start with a dot
 * @throws {AppError} `folder_relative`, `folder_missing`, `folder_is_a_file`, `folder_unreadable`
 */
export async function listSubfolders(
  path: string,
  { hidden = false, limits = {} }: { hidden?: boolean; limits?: ListingLimits } = {},
): Promise<FolderListing> {
  const { entries: maxEntries = 20_000, folders: maxFolders = 1000, links: maxLinks = 200 } = limits;
  if (path.includes('\0') || !isAbsolute(path)) throw notAbsolute(path);
  const folder = await explained(path, () => realpath(path));
  const { folders, links, files, complete } = await explained(path, () => readNames(folder, maxEntries));
  const followed = await linkedFolders(folder, links.slice(0, maxLinks));
  const all = [...folders.map((name) => ({ name })), ...followed];
  const shown = hidden ? all : all.filter(({ name }) => !name.startsWith('.'));
  shown.sort((a, b) => byName.compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
  return {
    path: folder,
    folders: shown.slice(0, maxFolders),
    files: files + Math.min(links.length, maxLinks) - followed.length,
    hidden: all.length - shown.length,
    complete: complete && shown.length <= maxFolders && links.length <= maxLinks,
  };
}

async function readNames(folder: string, maxEntries: number) {
  const folders: string[] = [];
  const links: string[] = [];
  let files = 0;
  let seen = 0;
  // Closes itself when the loop ends.
  for await (const entry of await opendir(folder, { encoding: ENCODING, bufferSize: 256 })) {
    if (seen === maxEntries) return { folders, links, files, complete: false };
    seen += 1;
    const name = unicodeName(entry);
    if (name === undefined) continue;
    if (entry.isDirectory()) folders.push(name);
    else if (entry.isSymbolicLink()) links.push(name);
    else files += 1;
  }
  return { folders, links, files, complete: true };
}

function unicodeName({ name }: Dirent): string | undefined {
  if (ENCODING === 'utf8') return name;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(name, ENCODING));
  } catch {
    return undefined;
  }
}

/** The links that lead to a folder. Broken, circular or unreadable links don't. */
async function linkedFolders(folder: string, names: readonly string[]): Promise<Subfolder[]> {
  const found: Subfolder[] = [];
  // One after another, so that a slow disk keeps only one thread busy.
  for (const name of names) {
    const leadsToFolder = await stat(join(folder, name)).then(
      (target) => target.isDirectory(),
      () => false,
    );
    if (leadsToFolder) found.push({ name, link: true });
  }
  return found;
}

function notAbsolute(path: string): AppError {
  return new AppError({
    code: 'folder_relative',
    message: `"${path.replaceAll('\0', '\\0')}" is not an absolute path.`,
    hint: 'Give the full path of a folder, or one that begins with ~/ for your home folder.',
  });
}

async function explained<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw explain(path, cause);
  }
}

function explain(path: string, cause: unknown): unknown {
  const say = (code: string, message: string, hint: string) => new AppError({ code, message, hint, cause });
  switch (errno(cause)) {
    case 'ENOENT':
    case 'ENAMETOOLONG':
      return say('folder_missing', `The folder ${path} does not exist.`, 'Check its spelling.');
    case 'ELOOP':
      return say('folder_missing', `The link ${path} leads back to itself.`, 'Choose another folder.');
    case 'ENOTDIR':
      return say('folder_is_a_file', `${path} is a file.`, 'Give the folder that contains it.');
    case 'EACCES':
    case 'EPERM':
      return say(
        'folder_unreadable',
        `Loupe may not read the folder ${path}.`,
        'Change its permissions, or choose another folder.',
      );
    default:
      return cause;
  }
}
