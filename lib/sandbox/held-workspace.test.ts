import { execFileSync } from 'node:child_process';
import {
  constants,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdWorkspace, LINGER_MS } from './held-workspace.ts';
import { LocalDisk, MAX_SYNC_BYTES, SyncBudget } from './sync-budget.ts';
import { type TemporaryFolder, temporaryFolder } from './under-test.ts';
import { listFolder, lookAt, readWhole, replaceFile } from './workspace-files.ts';

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

// Even if this machine is slow at the moment, its disk must not count as slow.
beforeEach(() => {
  vi.spyOn(LocalDisk.prototype, 'tookMs').mockImplementation(() => {});
  vi.spyOn(LocalDisk.prototype, 'budget').mockImplementation(function (this: LocalDisk) {
    return new SyncBudget(this); // even if it was slow in earlier tests
  });
});
afterEach(() => void vi.restoreAllMocks());

interface HeldUnderTest extends AsyncDisposable {
  /** Where the workspace is, with a file `folder/file` that says "inside". */
  workspace: string;
  /** A folder with a file that says "outside". */
  outside: string;
  release(): Promise<void>;
}

async function heldUnderTest(): Promise<HeldUnderTest> {
  const folder: TemporaryFolder = await temporaryFolder();
  const workspace = join(folder.path, 'above/ws');
  const outside = join(folder.path, 'outside');
  await mkdir(join(workspace, 'folder'), { recursive: true });
  await writeFile(join(workspace, 'folder/file'), 'inside');
  await mkdir(outside);
  await writeFile(join(outside, 'file'), 'outside');
  const held = await holdWorkspace(workspace, '/data');
  let released: Promise<void> | undefined;
  const release = () => {
    released ??= held.release();
    return released;
  };
  return {
    workspace,
    outside,
    release,
    async [Symbol.asyncDispose]() {
      await release();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Whether an operation left calls to the thread pool when it returned its promise. */
function usesThreadPool(operation: () => Promise<unknown>): { uses: boolean; result: Promise<unknown> } {
  const requests = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq')).length;
  const before = requests();
  const result = operation();
  return { uses: requests() > before, result };
}

async function text(workspace: string, ...steps: string[]): Promise<string | undefined> {
  return (await readWhole(workspace, steps, 10_000_000)).data?.toString();
}

/** How many descriptors of this process point to a folder. */
function descriptorsOf(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false; // the descriptor used for listing is already closed
    }
  }).length;
}

it.runIf(isLinux)(
  'reads, lists and looks at small files without the thread pool, and only while held',
  async () => {
    await using test = await heldUnderTest();
    const { workspace } = test;
    const operationsIn = (root: string) => [
      () => readWhole(root, ['folder', 'file'], 100),
      () => listFolder(root, ['folder'], 10),
      () => lookAt(root, ['folder', 'file']),
      () => readWhole(root, ['folder', 'missing'], 100).catch(() => {}),
    ];
    for (const operation of operationsIn(workspace)) {
      const { uses, result } = usesThreadPool(operation);
      await result;
      expect(uses).toBe(false);
    }
    const moved = `${workspace}-2`; // nobody holds it at this path
    await rename(workspace, moved);
    for (const operation of operationsIn(moved)) {
      const { uses, result } = usesThreadPool(operation);
      await result;
      expect(uses).toBe(true);
    }
  },
);

it.runIf(isLinux)(
  'leaves the rest of a long file, a large folder and a deep path to the thread pool',
  async () => {
    await using test = await heldUnderTest();
    const { workspace } = test;
    const long = 'x'.repeat(MAX_SYNC_BYTES + 40_000);
    await writeFile(join(workspace, 'long'), long);
    for (let index = 0; index < 400; index++) await writeFile(join(workspace, `folder/${index}`), '');
    const deep = Array.from({ length: 200 }, () => 'd');
    await mkdir(join(workspace, ...deep), { recursive: true });
    for (const [operation, expected] of [
      [() => text(workspace, 'long'), long],
      [async () => (await listFolder(workspace, ['folder'], 1000)).entries.length, 401],
      [async () => (await listFolder(workspace, deep, 10)).entries, []],
    ] as const) {
      const { uses, result } = usesThreadPool(operation);
      expect(uses).toBe(true);
      expect(await result).toEqual(expected);
    }
    await test.release();
  },
);

