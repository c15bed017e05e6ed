import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { sandboxUnderTest, temporaryFolder } from '../sandbox/under-test.ts';
import { runChecks } from './checks.ts';
import { noSandbox, toolsUnderTest } from './under-test.ts';

const found = await sandboxUnderTest();
const sandbox = found as Sandbox;
const signal = new AbortController().signal;

describe.skipIf(!found)('run_command', () => {
  it('runs in the workspace and returns what it wrote [O3]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    const result = await tools.call('run_command', { command: 'pwd; echo err >&2; echo x > made; exit 3' });
    expect(result).toMatchObject({
      success: false,
      output: { exit_code: 3, stdout: '/workspace\n', stderr: 'err\n' },
    });
    expect(await tools.output('read_file', { path: 'made' })).toMatchObject({ content: 'x\n' });
  });

  it('refuses blocked commands before they start [O6]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    await writeFile(join(tools.workspace, 'keep'), '');
    expect(await tools.error('run_command', { command: 'touch ran; rm -rf /' })).toMatch(
      /^Refused: .* The command was not run\.$/,
    );
    expect(await tools.error('run_command', { command: '  ' })).toBe('The command is empty.');
    expect(await tools.error('run_command', { command: 'a\0b' })).toContain('NUL');
    expect(await tools.error('run_command', { command: 'x'.repeat(40_000) })).toContain('at most 32768');
    expect(await readdir(tools.workspace)).toEqual(['keep']);
  });

  it('uses the patterns from the settings [O6]', async () => {
    await using tools = await toolsUnderTest({
      sandbox,
      blockedPatterns: [{ pattern: '\\bnpm\\b', reason: 'npm is off' }],
    });
    expect(await tools.error('run_command', { command: 'npm test' })).toContain('npm is off');
  });

  it('respects timeout_ms and its maximum [O7]', async () => {
    await using tools = await toolsUnderTest({ sandbox, shellTimeoutSecs: 1 });
    const startedAt = performance.now();
    const [short, capped] = [
      await tools.call('run_command', { command: 'sleep 30', timeout_ms: 200 }),
      await tools.call('run_command', { command: 'sleep 30', timeout_ms: 60_000 }),
    ];
    expect(short.output).toMatchObject({ timed_out: true, error: expect.stringContaining('200 ms') });
    expect(capped.output).toMatchObject({ timed_out: true, error: expect.stringContaining('1000 ms') });
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it('can be stopped by the operator [O7]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    const stop = new AbortController();
    const result = await tools.box.execute(
      { name: 'run_command', arguments: { command: 'echo begun; sleep 30' } },
      { signal: stop.signal, onOutput: () => stop.abort() },
    );
    expect(result.output).toMatchObject({
      killed: true,
      error: 'Stopped by the operator.',
      stdout: 'begun\n',
    });
  });

  it('bounds its result [O9]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    const result = await tools.call('run_command', {
      command: `yes '"quoted"' | head -c 500000; echo the-end`,
    });
    expect(result).toMatchObject({ success: true, truncated: true, output: { stdout_bytes: 500_008 } });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024);
    expect(JSON.stringify(result)).toContain('the-end');
  });

  it('lists files that other programs run automatically [threat 3]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    expect(await tools.output('run_command', { command: 'git init -q . && echo x > .envrc' })).toMatchObject({
      auto_run_files: ['.envrc', '.git', '.git/config', '.git/hooks'],
    });
    expect(await tools.output('run_command', { command: 'echo y > other; cat .envrc' })).not.toHaveProperty(
      'auto_run_files',
    );
  });

  it('returns a failed result and runs nothing if the sandbox cannot be created', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    await symlink('/tmp', join(tools.workspace, '.git'));
    expect(await tools.error('run_command', { command: 'touch ran' })).toContain(
      '.git of this workspace is a link',
    );
    expect(await readdir(tools.workspace)).toEqual(['.git']);
  });
});

