import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Folders } from './folders.ts';

let home: string;
let dataDir: string;
let used: { path: string; usedAt: number }[];
let folders: Folders;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-home-')));
  dataDir = join(home, '.local/share/loupe');
  mkdirSync(join(dataDir, 'workspaces', 'run-1'), { recursive: true });
  mkdirSync(join(home, 'notes', 'drafts'), { recursive: true });
  used = [];
  folders = new Folders({ store: { usedFolders: async () => used }, dataDir, home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const browse = (path?: string) => folders.browse(path, { hidden: false });

it('begins in the home folder, and leads up to the root', async () => {
  expect(await browse()).toMatchObject({
    path: home,
    home,
    folders: [{ name: 'notes', path: join(home, 'notes') }],
    hidden: 1,
  });
  const notes = await browse('~/notes');
  expect(notes).toMatchObject({ path: join(home, 'notes'), parent: home, folders: [{ name: 'drafts' }] });
  expect(notes.refused).toBeUndefined();
  const root = await browse('/');
  expect(root.parent).toBeUndefined();
  expect(root.refused?.code).toBe('workspace_too_wide');
});

it('says why no run can work in a folder', async () => {
  expect((await browse(dataDir)).refused).toMatchObject({
    code: 'workspace_holds_data',
    hint: expect.any(String),
  });
});

it('lists each folder of earlier runs once, without those that are gone or were made by Loupe', async () => {
  const notes = join(home, 'notes');
  writeFileSync(join(home, 'file'), '');
  used = [
    { path: notes, usedAt: 9 },
    { path: join(dataDir, 'workspaces', 'run-1'), usedAt: 8 },
    { path: join(home, 'gone'), usedAt: 7 },
    { path: join(home, 'file'), usedAt: 6 },
    { path: notes, usedAt: 5 },
    { path: join(notes, 'drafts'), usedAt: 4 },
  ];
  expect(await folders.recent()).toEqual({
    folders: [
      { path: notes, used_at: 9 },
      { path: join(notes, 'drafts'), used_at: 4 },
    ],
  });
});

it('gives up on a disk that does not answer, and reads at most two folders at a time', async () => {
  const slow = new Folders({ store: { usedFolders: async () => used }, dataDir, home, answerWithinMs: 0 });
  const ask = () => slow.browse(home, { hidden: false });
  const results = await Promise.allSettled([ask(), ask(), ask()]);
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'listed'));
  // Whether the first two meet a deadline of 0 ms depends on the machine; the third can only follow them.
  for (const code of codes.slice(0, 2)) expect(['listed', 'folder_not_responding']).toContain(code);
  expect(['listed', 'folder_busy', 'folder_not_responding']).toContain(codes[2]);

  const many = await Promise.all(Array.from({ length: 20 }, () => browse('~/notes')));
  expect(many.every(({ folders: [first] }) => first?.name === 'drafts')).toBe(true);
});
