import { join } from 'node:path';
import { withRoomFor } from '../config/full-disk.ts';
import type { RunConfig } from '../events/config.ts';
import { copyWorkspace } from '../sandbox/copy-workspace.ts';
import type { NewFolder, NewFolders } from '../sandbox/new-folders.ts';
import { openWorkspace, reopenWorkspace, WORKSPACES_FOLDER } from '../sandbox/workspace.ts';
import type { ForkFacts, ForkFolder } from './plan-fork.ts';

/**
 * Prepares the workspace of a fork: a new folder in the data directory with a copy of the current files, so that the two
 * runs share a folder only on request; an empty new folder; or the same folder.
 *
 * @returns the facts for the fork; `keep`, to be called before it is stored; and `discard`, which deletes the new folder
 * @throws {AppError} `workspace_too_large`, `storage_full`, and the errors of `openWorkspace`
 */
export async function prepareForkWorkspace(
  config: RunConfig,
  options: { kind: ForkFolder; runId: string; dataDir: string; folders: NewFolders },
): Promise<Pick<ForkFacts, 'workspace' | 'files'> & Pick<NewFolder, 'keep' | 'discard'>> {
  const { kind, runId, dataDir, folders } = options;
  const nothingNew = { keep: () => undefined, discard: async () => undefined };
  if (config.workspace === '') return { workspace: '', files: { kind: 'none' }, ...nothingNew };
  // Don't open the other folder to create an empty one: the file of an imported run may name any path.
  const from = kind === 'empty' ? undefined : await reopenWorkspace(config.workspace, { dataDir });
  if (from !== undefined && kind === 'same') {
    return { workspace: from, files: { kind: 'same' }, ...nothingNew };
  }
  return withRoomFor(join(dataDir, WORKSPACES_FOLDER, runId), async () => {
    const { path, keep, discard } = await folders.make(runId);
    try {
      const workspace = await openWorkspace(path, { dataDir });
      if (from === undefined) return { workspace, files: { kind: 'empty' }, keep, discard };
      const { files, bytes, leftOut } = await copyWorkspace(from, workspace);
      return { workspace, files: { kind: 'copied', from, files, bytes, left_out: leftOut }, keep, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  });
}