describe.skipIf(!found || sandbox.ripgrep === undefined)('search_files with ripgrep', () => {
  it('finds lines by regular expression, in a deterministic order [O3]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    for (const name of ['c', 'a', 'b/x', '.hidden'])
      await tools.output('write_file', { path: `${name}.txt`, content: `no\nvalue: ${name}\n` });
    expect(await tools.call('search_files', { pattern: 'value: \\S+' })).toEqual({
      success: true,
      tool: 'search_files',
      output: {
        pattern: 'value: \\S+',
        path: '.',
        count: 4,
        matches: ['.hidden', 'a', 'b/x', 'c'].map((name) => ({
          path: `${name}.txt`,
          line: 2,
          text: `value: ${name}`,
        })),
      },
    });
    expect(await tools.output('search_files', { pattern: 'value', path: 'b' })).toMatchObject({ count: 1 });
    expect(await tools.output('search_files', { pattern: 'value', path: 'a.txt' })).toMatchObject({
      count: 1,
    });
    expect(await tools.output('search_files', { pattern: 'absent' })).toMatchObject({
      count: 0,
      matches: [],
    });
  });

  it('treats an invalid regular expression as text', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    await tools.output('write_file', { path: 'a.ts', content: 'call(foo[0' });
    expect(await tools.output('search_files', { pattern: 'call(foo[' })).toMatchObject({
      count: 1,
      note: 'The pattern is not a valid regular expression, so it was searched for as plain text.',
    });
  });

  it.each(['--pre=id', '--files', '-e', '--no-ignore', '-f/etc/passwd', '--'])(
    'treats %j as a pattern, never as an option',
    async (pattern) => {
      await using tools = await toolsUnderTest({ sandbox });
      await tools.output('write_file', { path: 'a', content: `x ${pattern} y` });
      expect(await tools.output('search_files', { pattern })).toMatchObject({
        count: 1,
        matches: [{ path: 'a', line: 1 }],
      });
    },
  );

  it.each(['a:1:b.txt', 'line\nbreak.txt', 'a\n.:1:x\n', 'esc\u001b[2Jape', 'tab\t\u009d\r', ' .'])(
    'reports a file named %j by its name',
    async (name) => {
      await using tools = await toolsUnderTest({ sandbox });
      await mkdir(join(tools.workspace, 'sub'));
      for (const path of [name, `sub/${name}`]) await writeFile(join(tools.workspace, path), 'no\nneedle\n');
      const matches = [name, `sub/${name}`].map((path) => ({ path, line: 2, text: 'needle' }));
      expect(await tools.output('search_files', { pattern: 'needle' })).toMatchObject({
        count: 2,
        matches: expect.arrayContaining(matches),
      });
      expect(await tools.output('search_files', { pattern: 'needle', path: 'sub' })).toMatchObject({
        matches: matches.slice(1),
      });
    },
  );

  it('finds text in a large file with one line', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    await writeFile(join(tools.workspace, 'large'), `needle${'x'.repeat(6_000_000)} and thread`);
    await writeFile(join(tools.workspace, 'small'), 'needle');
    for (const [pattern, text] of [
      ['needle', /^needlexxx/],
      ['thread|none', /^\[…\] x+ and thread$/],
      ['needl[e]', /^needlexxx/],
    ] as const) {
      expect(await tools.output('search_files', { pattern, path: '.' })).toMatchObject({
        matches: expect.arrayContaining([{ path: 'large', line: 1, text: expect.stringMatching(text) }]),
      });
    }
  });

  it('skips a binary file without losing the next one', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    await writeFile(join(tools.workspace, 'a'), `needle\n${'x'.repeat(200_000)}\n\0\nneedle\n`);
    await writeFile(join(tools.workspace, 'b'), 'needle \r end\r\n');
    expect(await tools.output('search_files', { pattern: 'needle' })).toMatchObject({
      matches: expect.arrayContaining([{ path: 'b', line: 1, text: 'needle \r end' }]),
    });
  });

  it('is not blocked by a hostile pattern, a pipe or a config file', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    await tools.output('write_file', { path: 'a', content: `${'a'.repeat(5000)}!` });
    await tools.output('write_file', { path: '.ripgreprc', content: '--pre=id\n' });
    execFileSync('mkfifo', [join(tools.workspace, 'pipe')]);
    const startedAt = performance.now();
    await tools.output('search_files', { pattern: '^(a+)+$' });
    await tools.call('search_files', { pattern: '(\\p{L}{1,50}){1,20}' });
    expect(performance.now() - startedAt).toBeLessThan(8000);
  });

  it('sees no file outside, not even through a link [O5]', async () => {
    await using outside = await temporaryFolder();
    await writeFile(join(outside.path, 'secret'), 'outside-secret');
    await using tools = await toolsUnderTest({ sandbox });
    await symlink(outside.path, join(tools.workspace, 'link'));
    await symlink(join(outside.path, 'secret'), join(tools.workspace, 'file'));
    await mkdir(join(tools.workspace, '.git'));
    await writeFile(join(tools.workspace, '.git/config'), 'outside-secret');
    expect(await tools.output('search_files', { pattern: 'outside-secret' })).toMatchObject({ count: 0 });
    await tools.output('write_file', { path: 'real/inside', content: 'found once' });
    await symlink('real', join(tools.workspace, 'inner-link'));
    expect(await tools.output('search_files', { pattern: 'found once' })).toMatchObject({ count: 1 });
  });

  it('shows the part of a long line that has the match', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    const long = (count: number) => 'é'.repeat(count);
    const lines = [
      'needle',
      `${long(400)}needle ends`,
      `${long(100_000)}needle${long(2000)}`,
      `  needle${long(600)}`,
    ];
    await writeFile(join(tools.workspace, 'a'), lines.join('\n'));
    const utf16 = Buffer.from(`\ufeff${long(2000)}needle`, 'utf16le');
    await writeFile(join(tools.workspace, 'b'), utf16);
    expect(await tools.output('search_files', { pattern: 'n.edle' })).toMatchObject({
      note: 'Long lines are cut.',
      matches: [
        { path: 'a', line: 1, text: 'needle' },
        { path: 'a', line: 2, text: `[…] ${long(60)}needle ends` },
        { path: 'a', line: 3, text: `[…] ${long(60)}needle${long(137)} […]` },
        { path: 'a', line: 4, text: `needle${long(197)} […]` },
        { path: 'b', line: 1, text: `${long(200)} […]` },
      ],
    });
  });

  it('returns no more than requested, ends early, and says so [O9]', async () => {
    await using tools = await toolsUnderTest({ sandbox });
    for (let index = 0; index < 20; index++) {
      await writeFile(join(tools.workspace, `f${index}`), `match ${'long '.repeat(100)}\n`.repeat(5000));
    }
    const result = await tools.call('search_files', { pattern: 'match', max_results: 7 });
    expect(result).toMatchObject({
      truncated: true,
      output: { count: 7, note: 'Only the first 7 matches are shown. Long lines are cut.' },
    });
    const many = await tools.call('search_files', { pattern: 'match', max_results: 500 });
    expect(many.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(many))).toBeLessThanOrEqual(64 * 1024);
  });
});

