import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { McpServerRequest } from '../api/mcp.ts';
import { expandHome } from '../sandbox/home-path.ts';
import { openWorkspace } from '../sandbox/workspace.ts';

/** Files that mark the folder of a program, which needs more than its entry file. */
const PROJECT_FILES = ['package.json', 'pyproject.toml', 'setup.py', 'go.mod', 'Cargo.toml'];
const MAX_LEVELS = 6;

/**
 * A configuration with the folders that its command and arguments name, as readable: other hosts do not confine
 * servers, so their configurations do not list what a server needs. A person sees the folders and decides.
 */
export async function withProposedFolders(
  server: McpServerRequest,
  dataDir: string,
): Promise<McpServerRequest> {
  if (server.type !== 'stdio' || server.folders.length > 0) return server;
  const paths = [server.command, ...server.args, ...(server.cwd === undefined ? [] : [server.cwd])]
    .map((text) => expandHome(text, homedir()))
    .filter((text) => isAbsolute(text) && !text.includes('\0'));
  const found = new Set<string>();
  for (const path of paths) {
    const folder = await folderOf(path);
    // Folders that cannot be mounted are not proposed.
    const opened = folder && (await openWorkspace(folder, { dataDir }).catch(() => undefined));
    if (opened !== undefined && !isSystem(opened)) found.add(opened);
  }
  const folders = [...found].filter((path) => ![...found].some((other) => path.startsWith(`${other}/`)));
  return { ...server, folders: folders.map((path) => ({ path, access: 'read' as const })) };
}

/** The folder itself, or the project folder of a file. */
async function folderOf(path: string): Promise<string | undefined> {
  const kind = await stat(path).catch(() => undefined);
  if (kind?.isDirectory()) return path;
  if (!kind?.isFile()) return undefined;
  let folder = dirname(path);
  for (let level = 0; level < MAX_LEVELS && folder !== dirname(folder); level++) {
    if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folder;
    folder = dirname(folder);
  }
  return dirname(path);
}

/** Whether every server sees the folder anyway. */
function isSystem(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib|lib64)(?:\/|$)/.test(path);
}
