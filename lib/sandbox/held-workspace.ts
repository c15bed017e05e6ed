import { lstatSync, readlinkSync } from 'node:fs';
import { type FileHandle, readFile } from 'node:fs/promises';
import { openCanonical } from './folder-handle.ts';
import { KnownFolders } from './known-folders.ts';
import { isOnLocalDisk, readMounts } from './mounts.ts';
import { LocalDisk, type SyncBudget } from './sync-budget.ts';

/** How long a workspace stays open after its last run, for a run that follows immediately, in milliseconds. */
export const LINGER_MS = 1000;

interface HeldFolder {
  readonly path: string;
  readonly handle: FileHandle;
  readonly inode: number;
  readonly disk: LocalDisk;
  /** Folders inside it that stay open with it. */
  readonly known: KnownFolders;
  /** Runs that hold it, and operations in progress. It is closed `LINGER_MS` after the last of them. */
  users: number;
  /** The data directory for which `openWorkspace` allowed it. */
  readonly dataDir: string;
  /** Closes it. */
  closing?: NodeJS.Timeout;
}

const heldFolders = new Map<string, HeldFolder>();
const disks = new Map<number, LocalDisk>();

/** A workspace that is held open. */
export interface HeldWorkspace {
  release(): Promise<void>;
}

/**
 * Opens a workspace for the duration of a run, so that file operations in it need not walk to it each time, and may make
 * their first calls on the event loop (`SyncBudget`). Runs in the same workspace share one descriptor.
 *
 * That changes no result: each operation first makes sure that the path still leads to the open folder. If the folder has
 * been moved or replaced, operations walk to the path again, as they do in a workspace that nobody holds.
 *
 * Only a workspace on a local disk is held (`isOnLocalDisk`), and only on Linux. Elsewhere this does nothing.
 *
 * @param path from `openWorkspace`, with this data directory
 * @throws {AppError} `workspace_moved`
 */
export async function holdWorkspace(path: string, dataDir: string): Promise<HeldWorkspace> {
  const folder = enter(path) ?? (await open(path, dataDir));
  return {
    async release() {
      if (folder) await leave(folder);
    },
  };
}

/**
 * Opens a workspace for a run that will hold it shortly.
 *
 * @throws {AppError} like `holdWorkspace`
 */
export async function openAhead(path: string, dataDir: string): Promise<void> {
  const held = await holdWorkspace(path, dataDir);
  await held.release();
}

/** Whether the path leads to a workspace that is still open: then it is canonical, and `openWorkspace` has allowed it. */
export function isHeld(path: string, dataDir: string): boolean {
  const folder = heldFolders.get(path);
  return folder !== undefined && folder.dataDir === dataDir && isStillThere(folder);
}

/** A held workspace, or a folder in it, during one operation. */
interface EnteredFolder {
  fd: number;
  /** `undefined` if all calls must be left to the thread pool. */
  budget: SyncBudget | undefined;
  leave(): Promise<void>;
}

/** Enters a workspace for one operation, if it is held and its path still leads to it. */
export function enterHeldWorkspace(path: string): (EnteredFolder & { known: KnownFolders }) | undefined {
  const folder = enter(path);
  if (!folder) return undefined;
  const { handle, disk, known } = folder;
  return { fd: handle.fd, budget: disk.budget(), known, leave: () => leave(folder) };
}

/** Enters a folder of a held workspace for one operation, if an earlier one has walked to it and it is still in its place. */
export function enterKnownFolder(path: string, steps: readonly string[]): EnteredFolder | undefined {
  const workspace = heldFolders.get(path);
  const entered = workspace?.known.enter(steps);
  if (!workspace || !entered) return undefined;
  use(workspace);
  return {
    fd: entered.fd,
    budget: workspace.disk.budget(),
    leave: () => {
      entered.leave();
      return leave(workspace);
    },
  };
}

function enter(path: string): HeldFolder | undefined {
  const folder = heldFolders.get(path);
  if (!folder) return undefined;
  if (!isStillThere(folder)) {
    heldFolders.delete(path);
    if (folder.users === 0) void closeUnused(folder);
    return undefined;
  }
  use(folder);
  return folder;
}

function use(folder: HeldFolder): void {
  clearTimeout(folder.closing);
  folder.users += 1;
}

async function leave(folder: HeldFolder): Promise<void> {
  folder.users -= 1;
  if (folder.users > 0) return;
  if (heldFolders.get(folder.path) !== folder) await closeUnused(folder);
  else folder.closing = setTimeout(() => void closeUnused(folder), LINGER_MS).unref();
}

/** Closes a workspace that no run and no operation uses. */
async function closeUnused(folder: HeldFolder): Promise<void> {
  clearTimeout(folder.closing);
  if (heldFolders.get(folder.path) === folder) heldFolders.delete(folder.path);
  folder.known.close();
  await folder.handle.close();
}

async function open(path: string, dataDir: string): Promise<HeldFolder | undefined> {
  if (process.platform !== 'linux') return undefined;
  if (!isOnLocalDisk(path, readMounts(await readFile('/proc/self/mountinfo', 'utf8')))) return undefined;
  const handle = await openCanonical(path);
  const { dev, ino } = await handle.stat();
  const opened = {
    path,
    dataDir,
    handle,
    inode: ino,
    disk: diskOf(dev),
    known: new KnownFolders(path),
    users: 1,
  };
  const other = enter(path);
  if (!other) heldFolders.set(path, opened);
  else await handle.close(); // another run was faster
  return other ?? opened;
}

function diskOf(device: number): LocalDisk {
  const disk = disks.get(device) ?? new LocalDisk(device);
  disks.set(device, disk);
  return disk;
}

/**
 * The kernel reports the current path of an open folder, which differs if the folder or one above it was moved,
 * replaced by a link or deleted. The second check notices a file system that has been mounted over it.
 */
function isStillThere({ path, handle, inode, disk }: HeldFolder): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${handle.fd}`) !== path) return false;
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.ino === inode && found.dev === disk.device;
  } catch {
    return false; // walking to it will report the problem
  }
}
