import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ratedText, ratingStudy } from '../api/rating.ts';
import { withRoomFor } from '../config/full-disk.ts';
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

  /** All studies with their lines. */
  async read(): Promise<Map<string, RatingLine[]>> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const studies = new Map<string, RatingLine[]>();
    for (const name of names) {
      const id = FILE.exec(name)?.[1];
      if (id === undefined) continue;
      const lines = (await readFile(join(this.#folder, name), 'utf8')).split('\n');
      // What follows the last line break was cut off with the power or the process.
      const kept = lines.slice(0, -1).flatMap((line) => {
        const read = ratingLine.safeParse(jsonValue(line));
        return read.success ? [read.data] : [];
      });
      if (kept[0]?.type === 'created') studies.set(id, kept);
    }
    return studies;
  }

  /** Appends a line and waits until it is on disk. @throws {AppError} `storage_full` */
  async append(id: string, line: RatingLine): Promise<void> {
    const path = join(this.#folder, `${id}.jsonl`);
    await withRoomFor(path, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await appendLine(path, JSON.stringify(line));
    });
  }

  async delete(id: string): Promise<void> {
    await rm(join(this.#folder, `${id}.jsonl`), { force: true });
  }
}

async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // A line that was cut off must not swallow the next.
    const prefix = size > 0 && last.toString() !== '\n' ? '\n' : '';
    // All of it: `write` reports no error if only a part had room.
    await file.appendFile(`${prefix}${line}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
