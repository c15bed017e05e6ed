import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunConfig } from '../events/config.ts';
import { copyWorkspace } from '../sandbox/copy-workspace.ts';
import { openWorkspace, reopenWorkspace, WORKSPACES_FOLDER } from '../sandbox/workspace.ts';
import type { ForkFacts, ForkFolder } from './plan-fork.ts';

/**
 * Prepares the workspace of a fork: a new folder in the data directory with a copy of the current files, so that the two
 * runs share a folder only on request; an empty new folder; or the same folder.
 *
 * @returns the facts for the fork, and `discard`, which deletes the new folder
 * @throws {AppError} `workspace_too_large`, and the errors of `openWorkspace`
 */
export async function prepareForkWorkspace(
  config: RunConfig,
  options: { kind: ForkFolder; runId: string; dataDir: string },
): Promise<Pick<ForkFacts, 'workspace' | 'files'> & { discard(): Promise<void> }> {
  const { kind, runId, dataDir } = options;
  const keep = async () => undefined;
  if (config.workspace === '') return { workspace: '', files: { kind: 'none' }, discard: keep };
  const folder = join(dataDir, WORKSPACES_FOLDER, runId);
  const discard = () => rm(folder, { recursive: true, force: true });
  // Don't open the other folder to create an empty one: the file of an imported run may name any path.
  const from = kind === 'empty' ? undefined : await reopenWorkspace(config.workspace, { dataDir });
  if (from !== undefined && kind === 'same') {
    return { workspace: from, files: { kind: 'same' }, discard: keep };
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (from === undefined) {
      return { workspace: await openWorkspace(folder, { dataDir }), files: { kind: 'empty' }, discard };
    }
    const workspace = await openWorkspace(folder, { dataDir });
    const { files, bytes, leftOut } = await copyWorkspace(from, workspace);
    return { workspace, files: { kind: 'copied', from, files, bytes, left_out: leftOut }, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
