import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { summarizeToolCheck, type ToolCheck, type ToolCheckSummary, toolCheck } from '../api/tool-check.ts';
import { replaceFile } from '../config/replace-file.ts';
import { errno } from '../util/errno.ts';
import { jsonValue } from '../util/json.ts';

/** Stored checks; the oldest are removed beyond that. */
const MAX_CHECKS = 200;

/** Checks of tools, one file each, next to the configuration of their servers. */
export class ToolCheckFiles {
  readonly #folder: string;
  /** A cache by ID: a stored check never changes, its evidence can have megabytes, and the list is polled. */
  readonly #summaries = new Map<string, ToolCheckSummary>();

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'tool-checks');
  }

  /** The figures of the stored checks, oldest first; a file that is not one is left out. */
  async summaries(): Promise<ToolCheckSummary[]> {
    const ids = await this.#ids();
    for (const id of ids) {
      const check = this.#summaries.has(id) ? undefined : await this.get(id);
      if (check) this.#summaries.set(id, summarizeToolCheck(check));
    }
    return ids.flatMap((id) => this.#summaries.get(id) ?? []).sort((a, b) => a.ended_at - b.ended_at);
  }

  async get(id: string): Promise<ToolCheck | undefined> {
    if (!toolCheck.shape.id.safeParse(id).success) return undefined;
    try {
      return toolCheck.safeParse(jsonValue(await readFile(this.#path(id), 'utf8'))).data;
    } catch (error) {
      if (errno(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** @throws {AppError} `storage_full` */
  async save(check: ToolCheck): Promise<void> {
    await replaceFile(this.#path(check.id), JSON.stringify(toolCheck.parse(check)));
    const old = (await this.#ids()).sort().slice(0, -MAX_CHECKS);
    await Promise.all(old.map((id) => this.remove(id)));
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
    this.#summaries.delete(id);
  }

  /** IDs begin with the time, so their order is that of the checks. */
  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errno(error) === 'ENOENT') return [];
      throw error;
    });
    return names.flatMap((name) => /^([\w-]{1,100})\.json$/.exec(name)?.[1] ?? []);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
