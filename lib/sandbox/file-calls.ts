import {
  close,
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fchmod,
  fchmodSync,
  fchown,
  fchownSync,
  fstat,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  open,
  opendirSync,
  openSync,
  read,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { lstat, mkdir, opendir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errno } from '../util/errno.ts';
import type { CallCost, SyncBudget } from './sync-budget.ts';

type Path = string | Buffer;

/** A system call that can be made immediately on the event loop, or later by the thread pool. */
interface FileCall extends CallCost {
  now(): void;
  later(): Promise<void>;
}

/**
 * An operation on files, written once for both ways of making its system calls: a generator that yields each call and
 * continues with its result or error.
 */
export type FileCalls<T> = Generator<FileCall, T, void>;

/** Performs an operation: on the event loop as far as the budget goes, otherwise in the thread pool. */
export async function perform<T>(operation: FileCalls<T>, budget?: SyncBudget): Promise<T> {
  let startedAt: number | undefined;
  const pause = () => {
    if (startedAt !== undefined) budget?.disk.tookMs(performance.now() - startedAt);
    startedAt = undefined;
  };
  try {
    for (let step = operation.next(); ; ) {
      if (step.done) return step.value;
      try {
        if (budget?.covers(step.value)) {
          startedAt ??= performance.now();
          step.value.now();
        } else {
          pause();
          const { waits } = step.value;
          await (waits && budget ? budget.disk.during(step.value.later()) : step.value.later());
        }
      } catch (error) {
        step = operation.throw(error);
        continue;
      }
      step = operation.next();
    }
  } finally {
    pause();
  }
}

function* call<T>(
  now: () => T,
  later: () => Promise<T>,
  { calls = 1, bytes = 0, waits = false, changes = false }: Partial<CallCost> = {},
): FileCalls<T> {
  let result!: T;
  yield {
    now: () => {
      result = now();
    },
    later: async () => {
      result = await later();
    },
    calls,
    bytes,
    waits,
    changes,
  };
  return result;
}

const pool = {
  open: promisify<Path, number, number | undefined, number>(open),
  close: promisify(close),
  fstat: promisify<number, Stats>(fstat),
  fchmod: promisify(fchmod),
  fchown: promisify(fchown),
  fsync: promisify(fsync),
  read: promisify(read),
  write: promisify(write),
};

export function openFd(path: Path, flags: number, mode?: number): FileCalls<number> {
  return call(
    () => openSync(path, flags, mode),
    () => pool.open(path, flags, mode),
    { changes: (flags & constants.O_CREAT) !== 0 },
  );
}

export function closeFd(fd: number): FileCalls<void> {
  return call(
    () => closeSync(fd),
    () => pool.close(fd),
  );
}

export function statFd(fd: number): FileCalls<Stats> {
  return call(
    () => fstatSync(fd),
    () => pool.fstat(fd),
  );
}

export function chmodFd(fd: number, mode: number): FileCalls<void> {
  return call(
    () => fchmodSync(fd, mode),
    () => pool.fchmod(fd, mode),
  );
}

export function chownFd(fd: number, { uid, gid }: { uid: number; gid: number }): FileCalls<void> {
  return call(
    () => fchownSync(fd, uid, gid),
    () => pool.fchown(fd, uid, gid),
  );
}

/** Waits until the file is on the disk; always in the thread pool. */
export function syncFd(fd: number): FileCalls<void> {
  return call(
    () => fsyncSync(fd),
    () => pool.fsync(fd),
    { waits: true },
  );
}

/** Fills the buffer from a position in the file. @returns the number of bytes read, 0 at the end of the file */
export function readFd(fd: number, buffer: Buffer, position: number): FileCalls<number> {
  return call(
    () => readSync(fd, buffer, 0, buffer.length, position),
    async () => (await pool.read(fd, buffer, 0, buffer.length, position)).bytesRead,
    { bytes: buffer.length },
  );
}

export function* writeFd(fd: number, data: Buffer): FileCalls<void> {
  for (let rest = data; rest.length > 0; ) {
    const next = rest;
    const written = yield* call(
      () => writeSync(fd, next),
      async () => (await pool.write(fd, next)).bytesWritten,
      { bytes: next.length },
    );
    rest = rest.subarray(written);
  }
}

/** Follows a link. */
export function statPath(path: Path): FileCalls<Stats> {
  return call(
    () => statSync(path),
    () => stat(path),
  );
}

/** Stats without following a link; `undefined` for a path that does not exist. */
export function* lstatPath(path: Path): FileCalls<Stats | undefined> {
  const [stats] = yield* lstatPaths([path]);
  return stats;
}

/** `lstatPath` of several paths, whose stats the thread pool reads side by side. */
export function lstatPaths(paths: readonly Path[]): FileCalls<(Stats | undefined)[]> {
  return call(
    () => paths.map((path) => lstatSync(path, { throwIfNoEntry: false })),
    () => Promise.all(paths.map(lstatIfThere)),
    { calls: paths.length },
  );
}

async function lstatIfThere(path: Path): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export function makeDirectory(path: string): FileCalls<void> {
  return call(
    () => mkdirSync(path),
    () => mkdir(path),
    { changes: true },
  );
}

export function realPath(path: string): FileCalls<string> {
  return call(
    () => realpathSync.native(path),
    () => realpath(path),
  );
}

/** @param freedBytes the size of the file that it replaces, whose space it frees */
export function renamePath(from: string, to: string, freedBytes: number): FileCalls<void> {
  return call(
    () => renameSync(from, to),
    () => rename(from, to),
    { bytes: freedBytes, changes: true },
  );
}

export function unlinkPath(path: string): FileCalls<void> {
  return call(
    () => unlinkSync(path),
    () => unlink(path),
    { waits: true }, // frees the file's space
  );
}

export function openDirectory(path: string, encoding: BufferEncoding): FileCalls<Dir> {
  return call(
    () => opendirSync(path, { encoding }),
    () => opendir(path, { encoding }),
  );
}

/** The next entries of a folder, at most `limit`; fewer at its end. */
export function nextEntries(dir: Dir, limit: number): FileCalls<Dirent[]> {
  return call(
    () => {
      const entries: Dirent[] = [];
      for (let entry = dir.readSync(); entry; entry = entries.length < limit ? dir.readSync() : null)
        entries.push(entry);
      return entries;
    },
    async () => {
      const entries: Dirent[] = [];
      for (let entry = await dir.read(); entry; entry = entries.length < limit ? await dir.read() : null)
        entries.push(entry);
      return entries;
    },
  );
}

export function closeDirectory(dir: Dir): FileCalls<void> {
  return call(
    () => dir.closeSync(),
    () => dir.close(),
  );
}
