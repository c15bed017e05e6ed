import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from './under-test.ts';
import { openWorkspace, reopenWorkspace } from './workspace.ts';

it('canonicalizes the path once [O5]', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'real/ws'), { recursive: true });
  await symlink(join(folder.path, 'real'), join(folder.path, 'link'));
  const dataDir = join(folder.path, 'data');
  expect(await openWorkspace(`${folder.path}/link/../link/ws/`, { dataDir })).toBe(
    join(folder.path, 'real/ws'),
  );
});

it('understands ~ as the home folder', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  await expect(openWorkspace('~', { dataDir })).rejects.toMatchObject({ code: 'workspace_too_wide' });
  await expect(openWorkspace('~/loupe-no-such-folder', { dataDir })).rejects.toMatchObject({
    message: expect.stringContaining(join(homedir(), 'loupe-no-such-folder')),
  });
  await expect(openWorkspace('~ada/x', { dataDir })).rejects.toMatchObject({ code: 'workspace_relative' });
});

it('a run is resumed only where its workspace still is, not at the target of a link in its place [threat 1]', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  await mkdir(join(folder.path, 'project/sub'), { recursive: true });
  await mkdir(join(folder.path, 'private'));
  const workspace = await openWorkspace(join(folder.path, 'project/sub'), { dataDir });
  expect(await reopenWorkspace(workspace, { dataDir })).toBe(workspace);
  await rename(workspace, join(folder.path, 'project/was'));
  await symlink(join(folder.path, 'private'), workspace);
  await expect(reopenWorkspace(workspace, { dataDir })).rejects.toMatchObject({ code: 'workspace_moved' });
});

it('rejects a workspace that contains, is, or is inside the data directory, even through a link [threat 2]', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'app/data');
  await mkdir(join(dataDir, 'runs'), { recursive: true });
  await symlink(join(folder.path, 'app'), join(folder.path, 'innocent'));
  for (const path of [
    folder.path,
    join(folder.path, 'app'),
    join(folder.path, 'innocent'),
    dataDir,
    join(dataDir, 'runs'),
  ]) {
    await expect(openWorkspace(path, { dataDir })).rejects.toMatchObject({ code: 'workspace_holds_data' });
  }
});

it('allows generated workspaces in the data directory, but not their parent folder [K-33]', async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  const own = join(dataDir, 'workspaces/run-1');
  await mkdir(own, { recursive: true });
  expect(await openWorkspace(own, { dataDir })).toBe(own);
  await expect(openWorkspace(join(dataDir, 'workspaces'), { dataDir })).rejects.toMatchObject({
    code: 'workspace_holds_data',
  });
});

it('a sibling of the data directory with the same name prefix is allowed [threat 1]', async () => {
  await using folder = await temporaryFolder();
  const sibling = join(folder.path, 'data-evil');
  await mkdir(sibling);
  expect(await openWorkspace(sibling, { dataDir: join(folder.path, 'data') })).toBe(sibling);
});

it('rejects anything but a project folder, with a specific error', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  await writeFile(join(folder.path, 'file'), '');
  const codeOf = (path: string) =>
    openWorkspace(path, { dataDir }).then(
      () => 'opened',
      (error) => error.code,
    );
  expect(await codeOf('relative/path')).toBe('workspace_relative');
  expect(await codeOf('/a\0b')).toBe('workspace_relative');
  expect(await codeOf(join(folder.path, 'missing'))).toBe('workspace_missing');
  expect(await codeOf(join(folder.path, 'file'))).toBe('workspace_not_a_folder');
  expect(await codeOf('/')).toBe('workspace_too_wide');
  expect(await codeOf('/etc')).toBe('workspace_too_wide');
  expect(await codeOf(homedir())).toBe('workspace_too_wide');
});
