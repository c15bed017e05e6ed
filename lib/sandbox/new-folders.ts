import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errno } from '../util/errno.ts';
import { isGone, machineBoot, ownIdentity } from './server-identity.ts';
import { WORKSPACES_FOLDER } from './workspace.ts';

/** In the data directory: an empty file for each folder whose run is not stored yet, named after both and the server. */
const MARKS_FOLDER = 'new-workspaces';
const MARK = /^([a-z0-9][a-z0-9-]{0,63})\.(?:alone|([0-9a-f]+)-(\d+)-(\d+)-(\d+))$/;
/** The server of a mark, where only one at a time uses a data directory. */
const ALONE = 'alone';

/** A folder that was created for a run, or for a tool that is tried out. */
export interface NewFolder {
  path: string;
  /** Call immediately before its run is stored: from then on, only a person deletes it. */
  keep(): void;
  /** Deletes it. */
  discard(): Promise<void>;
}

/**
 * Creates the folders of new runs. Each is marked until its run is about to be stored, so that the next start removes what
 * a killed server was still filling, and nothing else: folders of deleted runs stay, and no store is asked, because
 * several can share a data directory.
 */
export class NewFolders {
  readonly #workspaces: string;
  readonly #marks: string;
  readonly #server: string;

  /** @param options.alone whether this server holds the lock of the data directory */
  constructor({ dataDir, alone }: { dataDir: string; alone: boolean }) {
    this.#workspaces = join(dataDir, WORKSPACES_FOLDER);
    this.#marks = join(dataDir, MARKS_FOLDER);
    const { space, pid, start } = ownIdentity();
    this.#server = alone ? ALONE : `${machineBoot() ?? '0'}-${space}-${pid}-${start}`;
  }

  /** Creates a folder. @param name of lower-case letters, digits and hyphens */
  async make(name: string): Promise<NewFolder> {
    const path = join(this.#workspaces, name);
    const mark = join(this.#marks, `${name}.${this.#server}`);
    // The data directory is on a local disk and in use: these calls take microseconds.
    const keep = () => rmSync(mark, { force: true });
    mkdirSync(this.#marks, { recursive: true, mode: 0o700 });
    writeFileSync(mark, '', { mode: 0o600 });
    const discard = async () => {
      await rm(path, { recursive: true, force: true });
      keep();
    };
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      keep();
      throw error;
    }
    return { path, keep, discard };
  }

  /**
   * Removes the folders that killed servers were still filling. Those of a server that may be running are left alone: one
   * of another machine, container or boot, with PostgreSQL. Call it before the first `make`. Never throws; what cannot be
   * removed is reported on the console.
   */
  async removeUnfinished(): Promise<void> {
    for (const mark of this.#marksNow()) {
      const [, name, boot, space, pid, start] = MARK.exec(mark) ?? [];
      if (name === undefined || !this.#isOfGone({ boot, space, pid, start })) continue;
      const path = join(this.#workspaces, name);
      try {
        await rm(path, { recursive: true, force: true });
        rmSync(join(this.#marks, mark));
      } catch (error) {
        console.warn(`The folder of a run that was not started may be left in ${path}:`, error);
      }
    }
  }

  #isOfGone({
    boot,
    space,
    pid,
    start,
  }: Record<'boot' | 'space' | 'pid' | 'start', string | undefined>): boolean {
    if (boot === undefined) return this.#server === ALONE;
    if (space === undefined || pid === undefined || start === undefined) return false;
    return boot === machineBoot() && isGone({ space, pid, start });
  }

  #marksNow(): string[] {
    try {
      return readdirSync(this.#marks);
    } catch (error) {
      if (errno(error) !== 'ENOENT') console.warn(`${this.#marks} cannot be read:`, error);
      return [];
    }
  }
}