it.runIf(isLinux)(
  'syncs a file in the thread pool, and does everything else of a small write without it',
  async () => {
    await using test = await heldUnderTest();
    vi.spyOn(LocalDisk.prototype, 'isPrompt', 'get').mockReturnValue(true); // even if an earlier test was slow
    const { uses, result } = usesThreadPool(() =>
      replaceFile(test.workspace, ['new', 'file'], Buffer.from('x'), { temporaryName: 'temporary' }),
    );
    expect(uses).toBe(true);
    expect(readdirSync(join(test.workspace, 'new'))).toEqual(['temporary']);
    expect(await result).toEqual({ created: true });
    expect(readdirSync(join(test.workspace, 'new'))).toEqual(['file']);
    await test.release();
  },
);

/** Prints something if it could open the pipe, which succeeds without waiting only while a reader has it open. */
const WRITER = `
const { openSync, constants } = require('node:fs');
try { openSync(process.argv[1], constants.O_WRONLY | constants.O_NONBLOCK); console.log('opened'); } catch {}`;

it.runIf(isLinux)('never opens a pipe, not even briefly', async () => {
  await using test = await heldUnderTest();
  const pipe = join(test.workspace, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const seen: string[] = [];
  vi.spyOn(SyncBudget.prototype, 'covers').mockImplementation(() => {
    seen.push(execFileSync(process.execPath, ['-e', WRITER, pipe], { encoding: 'utf8' }));
    return true;
  });
  await expect(readWhole(test.workspace, ['pipe'], 100)).rejects.toMatchObject({
    code: 'not_a_regular_file',
  });
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.join('')).toBe('');
  await test.release();
});

it.runIf(isLinux && isRoot)('refuses a device', async () => {
  await using test = await heldUnderTest();
  execFileSync('mknod', [join(test.workspace, 'zero'), 'c', '1', '5']);
  await expect(readWhole(test.workspace, ['zero'], 100)).rejects.toMatchObject({
    code: 'not_a_regular_file',
  });
  await expect(replaceFile(test.workspace, ['zero'], Buffer.from('x'))).rejects.toMatchObject({
    code: 'not_a_regular_file',
  });
  await test.release();
});

/** Changes that may happen between any two system calls of an operation. */
const SWAPS: Readonly<Record<string, (test: HeldUnderTest) => void>> = {
  'a link in place of the file': ({ workspace, outside }) => {
    renameSync(join(workspace, 'folder/file'), join(workspace, 'folder/aside'));
    symlinkSync(join(outside, 'file'), join(workspace, 'folder/file'));
  },
  'a pipe in place of the file': ({ workspace }) => {
    renameSync(join(workspace, 'folder/file'), join(workspace, 'folder/aside'));
    execFileSync('mkfifo', [join(workspace, 'folder/file')]);
  },
  'a link in place of the folder': ({ workspace, outside }) => {
    renameSync(join(workspace, 'folder'), join(workspace, 'aside'));
    symlinkSync(outside, join(workspace, 'folder'));
  },
  'the removal of the folder': ({ workspace }) => {
    rmSync(join(workspace, 'folder'), { recursive: true });
  },
  'a link in place of the workspace': ({ workspace, outside }) => {
    renameSync(workspace, `${workspace}-aside`);
    mkdirSync(join(outside, 'folder'));
    writeFileSync(join(outside, 'folder/file'), 'outside');
    symlinkSync(outside, workspace);
  },
  'a link in place of the folder above': ({ workspace, outside }) => {
    renameSync(join(workspace, '..'), join(outside, '../aside'));
    mkdirSync(join(outside, 'ws/folder'), { recursive: true });
    writeFileSync(join(outside, 'ws/folder/file'), 'outside');
    symlinkSync(outside, join(workspace, '..'));
  },
};

