import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, opendir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isBareRepository, repositoriesIn, type VisitedFolder, visitFolders } from './nested-git.ts';

/**
 * Files and folders that make other programs run something, or instruct an agent, often without asking: opening the
 * workspace in a shell, an editor, git or a build may run them. Lower case; matched in every folder. Writing them is
 * allowed, but the timeline and the end of the run warn about them.
 */
const AUTO_RUN_FILES: readonly string[] = [
  // git and its hooks
  '.git',
  '.git/config',
  '.git/hooks',
  '.gitmodules',
  '.husky',
  '.pre-commit-config.yaml',
  // shells and the tools that set them up
  '.bashrc',
  '.profile',
  '.zshrc',
  '.envrc',
  '.mise.toml',
  'mise.toml',
  // package managers and builds
  'package.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnp.cjs',
  '.cargo/config',
  '.cargo/config.toml',
  'makefile',
  'gnumakefile',
  'justfile',
  'rakefile',
  'taskfile.yml',
  // continuous integration
  '.github/workflows',
  '.github/actions',
  '.gitlab-ci.yml',
  '.circleci',
  '.buildkite',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker',
  '.woodpecker.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'jenkinsfile',
  // editors and agents
  '.vscode/tasks.json',
  '.vscode/settings.json',
  '.vscode/launch.json',
  '.idea/workspace.xml',
  '.devcontainer',
  '.devcontainer.json',
  '.mcp.json',
  '.cursor',
  '.cursorrules',
  '.claude',
  'claude.md',
  'agents.md',
  'system_prompt.md',
];
const FIRST_STEPS = new Set(AUTO_RUN_FILES.map((file) => file.split('/')[0] ?? file));
/** Maximum entries compared in such a folder and those inside it, nearest first. */
const MAX_ENTRIES = 200;
/** Maximum entries read of each of them. */
const MAX_READ = 10_000;
/** A larger package.json is compared like any other file. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Whether a path in the workspace is such a file, or inside such a folder. */
export function isAutoRunFile(steps: readonly string[]): boolean {
  const lower = steps.map((step) => step.toLowerCase());
  return lower.some((first, start) => {
    if (!FIRST_STEPS.has(first)) return false;
    const path = lower.slice(start).join('/');
    return AUTO_RUN_FILES.some((file) => path === file || path.startsWith(`${file}/`));
  });
}

export interface AutoRunChanges {
  /** The files created or changed. */
  files: readonly string[];
  /** `false` if a folder has too many entries to look at all of them: there may be more such files. */
  complete: boolean;
}

/**
 * Records the current state of these files, including the git files of nested repositories.
 *
 * @returns a function that lists those created or changed since
 */
export async function watchAutoRunFiles(workspace: string): Promise<() => Promise<AutoRunChanges>> {
  const before = await fingerprints(workspace);
  return async () => {
    const after = await fingerprints(workspace);
    const changed = [...after.prints].filter(([file, print]) => print !== before.prints.get(file));
    return {
      files: changed.map(([file]) => file).toSorted(),
      complete: before.complete && after.complete,
    };
  };
}

async function fingerprints(workspace: string): Promise<{ prints: Map<string, string>; complete: boolean }> {
  const files: string[] = [];
  let complete = true;
  for await (const folder of visitFolders(workspace)) {
    files.push(...candidatesIn(folder));
    complete &&= folder.complete;
  }
  const found = await Promise.all(files.map((file) => fingerprint(join(workspace, file))));
  const prints = new Map<string, string>();
  for (const [index, file] of files.entries()) {
    const print = found[index];
    if (print !== undefined) prints.set(file, print);
  }
  return { prints, complete };
}

/** The paths to compare in a visited folder. All that are possible if it was not read whole. */
function candidatesIn(folder: VisitedFolder): string[] {
  const names = folder.complete ? folder.names : new Set([...FIRST_STEPS, ...folder.names]);
  const known = [...names].flatMap((name) => {
    if (!FIRST_STEPS.has(name.toLowerCase())) return [];
    const files = AUTO_RUN_FILES.filter((file) => file.split('/')[0] === name.toLowerCase());
    return files.map((file) => [name, ...file.split('/').slice(1)].join('/'));
  });
  const bare = isBareRepository(folder.names) ? ['HEAD', 'config', 'hooks'] : [];
  const inside = [...known, ...bare].map((file) => join(folder.path, file));
  return [...new Set([...repositoriesIn(folder).filter((path) => path !== folder.path), ...inside])];
}

/** Changes when the file changes; for a folder, when a file in it does; for package.json, when its scripts do. */
async function fingerprint(path: string): Promise<string | undefined> {
  let stats: BigIntStats;
  try {
    stats = await lstat(path, { bigint: true });
    if (stats.isDirectory() && !path.endsWith('/.git')) return await folderPrint(path, stats);
    if (path.endsWith('/package.json') && stats.isFile() && stats.size <= MAX_MANIFEST_BYTES) {
      return await scriptsPrint(path);
    }
  } catch {
    return undefined; // missing or not readable
  }
  return printOf(stats);
}

async function folderPrint(path: string, stats: BigIntStats): Promise<string> {
  const prints = [String(stats.ino)];
  const open = [path];
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    const room = MAX_ENTRIES + 1 - prints.length;
    if (room === 0) break;
    // A folder inside that cannot be read must not hide the others.
    const names = await namesIn(folder).catch(() => []);
    const inside = names.toSorted().slice(0, room);
    const found = await Promise.all(inside.map((name) => lstat(join(folder, name), { bigint: true })));
    for (const [index, each] of found.entries()) {
      const entry = join(folder, inside[index] ?? '');
      prints.push(`${entry}:${printOf(each)}`);
      if (each.isDirectory()) open.push(entry);
    }
  }
  return prints.join('\n');
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder, { bufferSize: 256 })) {
    names.push(name);
    if (names.length === MAX_READ) break;
  }
  return names;
}

async function scriptsPrint(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return createHash('sha256').update(scriptsOf(text)).digest('hex');
}

function scriptsOf(text: string): string {
  try {
    const manifest: unknown = JSON.parse(text);
    const scripts = typeof manifest === 'object' && manifest && 'scripts' in manifest ? manifest.scripts : {};
    return JSON.stringify(scripts) ?? '';
  } catch {
    return text; // invalid JSON: any change may affect the scripts
  }
}

/** Uses the ctime: unlike the mtime, a command cannot set it. */
function printOf(stats: BigIntStats): string {
  return `${stats.ino}:${stats.size}:${stats.ctimeNs}`;
}
