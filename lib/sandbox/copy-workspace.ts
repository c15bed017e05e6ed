import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../errors/app-error.ts';
import { listFolder, openForReading } from './workspace-files.ts';

/** What a copy of a workspace may hold. */
export interface CopyLimits {
  /** Files and folders. Default: 20,000. */
  entries?: number;
  /** Default: 500 MB. */
  bytes?: number;
}

export interface CopiedWorkspace {
  files: number;
  bytes: number;
  /** Links, pipes and the like, and what vanished meanwhile: not copied. */
  leftOut: number;
}

/**
 * Copies a workspace into an empty folder. Links are neither followed nor copied, also when something is replaced by one
 * meanwhile: what a copy holds never comes from outside of the workspace (O5). The modes of files are kept.
 *
 * @throws {AppError} `workspace_too_large` when there is more than the limits allow; what was copied is left to the caller
 */
export async function copyWorkspace(
  from: string,
  to: string,
  limits: CopyLimits = {},
): Promise<CopiedWorkspace> {
  const { entries: maxEntries = 20_000, bytes: maxBytes = 500_000_000 } = limits;
  const copied: CopiedWorkspace = { files: 0, bytes: 0, leftOut: 0 };
  let seen = 0;
  const tooLarge = (what: string) =>
    new AppError({
      code: 'workspace_too_large',
      message: `The workspace ${from} holds more than ${what}, too much to copy.`,
      hint: 'Work in the same folder, or make room in it: build output and packages can be made anew.',
    });
  const waiting: string[][] = [[]];
  for (let steps = waiting.pop(); steps !== undefined; steps = waiting.pop()) {
    const { entries, complete } = await listFolder(from, steps, maxEntries - seen);
    seen += entries.length;
    if (!complete) throw tooLarge(`${maxEntries} files and folders`);
    for (const { name, type } of entries) {
      const path = [...steps, name];
      if (type === 'directory') {
        await mkdir(join(to, ...path), { mode: 0o755 });
        waiting.push(path);
      } else if (type === 'file') {
        const bytes = await copyFile(from, to, path, maxBytes - copied.bytes);
        if (bytes === 'too large') throw tooLarge(`${maxBytes / 1e6} MB`);
        if (bytes === undefined) copied.leftOut += 1;
        else Object.assign(copied, { files: copied.files + 1, bytes: copied.bytes + bytes });
      } else {
        copied.leftOut += 1;
      }
    }
  }
  return copied;
}

/** @returns the bytes copied; `undefined` when the file is no longer one, or nobody may read it */
async function copyFile(
  from: string,
  to: string,
  path: readonly string[],
  room: number,
): Promise<number | 'too large' | undefined> {
  const source = await openForReading(from, path).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!source) return undefined;
  try {
    if (source.stats.size > room) return 'too large';
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const target = await open(join(to, ...path), flags, source.stats.mode & 0o777);
    let bytes = 0;
    // A file that grows while it is read is copied as long as it was when it was opened.
    const end = source.stats.size - 1;
    if (end < 0) await target.close();
    else {
      const reading = source.file.createReadStream({ end, autoClose: false });
      const writing = target.createWriteStream();
      await pipeline(reading, writing);
      bytes = writing.bytesWritten;
    }
    return bytes;
  } finally {
    await source.file.close();
  }
}
