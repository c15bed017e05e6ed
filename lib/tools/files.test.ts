import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { NamedImage } from '../events/image.ts';
import { LINGER_MS } from '../sandbox/held-workspace.ts';
import { NOBODY, temporaryFolder } from '../sandbox/under-test.ts';
import { listFolder, lookAt, readWhole, replaceFile } from '../sandbox/workspace-files.ts';
import { pngImage } from '../testing/sample-images.ts';
import { toolsUnderTest } from './under-test.ts';

it('writes a file, creating its folders, and reads it back [O3]', async () => {
  await using tools = await toolsUnderTest();
  expect(await tools.call('write_file', { path: 'a/b/c.md', content: 'one\ntwo\n' })).toEqual({
    success: true,
    tool: 'write_file',
    output: { path: 'a/b/c.md', created: true, bytes_written: 8, lines: 2 },
  });
  expect(await tools.call('read_file', { path: './a//b/../b/c.md' })).toEqual({
    success: true,
    tool: 'read_file',
    output: {
      path: './a//b/../b/c.md',
      size_bytes: 8,
      start_line: 1,
      end_line: 2,
      total_lines: 2,
      content: 'one\ntwo\n',
    },
  });
  expect(await tools.output('write_file', { path: '/workspace/a/b/c.md', content: '' })).toMatchObject({
    created: false,
    lines: 0,
  });
  expect(await readFile(join(tools.workspace, 'a/b/c.md'), 'utf8')).toBe('');
});

it('suggests no name that is not UTF-8, and says why a file with one cannot be read', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(Buffer.from(`${tools.workspace}/caf\xe9.txt`, 'latin1'), 'x');
  expect(await tools.error('read_file', { path: 'caf\uFFFD.txt' })).toBe(
    '"caf\uFFFD.txt" does not exist. A file listed like that has a name that is not UTF-8: rename it with a command to use it.',
  );
  expect(await tools.error('read_file', { path: 'cafe.txt' })).toBe(
    '"cafe.txt" does not exist. Use list_directory to see what is there.',
  );
});

it('reads the requested lines', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'f'), '1\n2\n3\n4');
  const lines = async (start_line: number, end_line?: number) =>
    tools.output('read_file', { path: 'f', start_line, ...(end_line !== undefined && { end_line }) });
  expect(await lines(2, 3)).toMatchObject({ content: '2\n3\n', start_line: 2, end_line: 3 });
  expect(await lines(3)).toMatchObject({ content: '3\n4', end_line: 4, total_lines: 4 });
  expect(await lines(4, 99)).toMatchObject({ content: '4', end_line: 4 });
  expect(await tools.error('read_file', { path: 'f', start_line: 5 })).toBe(
    '"f" has only 4 lines; line 5 does not exist.',
  );
  await writeFile(join(tools.workspace, 'short'), 'only');
  expect(await tools.error('read_file', { path: 'short', start_line: 2 })).toBe(
    '"short" has only 1 line; line 2 does not exist.',
  );
  expect(await tools.error('read_file', { path: 'f', start_line: 3, end_line: 2 })).toContain(
    'less than start_line',
  );
  await writeFile(join(tools.workspace, 'empty'), '');
  expect(await tools.output('read_file', { path: 'empty' })).toMatchObject({ content: '', total_lines: 0 });
});

