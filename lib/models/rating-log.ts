import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ratedText, ratingStudy } from '../api/rating.ts';
import { withRoomFor } from '../config/full-disk.ts';
import { AppError } from '../errors/app-error.ts';
import { FileLock } from '../store/sqlite/file-lock.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { jsonValue } from '../util/json.ts';
import { isNoSpace } from '../util/no-space.ts';

const createdLine = z.object({
  type: z.literal('created'),
  study: ratingStudy,
  /** Of a request with an idempotency key. */
  request_hash: z.string().optional(),
  /** Distinguishes the lines of requests with the same key. */
  attempt: z.string().optional(),
});
export type CreatedLine = z.infer<typeof createdLine>;

/** A line of a study's file. */
const ratingLine = z.discriminatedUnion('type', [
  createdLine,
  /** Models start or stop rating here. Earlier failures are retried. */
  z.object({ type: z.literal('running'), on: z.boolean() }),
  z.object({ type: z.literal('rated'), ...ratedText.shape }),
  z.object({ type: z.literal('failed'), rater: z.string(), run_id: z.string(), error: z.string() }),
]);
export type RatingLine = z.infer<typeof ratingLine>;
/** A line of a study that exists. */
export type LaterLine = Exclude<RatingLine, CreatedLine>;

const FILE = /^([\w-]+)\.jsonl$/;
/** A line is written again if a line of another process was interleaved with it. */
const MAX_TRIES = 5;

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
    const { lines, isDamaged, size } = await this.#read(id);
    if (isDamaged) throw this.#withoutBeginning(id);
    return { lines, size };
  }

  /** `isDamaged`: there are whole lines, but not the one that says what is rated. */
  async #read(id: string): Promise<{ lines: RatingLine[]; isDamaged: boolean; size: number }> {
    const path = this.#path(id);
    const bytes = await readFile(path)
      .catch(ignoreMissing)
      .catch((error: unknown) => {
        throw unreadable(path, errorMessage(error), error);
      });
    // Text after the last line break was cut off by a power failure or a killed process.
    const whole = (bytes?.toString('utf8') ?? '').split('\n').slice(0, -1);
    const lines = whole.flatMap((line) => {
      const read = ratingLine.safeParse(jsonValue(line));
      return read.success ? [read.data] : [];
    });
    const begin = lines.findIndex(({ type }) => type === 'created');
    return {
      lines: begin < 0 ? [] : lines.slice(begin),
      isDamaged: begin < 0 && whole.length > 0,
      size: bytes?.length ?? 0,
    };
  }

  #withoutBeginning(id: string): AppError {
    return unreadable(this.#path(id), 'Its first line, which says what is rated, is damaged.');
  }

  /**
   * The right to let models rate the texts of a study, among the processes with this data directory.
   *
   * @returns a function that releases it; `undefined` while another process has it
   */
  hold(id: string): (() => void) | undefined {
    const lock = FileLock.take(join(this.#folder, `${id}.lock`));
    return lock && (() => lock.release());
  }

  /**
   * Creates a study with its first lines and waits until they are on disk. Of the lines that several requests begin with, in
   * whatever process, the first whole one counts, so a request that was killed before its line was whole has created
   * nothing.
   *
   * @returns the size of the file in bytes; `exists` if another line counts, `deleted` if the study was deleted
   * @throws {AppError} `storage_full`, `rating_unreadable`
   */
  async create(line: CreatedLine, ...others: LaterLine[]): Promise<{ size: number } | 'exists' | 'deleted'> {
    const { id } = line.study;
    const path = this.#path(id);
    for (let tries = 0; ; tries += 1) {
      const { lines, size } = await this.#read(id);
      const [first] = lines;
      const isMine = first?.type === 'created' && first.attempt === line.attempt;
      if (first && !isMine) return 'exists';
      // Read before: a study is marked before its file is removed.
      if (await this.isDeleted(id)) {
        if (isMine) await rm(path, { force: true });
        return 'deleted';
      }
      if (isMine) return { size };
      if (tries === MAX_TRIES) throw this.#withoutBeginning(id);
      await withRoomFor(path, async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await appendLines(path, [line, ...others], { isNew: true });
      });
    }
  }

  /**
   * Appends a line and waits until it is on disk.
   *
   * @returns the size of the file in bytes, before and after, unless others have appended meanwhile
   * @throws {AppError} `storage_full`
   */
  async append(id: string, line: LaterLine): Promise<{ before: number; after: number } | undefined> {
    const path = this.#path(id);
    return withRoomFor(path, () => appendLines(path, [line], { isNew: false }));
  }

  /** @param options.marked leaves a mark, so that a repeated request does not create it again */
  async delete(id: string, { marked }: { marked: boolean }): Promise<void> {
    const mark = () => writeFile(this.#mark(id), '', { mode: 0o600, flush: true });
    // On a full disk, the file must be removed first.
    const late = marked && (await isWithoutRoom(mark));
    await rm(this.#path(id), { force: true });
    await rm(join(this.#folder, `${id}.lock`), { force: true });
    if (late) await withRoomFor(this.#mark(id), mark);
  }

  /** Whether a study was deleted that a repeated request would create again. */
  async isDeleted(id: string): Promise<boolean> {
    return (await stat(this.#mark(id)).catch(ignoreMissing)) !== undefined;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.jsonl`);
  }

  #mark(id: string): string {
    return join(this.#folder, `${id}.deleted`);
  }
}

/** Whether the disk has no room for a file. */
async function isWithoutRoom(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return false;
  } catch (error) {
    if (!isNoSpace(error)) throw error;
    return true;
  }
}

async function appendLines(
  path: string,
  lines: readonly RatingLine[],
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
    const bytes = Buffer.from(prefix + lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
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
