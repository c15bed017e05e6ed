import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunConfig } from '../events/config.ts';
import { copyWorkspace } from '../sandbox/copy-workspace.ts';
import { openWorkspace, reopenWorkspace, WORKSPACES_FOLDER } from '../sandbox/workspace.ts';
import type { ForkFacts, ForkFolder } from './plan-fork.ts';

/**
 * The workspace of a fork: a copy of the files as they are now in a fresh folder under the data directory, so that the two
 * runs never meet in one folder unasked; or a fresh folder without them, or that folder itself.
 *
 * @returns the facts for the fork, and how to take back the copy when the fork is not made after all
 * @throws {AppError} `workspace_too_large`, and what `openWorkspace` throws
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
  // An empty folder is made without a look at the other one: the file of an imported run may name anything.
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
