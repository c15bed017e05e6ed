import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ratedText, ratingStudy } from '../api/rating.ts';
import { withRoomFor } from '../config/full-disk.ts';
import { AppError } from '../errors/app-error.ts';
import { FileLock } from '../store/sqlite/file-lock.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { jsonValue } from '../util/json.ts';

/** A line of a study's file. */
const ratingLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('created'), study: ratingStudy }),
  /** Models rate from here on, or not. What failed before is tried again. */
  z.object({ type: z.literal('running'), on: z.boolean() }),
  z.object({ type: z.literal('rated'), ...ratedText.shape }),
  z.object({ type: z.literal('failed'), rater: z.string(), run_id: z.string(), error: z.string() }),
]);
export type RatingLine = z.infer<typeof ratingLine>;

const FILE = /^([\w-]+)\.jsonl$/;

/** Files to which lines are only appended, one per study. A line counts once it is on disk (docs/decisions/0068). */
export class RatingLog {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The studies, each with the size of its file in bytes. @throws {AppError} `rating_unreadable` */
  async sizes(): Promise<Map<string, number>> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errno(error) === 'ENOENT') return [];
      throw unreadable(this.#folder, errorMessage(error), error);
    });
    const sizes = new Map<string, number>();
    for (const name of names) {
      const id = FILE.exec(name)?.[1];
      if (id === undefined) continue;
      const found = await stat(join(this.#folder, name)).catch(ignoreMissing);
      if (found) sizes.set(id, found.size);
    }
    return sizes;
  }

  /**
   * The lines of a study, none if it was deleted meanwhile, and the size of what was read in bytes.
   *
   * @throws {AppError} `rating_unreadable`
   */
  async read(id: string): Promise<{ lines: RatingLine[]; size: number }> {
    const path = this.#path(id);
    const bytes = await readFile(path)
      .catch(ignoreMissing)
      .catch((error: unknown) => {
        throw unreadable(path, errorMessage(error), error);
      });
    const lines = (bytes?.toString('utf8') ?? '').split('\n');
    // Text after the last line break was cut off by a power failure or a killed process.
    const kept = lines.slice(0, -1).flatMap((line) => {
      const read = ratingLine.safeParse(jsonValue(line));
      return read.success ? [read.data] : [];
    });
    if (lines.length > 1 && kept[0]?.type !== 'created') {
      throw unreadable(path, 'Its first line is damaged, which says what is rated.');
    }
    return { lines: kept, size: bytes?.length ?? 0 };
  }

  /**
   * The right to let models rate the texts of a study, among the processes with this data directory.
   *
   * @returns what gives it back; `undefined` while another process has it
   */
  hold(id: string): (() => void) | undefined {
    const lock = FileLock.take(join(this.#folder, `${id}.lock`));
    return lock && (() => lock.release());
  }

  /**
   * Appends a line and waits until it is on disk.
   *
   * @returns the size of the file in bytes, before and after, unless others have appended meanwhile
   * @throws {AppError} `storage_full`
   */
  async append(id: string, line: RatingLine): Promise<{ before: number; after: number } | undefined> {
    const path = this.#path(id);
    const isNew = line.type === 'created';
    return withRoomFor(path, async () => {
      if (isNew) await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      return appendLine(path, JSON.stringify(line), { isNew });
    });
  }

  async delete(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
    await rm(join(this.#folder, `${id}.lock`), { force: true });
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.jsonl`);
  }
}

async function appendLine(
  path: string,
  line: string,
  { isNew }: { isNew: boolean },
): Promise<{ before: number; after: number } | undefined> {
  // Only its first line makes the file: a study that another process has deleted stays deleted.
  const flags = constants.O_RDWR | constants.O_APPEND | (isNew ? constants.O_CREAT : 0);
  const file = await open(path, flags, 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // A line that was cut off must not swallow the next.
    const prefix = size > 0 && last.toString() !== '\n' ? '\n' : '';
    // All of it: `write` reports no error if only a part had room.
    const bytes = Buffer.from(`${prefix}${line}\n`);
    await file.appendFile(bytes);
    await file.datasync();
    const { size: after } = await file.stat();
    return after === size + bytes.length ? { before: size, after } : undefined;
  } finally {
    await file.close();
  }
}

function unreadable(path: string, why: string, cause?: unknown): AppError {
  return new AppError({
    code: 'rating_unreadable',
    message: `${path} cannot be read: ${why}`,
    hint: 'Make it readable, restore it from a backup, or move it away. Then restart Loupe.',
    cause,
  });
}

function ignoreMissing(error: unknown): undefined {
  if (errno(error) !== 'ENOENT') throw error;
}
