import { realpathSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, relative, resolve } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { workspaceMoved } from './folder-handle.ts';
import { isHeld } from './held-workspace.ts';
import { expandHome } from './home-path.ts';

/** The only folder in the data directory that may contain workspaces: one is generated per run (K-33). */
export const WORKSPACES_FOLDER = 'workspaces';

const SYSTEM_FOLDERS = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/usr',
  '/var',
];

/**
 * Opens a folder as a workspace. Its path is canonicalized once, here; all tools start from it (O5).
 *
 * @param given an absolute path to an existing folder; a leading `~` means the home folder
 * @param options.dataDir the server's data directory; no workspace may contain it or be inside it, except
 * `workspaces/NAME`
 * @returns the canonical path
 * @throws {AppError} `workspace_relative`, `workspace_missing`, `workspace_not_a_folder`, `workspace_too_wide` or
 * `workspace_holds_data`
 */
export async function openWorkspace(given: string, options: { dataDir: string }): Promise<string> {
  const path = expandHome(given, homedir());
  if (isHeld(path, options.dataDir)) return path; // checked when it was opened
  if (path.includes('\0') || !isAbsolute(path)) {
    throw new AppError({
      code: 'workspace_relative',
      message: `The workspace "${path.replaceAll('\0', '\\0')}" is not an absolute path.`,
      hint: 'Give the full path of a folder, or one that begins with ~/ for your home folder.',
    });
  }
  // Looked up concurrently, because each call to the file system is a trip to another thread.
  const places = Promise.all([realpath(homedir()).catch(() => homedir()), canonicalDataDir(options.dataDir)]);
  places.catch(() => undefined); // thrown below, unless the folder itself is refused
  const workspace = await canonicalFolder(path);
  const [home, data] = await places;
  refuseTooWide(workspace, home);
  await refuseDataDirectory(workspace, data);
  return workspace;
}

/**
 * Opens the workspace of an existing run, which must still be at its canonical path. A command in a parent folder may
 * have replaced it by a link to anywhere.
 *
 * @throws {AppError} from `openWorkspace`, and `workspace_moved`
 */
export async function reopenWorkspace(path: string, options: { dataDir: string }): Promise<string> {
  const workspace = await openWorkspace(path, options);
  if (workspace !== path) throw workspaceMoved(path);
  return workspace;
}

/**
 * Whether a workspace is a folder that was created for one run, and not a person's. @param workspace a canonical path
 */
export function isGeneratedWorkspace(workspace: string, dataDir: string): boolean {
  return isGenerated(workspace, canonicalNow(dataDir) ?? resolve(dataDir));
}

/** Whether a folder was created for a run, and is not inside such a folder. @param folder a canonical path */
export function isWorkspaceOfRun(folder: string, dataDir: string): boolean {
  return dirname(folder) === canonicalNow(join(dataDir, WORKSPACES_FOLDER));
}

/**
 * The canonical path of a folder of the data directory, which is on a local disk and in use, so that the answer comes from
 * memory: a trip to the thread pool would take twenty times as long.
 */
function canonicalNow(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // it does not exist yet
  }
}

function isGenerated(workspace: string, data: string): boolean {
  const own = relative(join(data, WORKSPACES_FOLDER), workspace);
  return own !== '' && !own.startsWith('..') && !isAbsolute(own);
}

async function canonicalFolder(path: string): Promise<string> {
  let workspace: string;
  try {
    workspace = await realpath(path);
  } catch (cause) {
    throw new AppError({
      code: 'workspace_missing',
      message: `The workspace ${path} does not exist or cannot be reached.`,
      hint: 'Create the folder, or check its spelling and its permissions.',
      cause,
    });
  }
  if (!(await stat(workspace)).isDirectory()) {
    throw new AppError({
      code: 'workspace_not_a_folder',
      message: `The workspace ${path} is a file.`,
      hint: 'Give the folder that contains it.',
    });
  }
  return workspace;
}

function refuseTooWide(workspace: string, home: string): void {
  const isSystem = process.platform !== 'win32' && SYSTEM_FOLDERS.includes(workspace);
  if (workspace === parse(workspace).root || workspace === home || isSystem) {
    throw new AppError({
      code: 'workspace_too_wide',
      message: `${workspace} cannot be a workspace: a model could change everything in it.`,
      hint: 'Choose the folder of one project.',
    });
  }
}

async function canonicalDataDir(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return realpath(resolve(dataDir));
}

async function refuseDataDirectory(workspace: string, data: string): Promise<void> {
  if (isGenerated(workspace, data)) return;
  const nested = await Promise.all([isWithin(data, workspace), isWithin(workspace, data)]);
  if (nested.includes(true)) {
    throw new AppError({
      code: 'workspace_holds_data',
      message: `${workspace} cannot be a workspace: Loupe's own data is in ${data}.`,
      hint: 'Choose another folder, or set LOUPE_DATA_DIR to a place outside of it.',
    });
  }
}

/** Whether `inner` is `outer` or inside it, by device and inode, so that other mounts or spellings do not matter. */
async function isWithin(inner: string, outer: string): Promise<boolean> {
  const paths = [outer, inner];
  for (let folder = inner; folder !== dirname(folder); folder = dirname(folder)) paths.push(dirname(folder));
  const [target, ...folders] = await Promise.all(paths.map((path) => stat(path, { bigint: true })));
  return folders.some(({ dev, ino }) => dev === target?.dev && ino === target.ino);
}
