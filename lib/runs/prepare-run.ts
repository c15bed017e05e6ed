import { join } from 'node:path';
import type { NewRun } from '../api/create-run.ts';
import type { ServerTools } from '../api/tools.ts';
import { withRoomFor } from '../config/full-disk.ts';
import type { CommandTool } from '../events/command-tool.ts';
import type { ModelPrice, RunConfig } from '../events/config.ts';
import { kindFacts, kindOf } from '../events/modes.ts';
import type { EventOf } from '../events/registry.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { copyWorkspace } from '../sandbox/copy-workspace.ts';
import { openAhead } from '../sandbox/held-workspace.ts';
import type { NewFolders } from '../sandbox/new-folders.ts';
import { isWorkspaceOfRun, openWorkspace, WORKSPACES_FOLDER } from '../sandbox/workspace.ts';
import { writeNewFiles } from '../sandbox/write-new-files.ts';

/** Whether the request needs a new folder as workspace. */
export function hasFreshWorkspace({ workspace, workspace_copy }: NewRun): boolean {
  return workspace === undefined || workspace_copy === true;
}

export interface PreparedRun {
  config: RunConfig;
  /** Set when the workspace is a copy. */
  copied?: EventOf<'run.created'>['copied'];
  /** The person's folder that the run works in, or on a copy of. */
  folder?: string | undefined;
  /** Call before the run is stored: the next start no longer deletes its new folder. */
  keep(): void;
  /** Deletes the new folder if the run is not created. */
  discard(): Promise<void>;
}

interface PrepareOptions {
  runId: string;
  dataDir: string;
  folders: NewFolders;
  offeredTools: readonly string[];
  alwaysAsk?: readonly string[];
  servers?: readonly ServerTools[];
  commandTools?: readonly CommandTool[];
  price?: ModelPrice;
  /** Files to write into the new folder: the text of each by its path. Ignored if the workspace is not new. */
  files?: Readonly<Record<string, string>> | undefined;
}

/**
 * Resolves a request to a run configuration. Without a workspace, or for a copy of one, creates a folder named after the
 * run in the data directory (K-33).
 *
 * @throws {AppError} `workspace_…`, `workspace_files`, `storage_full` and the errors of `resolveConfig`
 */
export function prepareRun(request: NewRun, options: PrepareOptions): Promise<PreparedRun> {
  const folder = join(options.dataDir, WORKSPACES_FOLDER, options.runId);
  return withRoomFor(folder, () => prepare(request, options));
}

async function prepare(request: NewRun, options: PrepareOptions): Promise<PreparedRun> {
  const { runId, dataDir, folders, files, ...facts } = options;
  const usesFiles = kindFacts(kindOf(request)).usesFiles;
  const fresh = usesFiles && hasFreshWorkspace(request);
  const made = fresh ? await folders.make(runId) : undefined;
  try {
    const workspace = usesFiles
      ? await openWorkspace(made?.path ?? request.workspace ?? '', { dataDir })
      : '';
    if (fresh && files) await writeNewFiles(workspace, files);
    // The run opens it again, and reports what is wrong with it.
    if (workspace !== '') openAhead(workspace, dataDir).catch(() => undefined);
    const copiedFrom =
      fresh && request.workspace !== undefined
        ? await openWorkspace(request.workspace, { dataDir })
        : undefined;
    const copied = copiedFrom === undefined ? undefined : await copyWorkspace(copiedFrom, workspace);
    const folder = copiedFrom ?? (fresh || workspace === '' ? undefined : workspace);
    return {
      config: resolveConfig(request, { workspace, copiedFrom, ...facts }),
      ...(copied && { copied: { files: copied.files, bytes: copied.bytes, left_out: copied.leftOut } }),
      // A folder that Loupe created for another run is not a person's folder.
      folder: folder === undefined || isWorkspaceOfRun(folder, dataDir) ? undefined : folder,
      keep: () => made?.keep(),
      discard: async () => made?.discard(),
    };
  } catch (error) {
    await made?.discard();
    throw error;
  }
}
