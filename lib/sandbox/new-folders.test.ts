import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NewFolders } from './new-folders.ts';
import { machineBoot, ownIdentity } from './server-identity.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'loupe-new-folders-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const marks = () => readdirSync(join(dataDir, 'new-workspaces'));
const left = () => readdirSync(join(dataDir, 'workspaces')).toSorted();

/** A marked folder, as a server with this identity has left it. */
function leave(name: string, server: string): void {
  mkdirSync(join(dataDir, 'workspaces', name, 'inside'), { recursive: true });
  mkdirSync(join(dataDir, 'new-workspaces'), { recursive: true });
  writeFileSync(join(dataDir, 'new-workspaces', `${name}.${server}`), '');
}

it('has no mark once the run is stored or the folder discarded', async () => {
  const folders = new NewFolders({ dataDir, alone: true });
  const [kept, discarded] = [await folders.make('kept'), await folders.make('discarded')];
  expect(marks()).toHaveLength(2);
  kept.keep();
  await discarded.discard();
  expect([marks(), left()]).toEqual([[], ['kept']]);
});

it('removes what a killed server was still filling, and no folder without a mark', async () => {
  await new NewFolders({ dataDir, alone: true }).make('killed');
  mkdirSync(join(dataDir, 'workspaces', 'of-a-deleted-run'));
  await new NewFolders({ dataDir, alone: true }).removeUnfinished();
  expect([marks(), left()]).toEqual([[], ['of-a-deleted-run']]);
});

it('does not touch what it creates itself meanwhile', async () => {
  leave('killed', 'alone');
  const folders = new NewFolders({ dataDir, alone: true });
  const removing = folders.removeUnfinished();
  await folders.make('new');
  await removing;
  expect(left()).toEqual(['new']);
});

it.runIf(process.platform === 'linux')(
  'where processes share the runs, removes only folders of a process that is certainly gone',
  async () => {
    const { space, pid, start } = ownIdentity();
    const boot = machineBoot();
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    leave('gone', `${boot}-${space}-${ended}-7`);
    leave('pid-used-again', `${boot}-${space}-${pid}-7`);
    leave('running', `${boot}-${space}-${pid}-${start}`);
    leave('other-container', `${boot}-1-${ended}-7`);
    leave('other-machine', `0123abcd-${space}-${ended}-7`);
    leave('of-sqlite', 'alone');
    const shared = new NewFolders({ dataDir, alone: false });
    await shared.make('own');
    await shared.removeUnfinished();
    expect(left()).toEqual(['of-sqlite', 'other-container', 'other-machine', 'own', 'running']);
    await new NewFolders({ dataDir, alone: true }).removeUnfinished();
    expect(left()).not.toContain('of-sqlite');
    expect(left()).toContain('running');
  },
);

it('follows no links, and ignores names that it has not given', async () => {
  const outside = mkdtempSync(join(dataDir, 'outside-'));
  writeFileSync(join(outside, 'file'), 'x');
  leave('killed', 'alone');
  symlinkSync(outside, join(dataDir, 'workspaces', 'killed', 'link'));
  leave('a-link', 'alone');
  rmSync(join(dataDir, 'workspaces', 'a-link'), { recursive: true });
  symlinkSync(outside, join(dataDir, 'workspaces', 'a-link'));
  for (const name of ['...alone', '.alone', 'A.alone', 'x.alone.bak']) leave('kept', name);
  await new NewFolders({ dataDir, alone: true }).removeUnfinished();
  expect(left()).toEqual(['kept']);
  expect(existsSync(join(outside, 'file'))).toBe(true);
});
