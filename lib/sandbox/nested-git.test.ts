import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchAutoRunFiles } from './auto-run-files.ts';
import { findNestedGit, reachableBy, visitFolders } from './nested-git.ts';

let workspace: string;
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'loupe-nested-')));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

const folder = (path: string) => mkdir(join(workspace, path), { recursive: true });

it('finds repositories in subfolders, nearest first, and follows no link [threat 3]', async () => {
  await folder('a/b/c/.git');
  await folder('z/.git/modules/inner/.git');
  await folder('a/b/c/d/.git'); // too far down
  await folder('node_modules/package/.git');
  await folder('.git');
  await folder('worktree');
  await writeFile(join(workspace, 'worktree/.git'), 'gitdir: elsewhere');
  await folder('linked');
  await symlink('/tmp', join(workspace, 'linked/.git'));
  await symlink(workspace, join(workspace, 'loop'));
  expect((await findNestedGit(workspace)).toSorted()).toEqual(['a/b/c/.git', 'worktree/.git', 'z/.git']);
  expect((await findNestedGit(workspace)).at(-1)).toBe('a/b/c/.git');
});

it('visits a bounded number of folders', async () => {
  await Promise.all(Array.from({ length: 600 }, (_, index) => folder(`f${index}/.git`)));
  expect((await findNestedGit(workspace)).length).toBeLessThanOrEqual(32);
});

it('reads a bounded number of entries, and says so, but misses no repository or auto-run file there', async () => {
  await folder('data/.git');
  await folder('data/objects');
  await folder('data/refs');
  await writeFile(join(workspace, 'data/HEAD'), 'ref: refs/heads/main');
  for (let file = 0; file < 20_001; file++) writeFileSync(join(workspace, 'data', `${file}`), '');
  expect(await findNestedGit(workspace)).toEqual(['data', 'data/.git']);
  for await (const { path, names, complete } of visitFolders(workspace)) {
    expect(complete, path).toBe(path !== 'data');
    expect(names.size).toBeLessThan(20_010);
  }
  const changed = await watchAutoRunFiles(workspace);
  await writeFile(join(workspace, 'data/.envrc'), 'evil');
  expect(await changed()).toEqual({ files: ['data/.envrc'], complete: false });
});

it('skips paths that a user cannot reach', async () => {
  await mkdir(join(workspace, 'open'), { mode: 0o755 });
  await mkdir(join(workspace, 'private'), { mode: 0o700 });
  await folder('open/.git');
  await folder('private/.git');
  const paths = ['open/.git', 'private/.git', 'gone/.git'];
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  expect(await reachableBy(self, workspace, paths)).toEqual(['open/.git', 'private/.git']);
  expect(await reachableBy({ uid: 4242, gid: 4242 }, workspace, paths)).toEqual(['open/.git']);
});

it('a repository that appears in a subfolder, or changes there, is pointed out [threat 3]', async () => {
  await folder('old/.git/hooks');
  await writeFile(join(workspace, 'old/.git/config'), '[core]');
  const changed = await watchAutoRunFiles(workspace);
  await folder('new/.git/hooks');
  await writeFile(join(workspace, 'old/.git/config'), '[core] fsmonitor = evil');
  expect((await changed()).files).toEqual(
    expect.arrayContaining(['new/.git', 'new/.git/hooks', 'old/.git/config']),
  );
  expect(await (await watchAutoRunFiles(workspace))()).toEqual({ files: [], complete: true });
});

it('finds bare repositories, even with parts elsewhere, and does not search inside them', async () => {
  await folder('a/mirror/objects/pack/.git');
  await folder('a/mirror/refs');
  await writeFile(join(workspace, 'a/mirror/HEAD'), 'ref: refs/heads/main');
  await folder('b');
  await writeFile(join(workspace, 'b/HEAD'), 'ref: refs/heads/main');
  await writeFile(join(workspace, 'b/commondir'), '/elsewhere');
  await folder('c/objects');
  await folder('c/refs');
  expect((await findNestedGit(workspace)).toSorted()).toEqual(['a/mirror', 'b']);
});

it('points at a bare repository that appears, or whose config changes', async () => {
  await folder('old/objects');
  await folder('old/refs');
  await writeFile(join(workspace, 'old/HEAD'), 'ref: refs/heads/main');
  await writeFile(join(workspace, 'old/config'), '[core]');
  const changed = await watchAutoRunFiles(workspace);
  await writeFile(join(workspace, 'old/config'), '[core] fsmonitor = evil');
  await folder('new/objects');
  await folder('new/refs');
  await writeFile(join(workspace, 'new/HEAD'), 'ref: refs/heads/main');
  expect((await changed()).files.toSorted()).toEqual(['new/HEAD', 'old/config']);
});

it('points at auto-run files in any folder', async () => {
  await folder('app/.github/workflows');
  await writeFile(join(workspace, 'app/package.json'), '{"version":"1","scripts":{"test":"vitest"}}');
  await writeFile(join(workspace, 'package.json'), '{"version":"1","scripts":{"test":"vitest"}}');
  await writeFile(join(workspace, 'app/.github/workflows/ci.yml'), 'on: push');
  const changed = await watchAutoRunFiles(workspace);
  await writeFile(join(workspace, 'package.json'), '{"version":"2","scripts":{"test":"vitest"}}');
  await writeFile(join(workspace, 'app/package.json'), '{"version":"1","scripts":{"postinstall":"evil"}}');
  await writeFile(join(workspace, 'app/.github/workflows/ci.yml'), 'on: push, run: evil');
  await writeFile(join(workspace, 'app/Makefile'), 'all:');
  await writeFile(join(workspace, 'app/.envrc'), 'evil');
  await folder('app/.claude');
  await writeFile(join(workspace, 'app/.claude/settings.json'), '{}');
  await writeFile(join(workspace, 'app/notes.md'), 'harmless');
  expect((await changed()).files.toSorted()).toEqual([
    'app/.claude',
    'app/.envrc',
    'app/.github/workflows',
    'app/Makefile',
    'app/package.json',
  ]);
});

it.each([
  '.github/actions/setup/action.yml',
  '.claude/skills/deploy/SKILL.md',
  '.cursor/rules/team/style.mdc',
])('points at a change below a folder of such files: %s [threat 3]', async (path) => {
  await folder(join(path, '..'));
  await writeFile(join(workspace, path), 'name: build');
  const changed = await watchAutoRunFiles(workspace);
  expect((await changed()).files).toEqual([]);
  await writeFile(join(workspace, path), 'name: evil');
  expect((await changed()).files).toEqual([
    path
      .split('/')
      .slice(0, path.startsWith('.github') ? 2 : 1)
      .join('/'),
  ]);
});

it('points at a change whose date was set back [threat 3]', async () => {
  const path = join(workspace, '.envrc');
  await writeFile(path, 'export A=1');
  const { atime, mtime } = await stat(path);
  await utimes(path, atime, mtime); // to the precision of a Date
  const changed = await watchAutoRunFiles(workspace);
  const changedAt = async () => (await stat(path, { bigint: true })).ctimeNs;
  const before = await changedAt();
  while ((await changedAt()) === before) await writeFile(path, 'export A=2');
  await utimes(path, atime, mtime);
  expect((await changed()).files).toEqual(['.envrc']);
});
