import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchAutoRunFiles } from './auto-run-files.ts';
import { findNestedGit, reachableBy } from './nested-git.ts';

let workspace: string;
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'loupe-nested-')));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

const folder = (path: string) => mkdir(join(workspace, path), { recursive: true });

it('threat 3: finds repositories in subfolders, the near ones first, and follows no link', async () => {
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

it('looks at a bounded number of folders', async () => {
  await Promise.all(Array.from({ length: 600 }, (_, index) => folder(`f${index}/.git`)));
  expect((await findNestedGit(workspace)).length).toBeLessThanOrEqual(32);
});

it('leaves out what a user cannot reach', async () => {
  await mkdir(join(workspace, 'open'), { mode: 0o755 });
  await mkdir(join(workspace, 'private'), { mode: 0o700 });
  await folder('open/.git');
  await folder('private/.git');
  const paths = ['open/.git', 'private/.git', 'gone/.git'];
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  expect(await reachableBy(self, workspace, paths)).toEqual(['open/.git', 'private/.git']);
  expect(await reachableBy({ uid: 4242, gid: 4242 }, workspace, paths)).toEqual(['open/.git']);
});

it('threat 3: a repository that appears in a subfolder, or changes there, is pointed out', async () => {
  await folder('old/.git/hooks');
  await writeFile(join(workspace, 'old/.git/config'), '[core]');
  const changed = await watchAutoRunFiles(workspace);
  await folder('new/.git/hooks');
  await writeFile(join(workspace, 'old/.git/config'), '[core] fsmonitor = evil');
  expect(await changed()).toEqual(expect.arrayContaining(['new/.git', 'new/.git/hooks', 'old/.git/config']));
  expect(await (await watchAutoRunFiles(workspace))()).toEqual([]);
});