const ATTACKED: Readonly<Record<string, (workspace: string) => Promise<unknown>>> = {
  read: (workspace) => text(workspace, 'folder', 'file'),
  list: async (workspace) => (await listFolder(workspace, ['folder'], 10)).entries.map(({ name }) => name),
  look: async (workspace) => (await lookAt(workspace, ['folder', 'file']))?.size,
  write: (workspace) => replaceFile(workspace, ['folder', 'file'], Buffer.from('written')),
};

it
  .runIf(isLinux)
  .each(
    Object.keys(SWAPS).flatMap((swap) =>
      Object.keys(ATTACKED).flatMap((operation) =>
        (['the first time', 'in a folder that is open'] as const).map(
          (when) => [swap, operation, when] as const,
        ),
      ),
    ),
  )('%s between any two calls leads no %s outside %s [O5]', async (swapName, operationName, when) => {
  const { covers } = SyncBudget.prototype;
  const isOpen = when === 'in a folder that is open';
  let swapped = true;
  let moment = 0;
  for (; swapped; moment++) {
    await using test = await heldUnderTest();
    if (isOpen) expect(await text(test.workspace, 'folder', 'file')).toBe('inside');
    swapped = false;
    let calls = 0;
    const spy = vi.spyOn(SyncBudget.prototype, 'covers').mockImplementation(function (
      this: SyncBudget,
      cost,
    ) {
      if (calls++ === moment) {
        SWAPS[swapName]?.(test);
        swapped = true;
      }
      return covers.call(this, cost);
    });
    const outcome = await ATTACKED[operationName]?.(test.workspace).catch((error) => error);
    spy.mockRestore();
    expect(JSON.stringify(outcome ?? null)).not.toContain('outside');
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({
        code: expect.stringMatching(/^(path_link|not_found|not_a_regular_file|not_permitted)$/),
      });
    }
    expect(await readFile(join(test.outside, 'file'), 'utf8')).toBe('outside');
    expect((await readdir(test.outside)).filter((name) => /tmp$|aside/.test(name))).toEqual([]);
    await test.release();
  }
  expect(moment).toBeGreaterThan(isOpen ? 1 : 3);
});

it.runIf(isLinux).each(Object.keys(SWAPS))(
  '%s is noticed in a folder that was open before it [O5]',
  async (name) => {
    await using test = await heldUnderTest();
    expect(await text(test.workspace, 'folder', 'file')).toBe('inside');
    SWAPS[name]?.(test);
    await expect(text(test.workspace, 'folder', 'file')).rejects.toMatchObject({
      code: expect.stringMatching(/^(path_link|not_found|workspace_moved|not_a_regular_file)$/),
    });
    await test.release();
  },
);

it.runIf(isLinux)(
  'opens a folder once for several operations, and follows the path to a new one',
  async () => {
    await using test = await heldUnderTest();
    const { workspace } = test;
    const look = async () => {
      const calls = vi.spyOn(SyncBudget.prototype, 'covers');
      expect(await text(workspace, 'folder', 'file')).toBe('inside');
      const { length } = calls.mock.calls;
      calls.mockRestore();
      return length;
    };
    const first = await look();
    expect(await look()).toBeLessThan(first);
    await rename(join(workspace, 'folder'), join(workspace, 'aside'));
    await expect(text(workspace, 'folder', 'file')).rejects.toMatchObject({ code: 'not_found' });
    await mkdir(join(workspace, 'folder'));
    await writeFile(join(workspace, 'folder/file'), 'new');
    expect(await text(workspace, 'folder', 'file')).toBe('new');
    await rm(join(workspace, 'folder'), { recursive: true });
    await expect(listFolder(workspace, ['folder'], 10)).rejects.toMatchObject({ code: 'not_found' });
    await test.release();
  },
);