describe('verification checks [V11]', () => {
  it.skipIf(!found)(
    'check a command, an existing file and a text in a file, in order, with their output',
    async () => {
      await using tools = await toolsUnderTest({ sandbox });
      await tools.output('write_file', { path: 'summary.md', content: 'the river is long' });
      const results = await runChecks(
        [
          { type: 'command', command: 'test -s summary.md' },
          { type: 'command', command: 'echo seen; echo bad >&2; exit 4' },
          { type: 'file_exists', path: 'summary.md' },
          { type: 'file_exists', path: 'missing.md' },
          { type: 'file_contains', path: 'summary.md', text: 'river' },
          { type: 'file_contains', path: 'summary.md', text: 'mountain' },
        ],
        { workspace: tools.workspace, sandbox, signal },
      );
      expect(results.map(({ passed }) => passed)).toEqual([true, false, true, false, true, false]);
      expect(results[1]?.output).toBe('Exit code 4.\nbad\n\nseen\n');
      expect(results[3]?.output).toBe('"missing.md" does not exist.');
      expect(results[5]?.output).toBe('"summary.md" (17 bytes) does not contain the text.');
    },
  );

  it('find text of several lines whatever line ends the file has, unless the text names them', async () => {
    await using tools = await toolsUnderTest();
    await writeFile(join(tools.workspace, 'dos.txt'), 'one\r\ntwo\r\n');
    await writeFile(join(tools.workspace, 'unix.txt'), 'one\ntwo\n');
    const found = async (path: string, text: string) => {
      const options = { workspace: tools.workspace, sandbox: noSandbox, signal };
      return (await runChecks([{ type: 'file_contains', path, text }], options))[0]?.passed;
    };
    expect(await found('dos.txt', 'one\ntwo')).toBe(true);
    expect(await found('unix.txt', 'one\ntwo')).toBe(true);
    expect(await found('dos.txt', 'one\r\ntwo')).toBe(true);
    expect(await found('unix.txt', 'one\r\ntwo')).toBe(false);
  });

  it('take no folder for a file', async () => {
    await using tools = await toolsUnderTest();
    await mkdir(join(tools.workspace, 'summary.md'));
    const [result] = await runChecks([{ type: 'file_exists', path: 'summary.md' }], {
      workspace: tools.workspace,
      sandbox: noSandbox,
      signal,
    });
    expect(result).toMatchObject({ passed: false, output: '"summary.md" is a folder, not a file.' });
  });

  it('follow the same rules as tools [O5-O8]', async () => {
    await using tools = await toolsUnderTest();
    await symlink('/etc/passwd', join(tools.workspace, 'link'));
    await symlink('nowhere', join(tools.workspace, 'dangling'));
    const results = await runChecks(
      [
        { type: 'file_contains', path: '../../etc/passwd', text: 'root' },
        { type: 'file_contains', path: 'link', text: 'root' },
        { type: 'file_exists', path: '/etc/passwd' },
        { type: 'file_exists', path: 'link/x' },
        { type: 'file_exists', path: 'link' },
        { type: 'file_exists', path: 'dangling' },
      ],
      { workspace: tools.workspace, sandbox: noSandbox, signal },
    );
    expect(results.map(({ passed }) => passed)).toEqual(Array(6).fill(false));
    expect(results[5]?.output).toBe('"dangling" is a symbolic link, and links are not followed.');
    expect(results[0]?.output).toContain('leads out');
  });
});
