import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FolderReply, RecentFoldersReply } from '../api/folder.ts';
import { AppError } from '../errors/app-error.ts';
import { expandHome } from '../sandbox/home-path.ts';
import { listSubfolders } from '../sandbox/list-subfolders.ts';
import { openWorkspace } from '../sandbox/workspace.ts';
import type { RunReader } from '../store/run-store.ts';
import { errno } from '../util/errno.ts';

/** How long to wait for a disk, such as a lost network share. */
const ANSWER_WITHIN_MS = 5000;
/** How long the list of recent folders waits for each. */
const GLANCE_MS = 500;
/** Max concurrent lookups: each can occupy a thread of the pool until its disk answers. */
const MAX_LOOKUPS = 2;
const RECENT_RUNS = 300;
const RECENT_FOLDERS = 8;

export interface FoldersOptions {
  store: Pick<RunReader, 'usedFolders'>;
  dataDir: string;
  /** Absolute path of the operator's home folder. */
  home: string;
  /** Default: 5 s. */
  answerWithinMs?: number;
}

/** The folders of this machine, for choosing the workspace of a run: names only, never the content of a file. */
export class Folders {
  readonly #options: FoldersOptions;
  readonly #waiting = new Set<() => void>();
  #lookups = 0;

  constructor(options: FoldersOptions) {
    this.#options = options;
  }

  /**
   * Lists the subfolders of a folder.
   *
   * @param path absolute, or beginning with `~`; default: the home folder
   * @throws {AppError} `folder_…`
   */
  browse(path: string | undefined, options: { hidden: boolean }): Promise<FolderReply> {
    const { dataDir, home } = this.#options;
    const asked = expandHome(path ?? home, home);
    return this.#within(asked, async () => {
      const { path: folder, folders, ...counts } = await listSubfolders(asked, options);
      const parent = dirname(folder);
      return {
        path: folder,
        ...(parent === folder ? {} : { parent }),
        home,
        folders: folders.map((entry) => ({ ...entry, path: join(folder, entry.name) })),
        ...counts,
        ...(await refusalOf(openWorkspace(folder, { dataDir }))),
      };
    });
  }

  /** The folders that people chose for earlier runs and that still exist, most recently used first. */
  async recent(): Promise<RecentFoldersReply> {
    const { store } = this.#options;
    const folders: RecentFoldersReply['folders'] = [];
    for (const { path, usedAt } of await store.usedFolders(RECENT_RUNS)) {
      if (folders.length === RECENT_FOLDERS) break;
      if (this.#isOwn(path) || folders.some((folder) => folder.path === path)) continue;
      if (!(await this.#isGone(path))) folders.push({ path, used_at: usedAt });
    }
    return { folders };
  }

  /** Whether Loupe created the folder for a run. */
  #isOwn(path: string): boolean {
    return path.startsWith(join(this.#options.dataDir, '/'));
  }

  /** Whether the folder no longer exists. `false` if the disk doesn't answer. */
  async #isGone(path: string): Promise<boolean> {
    try {
      return !(await this.#within(path, () => stat(path), GLANCE_MS)).isDirectory();
    } catch (error) {
      return errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR';
    }
  }

  async #within<Result>(
    path: string,
    work: () => Promise<Result>,
    answerWithinMs = this.#options.answerWithinMs ?? ANSWER_WITHIN_MS,
  ): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const isWaiting = this.#waiting.delete(begin);
      reject(isWaiting ? busy() : notResponding(path, answerWithinMs));
    }, answerWithinMs);
    const { promise: working, resolve } = Promise.withResolvers<Result>();
    const begin = () => resolve(this.#lookUp(work));
    working.catch(() => undefined); // not awaited after the deadline
    if (this.#lookups < MAX_LOOKUPS) begin();
    else this.#waiting.add(begin);
    try {
      return await Promise.race([working, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookUp<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#lookups += 1;
    try {
      return await work();
    } finally {
      this.#lookups -= 1;
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next();
      }
    }
  }
}

async function refusalOf(opening: Promise<string>): Promise<Pick<FolderReply, 'refused'>> {
  try {
    await opening;
    return {};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    return { refused: { code, message, hint } };
  }
}

function busy(): AppError {
  return new AppError({
    code: 'folder_busy',
    message: 'Other folders are being read, and their disks are slow to answer.',
    hint: 'Try again in a moment.',
  });
}

function notResponding(path: string, ms: number): AppError {
  return new AppError({
    code: 'folder_not_responding',
    message: `The disk of ${path} did not answer within ${ms / 1000} s.`,
    hint: 'Check whether it is connected, or choose another folder.',
  });
}