it.runIf(isLinux)('walks to a folder again after a second', async () => {
  await using test = await heldUnderTest();
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const walks = vi.spyOn(SyncBudget.prototype, 'reached');
    const folderWalks = async (passedMs: number) => {
      vi.advanceTimersByTime(passedMs);
      walks.mockClear();
      await text(test.workspace, 'folder', 'file');
      return walks.mock.calls.length;
    };
    const walked = await folderWalks(0);
    expect(await folderWalks(600)).toBeLessThan(walked);
    expect(await folderWalks(600)).toBe(walked);
    expect(await folderWalks(600)).toBeLessThan(walked);
  } finally {
    vi.useRealTimers();
  }
  await test.release();
});

it.runIf(isLinux)('keeps a bounded number of folders open, and none after the run', async () => {
  await using test = await heldUnderTest();
  const { workspace } = test;
  for (let index = 0; index < 100; index++) {
    await mkdir(join(workspace, `many/${index}`), { recursive: true });
    await writeFile(join(workspace, `many/${index}/file`), `${index}`);
  }
  const readAll = () =>
    Promise.all(Array.from({ length: 100 }, (_, index) => text(workspace, 'many', `${index}`, 'file')));
  for (let time = 0; time < 2; time++) {
    expect(await readAll()).toEqual(Array.from({ length: 100 }, (_, index) => `${index}`));
    expect(descriptorsOf(workspace)).toBeLessThanOrEqual(65);
  }
  const last = readAll(); // the workspace is released while its folders are in use
  await test.release();
  expect(await last).toHaveLength(100);
  await vi.waitFor(() => expect(descriptorsOf(workspace)).toBe(0), 5 * LINGER_MS);
});

it.runIf(isLinux)(
  'follows the path: refuses a link in place of the workspace, works in a new folder there [O5]',
  async () => {
    await using test = await heldUnderTest();
    const { workspace, outside } = test;
    await rename(workspace, `${workspace}-aside`);
    const refused = () =>
      Promise.all([
        expect(text(workspace, 'folder', 'file')).rejects.toMatchObject({ code: 'workspace_moved' }),
        expect(listFolder(workspace, [], 10)).rejects.toMatchObject({ code: 'workspace_moved' }),
        expect(lookAt(workspace, [])).rejects.toMatchObject({ code: 'workspace_moved' }),
        expect(replaceFile(workspace, ['file'], Buffer.from('x'))).rejects.toMatchObject({
          code: 'workspace_moved',
        }),
      ]);
    await refused();
    await symlink(outside, workspace);
    await refused();
    await rm(workspace);
    await mkdir(workspace);
    await writeFile(join(workspace, 'file'), 'new');
    expect(await text(workspace, 'file')).toBe('new');
    await replaceFile(workspace, ['written'], Buffer.from('x'));
    expect(await readdir(workspace)).toEqual(['file', 'written']);
    expect(await readdir(`${workspace}-aside`)).toEqual(['folder']);
    await test.release();
  },
);

it.runIf(isLinux)(
  'a link in place of the folder above is refused, even if it leads to the same workspace [O5]',
  async () => {
    await using test = await heldUnderTest();
    const above = join(test.workspace, '..');
    await rename(above, `${above}-aside`);
    await symlink(`${above}-aside`, above);
    await expect(text(test.workspace, 'folder', 'file')).rejects.toMatchObject({ code: 'workspace_moved' });
    await test.release();
  },
);

it.runIf(isLinux)('a workspace that was deleted and made again is read anew', async () => {
  await using test = await heldUnderTest();
  await rm(test.workspace, { recursive: true });
  await mkdir(test.workspace);
  await writeFile(join(test.workspace, 'file'), 'again');
  expect(await text(test.workspace, 'file')).toBe('again');
  await test.release();
});

