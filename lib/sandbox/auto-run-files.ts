import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files that make other programs run something, often without asking: a person who opens the workspace in a shell, an
 * editor or git may run what is in them. They may be written, and the timeline points at it.
 */
const AUTO_RUN_FILES: readonly string[] = [
  '.git',
  '.git/config',
  '.git/hooks',
  '.gitmodules',
  '.husky',
  '.pre-commit-config.yaml',
  '.envrc',
  '.mise.toml',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnp.cjs',
  '.bashrc',
  '.profile',
  '.zshrc',
  '.vscode/tasks.json',
  '.vscode/settings.json',
  '.vscode/launch.json',
  '.idea/workspace.xml',
  '.devcontainer/devcontainer.json',
  '.devcontainer.json',
  '.mcp.json',
  '.cursor/mcp.json',
];

/** Whether a path inside the workspace is such a file, or lies in such a folder. */
export function isAutoRunFile(steps: readonly string[]): boolean {
  const path = steps.join('/').toLowerCase();
  return AUTO_RUN_FILES.some((file) => path === file || path.startsWith(`${file}/`));
}

/**
 * Remembers how these files are now.
 *
 * @returns a function that names those which were made or changed since
 */
export async function watchAutoRunFiles(workspace: string): Promise<() => Promise<string[]>> {
  const before = await Promise.all(AUTO_RUN_FILES.map((file) => fingerprint(join(workspace, file))));
  return async () => {
    const after = await Promise.all(AUTO_RUN_FILES.map((file) => fingerprint(join(workspace, file))));
    return AUTO_RUN_FILES.filter((_, index) => after[index] !== undefined && after[index] !== before[index]);
  };
}

async function fingerprint(path: string): Promise<string | undefined> {
  let stats: BigIntStats;
  try {
    stats = await lstat(path, { bigint: true });
  } catch {
    return undefined; // not there, or not ours to see: nothing to point at
  }
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}
