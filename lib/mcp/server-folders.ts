import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { StdioServer } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import type { ServerFolder } from '../sandbox/sandbox.ts';
import { openWorkspace } from '../sandbox/workspace.ts';

/**
 * The folder in the data directory that contains each server's own folder: packages fetched by `npx`, caches, state.
 */
const HOMES_FOLDER = 'mcp';

/**
 * Checks the folders of a server's configuration. Done at each start, because they can have moved.
 *
 * @param workspace the canonical folder of the run that the server works for, if any
 * @throws {AppError} `mcp_folder` naming a folder that cannot be used
 */
export async function serverFolders(
  server: StdioServer,
  { dataDir, workspace }: { dataDir: string; workspace?: string | undefined },
): Promise<{ folders: ServerFolder[]; cwd: string | undefined }> {
  const folders: ServerFolder[] = [];
  for (const { path, access } of server.folders) {
    folders.push({ path: await openFolder(path, dataDir), access });
  }
  if (workspace && server.workspace !== 'none') folders.push({ path: workspace, access: server.workspace });
  if (server.cwd === undefined) return { folders, cwd: undefined };
  const cwd = await openFolder(server.cwd, dataDir);
  if (!folders.some(({ path }) => cwd === path || cwd.startsWith(`${path}/`))) {
    throw new AppError({
      code: 'mcp_folder',
      message: `The working folder ${cwd} is not in one of the server's folders.`,
      hint: 'Add it to the folders that the server may read.',
    });
  }
  return { folders, cwd };
}

/** A folder that may be mounted: not a system folder, not all of the home folder, not Loupe's own data. */
async function openFolder(path: string, dataDir: string): Promise<string> {
  try {
    return await openWorkspace(path, { dataDir });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError({
      code: 'mcp_folder',
      message: `A server cannot get the folder ${path}: ${FOLDER_PROBLEMS[cause.code] ?? cause.message}`,
      hint: 'Choose another folder for it on the Tools page.',
      cause,
    });
  }
}

const FOLDER_PROBLEMS: Readonly<Record<string, string>> = {
  workspace_relative: 'it is not an absolute path.',
  workspace_missing: 'it does not exist or cannot be reached.',
  workspace_not_a_folder: 'it is a file.',
  workspace_too_wide: 'it contains the whole system or the whole home folder.',
  workspace_holds_data: "it contains Loupe's own data.",
};

/** Creates the server's own folder. @returns its canonical path */
export async function serverHome(dataDir: string, name: string): Promise<string> {
  const home = join(dataDir, HOMES_FOLDER, name);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return realpath(home);
}