it.runIf(isLinux && isRoot)(
  'sees what is mounted over the workspace, or in it, during a run',
  async ({ skip }) => {
    await using test = await heldUnderTest();
    const { workspace, outside } = test;
    await writeFile(join(workspace, 'bound'), '');
    const mounted: string[] = [];
    try {
      for (const [options, point, steps] of [
        [['-t', 'tmpfs', 'tmpfs'], join(workspace, 'folder'), ['folder', 'file']],
        [['--bind', join(workspace, 'folder/file')], join(workspace, 'bound'), ['bound']],
        [['-t', 'tmpfs', 'tmpfs'], workspace, ['file']],
      ] as const) {
        try {
          execFileSync('mount', [...options, point], { stdio: 'ignore' });
        } catch {
          skip('mounting is not permitted');
        }
        mounted.unshift(point);
        if (steps[0] !== 'bound') await writeFile(join(point, 'file'), 'mounted');
        const { uses, result } = usesThreadPool(() => text(workspace, ...steps));
        expect(await result).toBe('mounted');
        expect(uses).toBe(true);
      }
      expect(await replaceFile(workspace, ['file'], Buffer.from('replaced'))).toEqual({ created: false });
      expect(await readFile(join(workspace, 'file'), 'utf8')).toBe('replaced');
    } finally {
      for (const point of mounted) execFileSync('umount', [point]);
    }
    expect(await text(workspace, 'folder', 'file')).toBe('inside');
    expect(await readdir(outside)).toEqual(['file']);
    await test.release();
  },
);

it.runIf(isLinux)(
  'runs in the same workspace share one descriptor, closed a moment after the last has ended',
  async () => {
    await using test = await heldUnderTest();
    const { workspace } = test;
    const others = await Promise.all([holdWorkspace(workspace, '/data'), holdWorkspace(workspace, '/data')]);
    expect(descriptorsOf(workspace)).toBe(1);
    for (const other of others) await other.release();
    expect(await lookAt(workspace, ['folder'])).toMatchObject({ mode: expect.any(Number) });
    expect(descriptorsOf(workspace)).toBe(1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await test.release();
      await vi.advanceTimersByTimeAsync(LINGER_MS - 1);
      const next = await holdWorkspace(workspace, '/data'); // finds it open
      await vi.advanceTimersByTimeAsync(2);
      expect(descriptorsOf(workspace)).toBe(1);
      await next.release();
      await vi.advanceTimersByTimeAsync(LINGER_MS);
    } finally {
      vi.useRealTimers();
    }
    await vi.waitFor(() => expect(descriptorsOf(workspace)).toBe(0));
  },
);

it.runIf(isLinux)('a write in progress keeps its folder when the run ends, and closes it', async () => {
  await using test = await heldUnderTest();
  const writing = replaceFile(test.workspace, ['late'], Buffer.from('x'));
  await test.release();
  // Freed descriptors are reused immediately.
  const others = await Promise.all(Array.from({ length: 8 }, () => open(test.outside, constants.O_RDONLY)));
  expect(await writing).toEqual({ created: true });
  for (const other of others) await other.close();
  expect(await readdir(test.workspace)).toEqual(['folder', 'late']);
  expect(await readdir(test.outside)).toEqual(['file']);
  await vi.waitFor(() => expect(descriptorsOf(test.workspace)).toBe(0), 5 * LINGER_MS);
});

it.runIf(isLinux)(
  'takes note of how long the event loop was busy before each call of the thread pool',
  async () => {
    await using test = await heldUnderTest();
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { covers } = SyncBudget.prototype;
      vi.spyOn(SyncBudget.prototype, 'covers').mockImplementation(function (this: SyncBudget, cost) {
        vi.advanceTimersByTime(10);
        return covers.call(this, cost);
      });
      await replaceFile(test.workspace, ['file'], Buffer.from('x'));
    } finally {
      vi.useRealTimers();
    }
    const spells = vi.mocked(LocalDisk.prototype.tookMs).mock.calls.map(([ms]) => ms);
    expect(spells.length).toBeGreaterThan(1);
    expect(spells[0]).toBeGreaterThanOrEqual(30);
    await test.release();
  },
);
