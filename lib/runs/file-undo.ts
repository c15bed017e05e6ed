import type {
  ChangedFile,
  ChangedFilesReply,
  FileState,
  RevertReply,
  RevertRequest,
} from '../api/changed-files.ts';
import { AppError } from '../errors/app-error.ts';
import type { FileBefore } from '../events/changed-file.ts';
import { type FileChange, fileChanges } from '../events/file-changes.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { MAX_KEPT_BYTES } from '../events/limits.ts';
import { reopenWorkspace } from '../sandbox/workspace.ts';
import { type FoundBefore, readBefore, removeFile, replaceFile } from '../sandbox/workspace-files.ts';
import { overlap, withWorkspaceLock } from '../sandbox/workspace-lock.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { RunReader } from '../store/run-store.ts';
import type { RunLookup } from './run-lookup.ts';

export interface FileUndoOptions {
  stored: Pick<RunLookup, 'get' | 'log'>;
  store: Pick<RunReader, 'unfinished'>;
  dataDir: string;
}

/** A change, with the file's content before it and now. */
interface Compared extends ChangedFile {
  before: Before | undefined;
  found: FoundBefore | undefined;
}

/**
 * Shows which files the tools of an ended run changed, and restores their earlier content. Everything follows from the
 * log and the disk, so nothing is recorded, and reverting twice changes nothing and says so.
 */
export class FileUndo {
  readonly #options: FileUndoOptions;

  constructor(options: FileUndoOptions) {
    this.#options = options;
  }

  /** @throws {RunNotFoundError} */
  async list(runId: string): Promise<ChangedFilesReply> {
    const { workspace, changes } = await this.#changesOf(runId);
    const refused = changes.length === 0 ? undefined : await this.#refusal(runId);
    if (refused) {
      return {
        workspace,
        files: changes.map((change) => ({ ...shownChange(change), state: 'unknown', revertible: false })),
        refused: {
          code: refused.code,
          message: refused.message,
          ...(refused.hint && { hint: refused.hint }),
          ...(refused instanceof FolderInUseError && { run_id: refused.runId }),
        },
      };
    }
    return { workspace, files: (await compareAll(workspace, changes)).map(shownFile) };
  }

  /**
   * Reverts files that are still as the run left them; others are left alone.
   *
   * @throws {AppError} `run_not_found`, `run_not_ended`, `imported_workspace`, `folder_in_use`, `file_not_changed`, or
   * why the workspace cannot be opened
   */
  async revert(runId: string, { paths }: RevertRequest): Promise<RevertReply> {
    const { workspace, changes } = await this.#changesOf(runId);
    const chosen = paths ? changes.filter(({ path }) => paths.includes(path)) : changes;
    const unknown = paths?.find((path) => !changes.some((change) => change.path === path));
    if (unknown !== undefined) throw notChanged(runId, unknown);
    // This includes runs without a folder, such as explorations.
    if (changes.length === 0) return { workspace, files: [], reverted: [], left: [] };
    const refused = await this.#refusal(runId);
    if (refused) throw refused;
    const reverted: string[] = [];
    const left: RevertReply['left'] = [];
    await withWorkspaceLock(workspace, undefined, async () => {
      for (const file of await compareAll(workspace, chosen)) {
        const why = await revertOne(workspace, file);
        if (why === undefined) reverted.push(file.path);
        else left.push({ path: file.path, message: why });
      }
    });
    return { workspace, files: (await compareAll(workspace, changes)).map(shownFile), reverted, left };
  }

  async #changesOf(runId: string): Promise<{ workspace: string; changes: FileChange[] }> {
    const { config } = await this.#options.stored.get(runId);
    let timeline = emptyTimeline;
    for await (const events of this.#options.stored.log(runId)) timeline = foldTimeline(timeline, events);
    return { workspace: config.workspace, changes: fileChanges(timeline.rows) };
  }

