import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { findNestedGit } from './nested-git.ts';

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
 * Remembers how these files are now, and what decides over git in repositories of subfolders.
 *
 * @returns a function that names those which were made or changed since
 */
export async function watchAutoRunFiles(workspace: string): Promise<() => Promise<string[]>> {
  const before = await fingerprints(workspace);
  return async () => {
    const after = await fingerprints(workspace);
    return [...after].filter(([file, print]) => print !== before.get(file)).map(([file]) => file);
  };
}

async function fingerprints(workspace: string): Promise<Map<string, string>> {
  const nested = await findNestedGit(workspace);
  const files = [...AUTO_RUN_FILES, ...nested.flatMap((git) => [git, `${git}/config`, `${git}/hooks`])];
  const prints = await Promise.all(files.map((file) => fingerprint(join(workspace, file))));
  const known = new Map<string, string>();
  for (const [index, file] of files.entries()) {
    const print = prints[index];
    if (print !== undefined) known.set(file, print);
  }
  return known;
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
