import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { AppError } from '../errors/app-error.ts';
import type { FileBefore } from '../events/changed-file.ts';
import { MAX_KEPT_BYTES } from '../events/limits.ts';
import { type FoundBefore, readBefore } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { KnownFiles } from './tool.ts';

/**
 * The files that a run changes with its tools. Reads their content before the change, and remembers what the run's own
 * last write left there, so that it is not logged again. Lost at a restart, which only costs space in the log.
 */
export class ChangedFiles implements KnownFiles {
  readonly #workspace: string;
  readonly #found = new Map<string, FoundBefore>();
  readonly #written = new Map<string, string>();

  /** @param workspace from `openWorkspace` */
  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /**
   * The current content of a file.
   *
   * @param path as the model wrote it
   * @returns `undefined` for a path that the call will refuse
   */
  async before(path: string): Promise<{ path: string; before: FileBefore } | undefined> {
    const steps = stepsOf(path);
    if (!steps) return undefined;
    const key = steps.join('/');
    const found = await readBefore(this.#workspace, steps, MAX_KEPT_BYTES);
    if (!found) return undefined;
    this.#found.set(key, found);
    return { path: key, before: this.#describe(key, found) };
  }

  /** The result of `before`, which can be taken once. */
  takeFound(steps: readonly string[]): FoundBefore | undefined {
    const key = steps.join('/');
    const found = this.#found.get(key);
    this.#found.delete(key);
    return found;
  }

  wrote(steps: readonly string[], data: Buffer): void {
    this.#written.set(steps.join('/'), digest(data));
  }

  #describe(key: string, { stats, data }: FoundBefore): FileBefore {
    if (!stats) return { kind: 'absent' };
    if (!data) return { kind: 'not_kept', size_bytes: stats.size };
    if (this.#written.get(key) === digest(data)) return { kind: 'unchanged' };
    return isUtf8(data) && !data.includes(0)
      ? { kind: 'text', text: data.toString('utf8') }
      : { kind: 'binary', base64: data.toString('base64') };
  }
}

function stepsOf(path: string): readonly string[] | undefined {
  try {
    return workspaceSteps(path);
  } catch (error) {
    if (error instanceof AppError) return undefined; // the call itself says what is wrong
    throw error;
  }
}

function digest(data: Buffer): string {
  return createHash('sha256').update(data).digest('base64');
}