it('cuts a long file at a line, says so, and reading can continue without a gap [O9]', async () => {
  await using tools = await toolsUnderTest();
  const text = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1} "é🙂"`).join('\n');
  await writeFile(join(tools.workspace, 'long'), text);
  let read = '';
  let parts = 0;
  for (let start: number | undefined = 1; start !== undefined; parts++) {
    const result = await tools.call('read_file', { path: 'long', start_line: start });
    if (!result.success) throw new Error(result.output.error);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024);
    const output = result.output as { content: string; note?: string };
    read += output.content;
    expect(result.truncated).toBe(output.note === undefined ? undefined : true);
    start = output.note === undefined ? undefined : Number(/start_line (\d+)/.exec(output.note)?.[1]);
  }
  expect(read).toBe(text);
  expect(parts).toBeGreaterThan(5);
});

it('shows part of a line longer than a result, without a note that would loop the model [O9]', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'wide'), '"'.repeat(300_000));
  const result = await tools.call('read_file', { path: 'wide' });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024);
  expect(result).toMatchObject({
    truncated: true,
    output: { note: expect.stringContaining('too long to be shown whole') },
  });
});

it('reads a huge file in bounded memory', async () => {
  await using tools = await toolsUnderTest();
  const path = join(tools.workspace, 'huge');
  await writeFile(path, 'first line\n'.repeat(1000));
  await truncate(path, 4 * 1024 ** 3);
  const before = process.memoryUsage.rss();
  expect(await tools.output('read_file', { path: 'huge', end_line: 1 })).toMatchObject({
    content: 'first line\n',
  });
  expect(await tools.error('read_file', { path: 'huge', start_line: 5000 })).toContain(
    'more than 67108864 bytes into the file',
  );
  expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
});

it('returns an image beside a result that says what it is', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'shot.png'), pngImage(40, 30));
  const images: NamedImage[] = [];
  const result = await tools.box.execute(
    { name: 'read_file', arguments: { path: 'shot.png' } },
    { signal: new AbortController().signal, onImage: (image) => images.push(image) },
  );
  expect(result).toMatchObject({ success: true, output: { path: 'shot.png', image: 'PNG, 40 × 30 pixels' } });
  expect(images.map(({ name }) => name)).toEqual(['shot.png']);
  expect(Buffer.from(images[0]?.data ?? [])).toEqual(pngImage(40, 30));
});

it('refuses binary files with a clear message, and shows invalid UTF-8 as far as possible', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'image.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  expect(await tools.error('read_file', { path: 'image.png' })).toBe(
    '"image.png" is not a text file (7 bytes with NUL characters) and cannot be shown.',
  );
  await writeFile(join(tools.workspace, 'latin1'), Buffer.from([0x61, 0xe9, 0x62]));
  const note = 'Bytes that are not UTF-8 are shown as U+FFFD; writing this text back would lose them.';
  expect(await tools.output('read_file', { path: 'latin1' })).toMatchObject({ content: 'a\ufffdb', note });
  await writeFile(join(tools.workspace, 'long-latin1'), Buffer.alloc(40_000, 'caf\xe9\n', 'latin1'));
  expect(await tools.output('read_file', { path: 'long-latin1' })).toMatchObject({
    note: `Cut: not all of 40000 bytes are shown. Read on with start_line 7937. ${note}`,
  });
  await writeFile(join(tools.workspace, 'utf8'), `x${'é\ufffd'.repeat(100_000)}`);
  expect(await tools.output('read_file', { path: 'utf8' })).toMatchObject({
    note: expect.not.stringContaining('not UTF-8'),
  });
});

it('names a missing file, and suggests a similar one', async () => {
  await using tools = await toolsUnderTest();
  await tools.output('write_file', { path: 'src/index.ts', content: '' });
  expect(await tools.error('read_file', { path: 'src/Index.tsx' })).toBe(
    '"src/Index.tsx" does not exist. Did you mean "src/index.ts"?',
  );
  expect(await tools.error('read_file', { path: 'nothing/like/it' })).toBe(
    '"nothing" does not exist. Use list_directory to see what is there.',
  );
  expect(await tools.error('read_file', { path: 'src' })).toContain('"src" is a folder');
  expect(await tools.error('read_file', { path: '.' })).toContain('is a folder');
  expect(await tools.error('list_directory', { path: 'src/index.ts' })).toContain('is not a folder');
  expect(await tools.error('write_file', { path: 'src', content: '' })).toContain('"src" is a folder');
  expect(await tools.error('write_file', { path: 'src/index.ts/x', content: '' })).toContain(
    'is not a folder',
  );
  expect(await tools.error('write_file', { path: 'x'.repeat(300), content: '' })).toContain('too long');
});

it('lists a folder, sorted, with types and sizes', async () => {
  await using tools = await toolsUnderTest();
  await tools.output('write_file', { path: 'b.md', content: 'four' });
  await tools.output('write_file', { path: 'a/x', content: '' });
  await symlink('/etc', join(tools.workspace, 'link'));
  execFileSync('mkfifo', [join(tools.workspace, 'pipe')]);
  expect(await tools.output('list_directory', {})).toEqual({
    path: '.',
    count: 4,
    entries: [
      { name: 'a', type: 'directory' },
      { name: 'b.md', type: 'file', bytes: 4 },
      { name: 'link', type: 'link' },
      { name: 'pipe', type: 'other' },
    ],
  });
});

it('lists a very large folder in part, and says so [O9]', async () => {
  await using tools = await toolsUnderTest();
  await mkdir(join(tools.workspace, 'many'));
  for (let index = 0; index < 2100; index++)
    await writeFile(join(tools.workspace, 'many', `file-with-a-long-name-${index}`), '');
  const result = await tools.call('list_directory', { path: 'many' });
  expect(result).toMatchObject({
    success: true,
    truncated: true,
    output: { note: expect.stringContaining('more than 2000') },
  });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024);
});

it.each([
  '../outside/secret',
  '/etc/passwd',
  '../../../../../../etc/passwd',
  'a/../../outside/secret',
  '/workspace/../outside/secret',
  '../ws-sibling/secret',
])('no tool follows %s [O5]', async (path) => {
  await using tools = await toolsUnderTest();
  for (const [name, args] of [
    ['read_file', { path }],
    ['write_file', { path, content: 'evil' }],
    ['list_directory', { path }],
    ['search_files', { pattern: 'root', path }],
  ] as const) {
    expect(await tools.error(name, args)).toContain('leads out of the workspace');
  }
});

it("a sibling folder with the workspace's path as a prefix is outside [O5]", async () => {
  await using tools = await toolsUnderTest();
  await using sibling = await temporaryFolder();
  expect(await tools.error('read_file', { path: `${tools.workspace}-evil/x` })).toContain('leads out');
  expect(await tools.error('read_file', { path: `../${sibling.path.split('/').pop()}/x` })).toContain(
    'leads out',
  );
});

it('follows no links: to a file, in a parent folder, dangling, or within the workspace [O5]', async () => {
  await using outside = await temporaryFolder();
  await writeFile(join(outside.path, 'secret'), 'outside-secret');
  await using tools = await toolsUnderTest();
  await symlink(join(outside.path, 'secret'), join(tools.workspace, 'file-link'));
  await symlink(outside.path, join(tools.workspace, 'folder-link'));
  await symlink(join(outside.path, 'new'), join(tools.workspace, 'dangling'));
  await tools.output('write_file', { path: 'real/inside', content: 'x' });
  await symlink('real', join(tools.workspace, 'inner-link'));
  for (const path of ['file-link', 'folder-link/secret', 'dangling', 'inner-link/inside']) {
    expect(await tools.error('read_file', { path })).toMatch(/symbolic link/);
    expect(await tools.error('write_file', { path, content: 'evil' })).toMatch(/symbolic link/);
    expect(await tools.error('search_files', { pattern: 'x', path })).toMatch(/symbolic link/);
  }
  for (const path of ['folder-link', 'inner-link']) {
    expect(await tools.error('list_directory', { path })).toMatch(/symbolic link/);
  }
  expect(await tools.error('write_file', { path: 'folder-link/deep/new', content: 'evil' })).toMatch(
    /symbolic link/,
  );
  expect(await readdir(outside.path)).toEqual(['secret']);
  expect(await readFile(join(outside.path, 'secret'), 'utf8')).toBe('outside-secret');
});

it('stops working when the workspace or a parent folder has become a link [O5]', async () => {
  await using outside = await temporaryFolder();
  await mkdir(join(outside.path, 'inner'));
  await writeFile(join(outside.path, 'inner/secret'), 'outside-secret');
  await using above = await temporaryFolder();
  await symlink(join(outside.path, 'inner'), join(above.path, 'workspace'));
  await symlink(outside.path, join(above.path, 'folder'));
  for (const workspace of [join(above.path, 'workspace'), join(above.path, 'folder/inner')]) {
    await expect(readWhole(workspace, ['secret'], 100)).rejects.toMatchObject({ code: 'workspace_moved' });
    await expect(listFolder(workspace, [], 10)).rejects.toMatchObject({ code: 'workspace_moved' });
    await expect(lookAt(workspace, [])).rejects.toMatchObject({ code: 'workspace_moved' });
    await expect(replaceFile(workspace, ['new'], Buffer.from('x'))).rejects.toMatchObject({
      code: 'workspace_moved',
    });
  }
  expect(await readdir(join(outside.path, 'inner'))).toEqual(['secret']);
});

it('a search finds nothing behind a link [O5]', async () => {
  await using outside = await temporaryFolder();
  await writeFile(join(outside.path, 'secret'), 'outside-secret');
  await using tools = await toolsUnderTest();
  await symlink(outside.path, join(tools.workspace, 'folder-link'));
  await symlink(join(outside.path, 'secret'), join(tools.workspace, 'file-link'));
  expect(await tools.output('search_files', { pattern: 'outside-secret' })).toMatchObject({ count: 0 });
});

it('breaks a hard link instead of writing through it [O5]', async () => {
  await using outside = await temporaryFolder();
  await writeFile(join(outside.path, 'shared'), 'before');
  await using tools = await toolsUnderTest();
  await link(join(outside.path, 'shared'), join(tools.workspace, 'hard'));
  await tools.output('write_file', { path: 'hard', content: 'after' });
  expect(await readFile(join(outside.path, 'shared'), 'utf8')).toBe('before');
});

it('never blocks on a pipe, a socket or a device', async () => {
  await using tools = await toolsUnderTest();
  execFileSync('mkfifo', [join(tools.workspace, 'pipe')]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(tools.workspace, 'socket'), resolve));
  try {
    const startedAt = performance.now();
    // More at once than Node has threads for file calls: if each blocked one, all file calls would hang.
    const reads = Array.from({ length: 8 }, () => tools.error('read_file', { path: 'pipe' }));
    for (const error of await Promise.all(reads)) expect(error).toContain('pipe, a socket or a device');
    for (const path of ['pipe', 'socket']) {
      expect(await tools.error('write_file', { path, content: 'x' })).toContain('pipe, a socket or a device');
      expect(await tools.error('search_files', { pattern: 'x', path })).toContain(
        'pipe, a socket or a device',
      );
    }
    expect(await tools.error('read_file', { path: 'socket' })).toContain('pipe, a socket or a device');
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect((await lstat(join(tools.workspace, 'pipe'))).isFIFO()).toBe(true);
  } finally {
    server.close();
  }
});

it('writes nothing into .git in any spelling [threat 3]', async () => {
  await using tools = await toolsUnderTest();
  for (const path of [
    '.git/hooks/pre-commit',
    '.git',
    'sub/.git/config',
    '.GIT/config',
    './x/../.git/config',
  ]) {
    expect(await tools.error('write_file', { path, content: 'evil' })).toContain('.git');
  }
  expect(await readdir(tools.workspace)).toEqual([]);
});

it('refuses the file that would complete a bare repository, and everything inside one [threat 3]', async () => {
  await using tools = await toolsUnderTest();
  const content = 'ref: refs/heads/main';
  for (const path of [
    'a/objects/x',
    'a/config',
    'a/refs/heads/main',
    'b/HEAD',
    'b/refs/x',
    'c/HEAD',
    'd/head',
  ]) {
    await tools.output('write_file', { path, content });
  }
  for (const path of ['a/HEAD', 'b/objects/pack/x', 'c/commondir', 'a/sub/../HEAD']) {
    expect(await tools.error('write_file', { path, content })).toContain('bare git repository');
  }
  await writeFile(join(tools.workspace, 'a/HEAD'), content);
  for (const path of ['a/config', 'a/hooks/post-checkout', 'a/any/file.txt']) {
    expect(await tools.error('write_file', { path, content })).toContain('bare git repository');
  }
  expect((await readdir(join(tools.workspace, 'a'))).sort()).toEqual(['HEAD', 'config', 'objects', 'refs']);
  expect(await readdir(join(tools.workspace, 'b'))).toEqual(['HEAD', 'refs']);
});

it('lists files that other programs run automatically [threat 3]', async () => {
  await using tools = await toolsUnderTest();
  expect(await tools.output('write_file', { path: '.vscode/tasks.json', content: '{}' })).toMatchObject({
    auto_run_files: ['.vscode/tasks.json'],
  });
  for (const path of [
    '.husky/pre-commit',
    'sub/.envrc',
    'Makefile',
    '.claude/agents/a.md',
    'web/package.json',
  ]) {
    expect(await tools.output('write_file', { path, content: '' })).toMatchObject({ auto_run_files: [path] });
  }
  expect(await tools.output('write_file', { path: 'src/a.ts', content: '' })).not.toHaveProperty(
    'auto_run_files',
  );
});

it('replaces a file atomically, keeps its mode, and leaves no temporary file', async () => {
  await using tools = await toolsUnderTest();
  const path = join(tools.workspace, 'script.sh');
  await tools.output('write_file', { path: 'script.sh', content: 'old' });
  await chmod(path, 0o755);
  const torn: string[] = [];
  let writing = true;
  const reader = (async () => {
    while (writing) {
      const text = await readFile(path, 'utf8');
      if (!/^(old|(.)\2{99999})$/s.test(text)) torn.push(text.slice(0, 20));
    }
  })();
  for (const letter of 'abcdefghij')
    await tools.output('write_file', { path: 'script.sh', content: letter.repeat(100_000) });
  writing = false;
  await reader;
  expect(torn).toEqual([]);
  expect((await stat(path)).mode & 0o777).toBe(0o755);
  expect(await readdir(tools.workspace)).toEqual(['script.sh']);
});

it('refuses to write more than 5 MB at once', async () => {
  await using tools = await toolsUnderTest();
  expect(
    await tools.error('write_file', { path: 'big', content: 'x'.repeat(5 * 1024 * 1024 + 1) }),
  ).toContain('at most 5242880');
  expect(await readdir(tools.workspace)).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'lists and searches a folder that may be listed but not entered, and refuses to write there',
  async () => {
    const isRoot = process.getuid?.() === 0;
    await using tools = await toolsUnderTest({}, isRoot ? NOBODY : undefined);
    await mkdir(join(tools.workspace, 'closed'));
    await writeFile(join(tools.workspace, 'closed/file'), 'needle');
    await writeFile(join(tools.workspace, 'open'), 'needle');
    await chmod(join(tools.workspace, 'closed'), 0o444);
    if (isRoot) process.seteuid?.(NOBODY); // root may enter everything
    try {
      expect(await tools.output('list_directory', { path: 'closed' })).toMatchObject({
        entries: [{ name: 'file', type: 'file' }],
      });
      expect(await tools.output('search_files', { pattern: 'needle' })).toMatchObject({
        matches: [{ path: 'open', line: 1, text: 'needle' }],
      });
      expect(await tools.error('write_file', { path: 'closed/new', content: 'x' })).toBe(
        'The system does not permit this for "closed/new".',
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(tools.workspace, 'closed'), 0o755);
    }
  },
);

it.runIf(process.getuid?.() === 0)("as root, written files belong to the workspace's owner", async () => {
  await using tools = await toolsUnderTest({}, NOBODY);
  await tools.output('write_file', { path: 'new/file', content: 'x' });
  expect((await stat(join(tools.workspace, 'new'))).uid).toBe(NOBODY);
  expect((await stat(join(tools.workspace, 'new/file'))).uid).toBe(NOBODY);
});

it('fault matrix: reports a full disk, and leaves the old file unchanged', async (context) => {
  await using disk = await temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk.path], { stdio: 'ignore' });
  } catch {
    context.skip('mounting needs root');
  }
  try {
    await using tools = await toolsUnderTest({ workspace: disk.path });
    await tools.output('write_file', { path: 'file', content: 'old' });
    expect(await tools.error('write_file', { path: 'file', content: 'x'.repeat(1024 * 1024) })).toContain(
      'no space left',
    );
    expect(await readFile(join(disk.path, 'file'), 'utf8')).toBe('old');
    expect(await readdir(disk.path)).toEqual(['file']);
  } finally {
    // The workspace stays open briefly.
    await vi.waitFor(() => execFileSync('umount', [disk.path], { stdio: 'pipe' }), 5 * LINGER_MS);
  }
});

it('searches plain text if ripgrep cannot run, and says so', async () => {
  await using tools = await toolsUnderTest();
  await tools.output('write_file', { path: 'b.md', content: 'no\n  Banana (ripe)\n' });
  await tools.output('write_file', { path: 'a/deep.md', content: 'banana banana' });
  await tools.output('write_file', { path: 'node_modules/x/banana.js', content: 'banana' });
  await mkdir(join(tools.workspace, '.git'));
  await writeFile(join(tools.workspace, '.git/config'), 'banana');
  expect(await tools.call('search_files', { pattern: 'banana' })).toEqual({
    success: true,
    tool: 'search_files',
    output: {
      pattern: 'banana',
      path: '.',
      count: 2,
      note: expect.stringContaining('plain text'),
      matches: [
        { path: 'a/deep.md', line: 1, text: 'banana banana' },
        { path: 'b.md', line: 2, text: 'Banana (ripe)' },
      ],
    },
  });
  expect(await tools.output('search_files', { pattern: 'banana (', path: 'b.md' })).toMatchObject({
    count: 1,
  });
  expect(await tools.call('search_files', { pattern: 'banana', max_results: 1 })).toMatchObject({
    truncated: true,
    output: { count: 1 },
  });
  expect(await tools.error('search_files', { pattern: 'x', path: 'missing' })).toContain('does not exist');
  expect(await tools.error('search_files', { pattern: '' })).toContain('one line');
});