  /** Why the files of a run cannot be reverted now. */
  async #refusal(runId: string): Promise<AppError | undefined> {
    const { stored, store, dataDir } = this.#options;
    const { run, config } = await stored.get(runId);
    if (run.imported_at !== undefined) return imported(runId);
    if (run.phase !== 'ended') return notEnded(runId);
    try {
      await reopenWorkspace(config.workspace, { dataDir });
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    for (const other of await store.unfinished()) {
      const { workspace } = (await stored.get(other.id)).config;
      // Explorations have none.
      if (workspace !== '' && overlap(workspace, config.workspace)) return new FolderInUseError(other.id);
    }
    return undefined;
  }
}

async function compareAll(workspace: string, changes: readonly FileChange[]): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const change of changes) compared.push(await compare(workspace, change));
  return compared;
}

async function compare(workspace: string, change: FileChange): Promise<Compared> {
  const found = await readBefore(workspace, workspaceSteps(change.path), MAX_KEPT_BYTES);
  const before = beforeOf(change);
  const state = stateOf(found, before, change.after.text);
  return {
    ...shownChange(change),
    state,
    revertible: state === 'as_left' && before !== undefined,
    before,
    found,
  };
}

function stateOf(found: FoundBefore | undefined, before: Before | undefined, after: string): FileState {
  if (!found || (found.stats && !found.data)) return 'unknown';
  if (holds(found, before)) return 'as_before';
  if (found.data?.equals(Buffer.from(after))) return 'as_left';
  return found.data ? 'changed' : 'missing';
}

/** @returns why the file is left as it is; `undefined` if it was reverted */
async function revertOne(
  workspace: string,
  { path, before, found, state }: Compared,
): Promise<string | undefined> {
  if (state !== 'as_left' || !found) return LEFT[state];
  if (!before) return 'The log does not have what the file held before.';
  const steps = workspaceSteps(path);
  try {
    if (before.kind === 'absent') await removeFile(workspace, steps, found);
    else await replaceFile(workspace, steps, before.data, { found });
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const LEFT: Readonly<Record<FileState, string>> = {
  as_before: 'The file is already as it was before the run.',
  as_left: 'The file could not be read.',
  changed: 'The file has changed since the run.',
  missing: 'The file has been removed since the run.',
  unknown: 'The file cannot be read, or is too large to compare.',
};

type Before = { kind: 'absent' } | { kind: 'file'; data: Buffer };

/** A file's content before the run; `undefined` if the log does not have it. */
function beforeOf({ rows }: FileChange): Before | undefined {
  const before: FileBefore | undefined = rows[0]?.file?.before;
  switch (before?.kind) {
    case 'absent':
      return before;
    case 'text':
      return { kind: 'file', data: Buffer.from(before.text) };
    case 'binary':
      return { kind: 'file', data: Buffer.from(before.base64, 'base64') };
    default:
      return undefined;
  }
}

function holds({ stats, data }: FoundBefore, before: Before | undefined): boolean {
  if (before?.kind === 'absent') return stats === undefined;
  return before !== undefined && data?.equals(before.data) === true;
}

function shownChange(change: FileChange): Pick<ChangedFile, 'path' | 'calls' | 'kept'> {
  return { path: change.path, calls: change.rows.length, kept: beforeOf(change) !== undefined };
}

function shownFile({ path, calls, state, kept, revertible }: Compared): ChangedFile {
  return { path, calls, state, kept, revertible };
}

function imported(runId: string): AppError {
  return new AppError({
    code: 'imported_workspace',
    message: `Run ${runId} was imported, so the folder it names is not its own.`,
    hint: 'Its changes can be looked through, but not reverted here.',
  });
}

function notEnded(runId: string): AppError {
  return new AppError({
    code: 'run_not_ended',
    message: `Run ${runId} has not ended.`,
    hint: 'Its changes can be reverted once it has ended. Stop it, or wait.',
  });
}

class FolderInUseError extends AppError {
  /** The run that works in the folder. */
  readonly runId: string;

  constructor(runId: string) {
    super({
      code: 'folder_in_use',
      message: `Run ${runId} is working in this folder.`,
      hint: 'Changes can be reverted once it has ended. Wait, or stop it.',
    });
    this.runId = runId;
  }
}

function notChanged(runId: string, path: string): AppError {
  return new AppError({
    code: 'file_not_changed',
    message: `Run ${runId} did not change "${path}".`,
    hint: `GET /api/runs/${runId}/files lists the files it changed.`,
  });
}
