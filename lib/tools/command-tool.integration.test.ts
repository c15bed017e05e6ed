import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandTool } from '../events/command-tool.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { sandboxUnderTest } from '../sandbox/under-test.ts';
import { commandTool } from './command-tool.ts';
import { noSandbox, toolsUnderTest } from './under-test.ts';

const found = await sandboxUnderTest();
const sandbox = found ?? noSandbox;

function tool(changes: Partial<CommandTool>): CommandTool {
  return {
    name: 'own',
    description: 'A tool of this test.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    command: ['printf', '%s', '--', '{text}'],
    stdin: 'none',
    access: 'write',
    timeout_seconds: 20,
    ...changes,
  };
}

const withTool = (changes: Partial<CommandTool>, box: Sandbox = sandbox) =>
  toolsUnderTest({ sandbox: box, serverTools: [commandTool(tool(changes), box)] });

describe.skipIf(!found)('custom tools', () => {
  it.each([
    ['a command substitution', '$(touch made)'],
    ['backticks', '`touch made`'],
    ['a separator', '; touch made'],
    ['quotes', `'"; touch made; '"`],
    ['a pipe', '| touch made'],
    ['an and', '&& touch made'],
    ['a line break', 'a\ntouch made'],
    ['a redirect', '> made'],
    ['a glob and a home', '* ~ $HOME'],
    ['an option after a double dash', '--version'],
  ])('pass %s on as it is: no shell reads it [O25]', async (_what, text) => {
    await using own = await withTool({ command: ['printf', '%s', '{text}'] });
    await using dashed = await withTool({ command: ['printf', '--', '%s', '{text}'] });
    const tools = text.startsWith('-') ? dashed : own;
    expect(await tools.output('custom__own', { text })).toMatchObject({ exit_code: 0, stdout: text });
    expect(await readdir(tools.workspace)).toEqual([]);
  });

  it('pass the arguments as JSON on the standard input', async () => {
    const parameters = { type: 'object', properties: { items: { type: 'array' }, text: { type: 'string' } } };
    await using tools = await withTool({ stdin: 'json', command: ['cat'], parameters });
    const args = { items: [1, { a: null }], text: `'"$(touch made)\n€\u0000` };
    const { stdout } = await tools.output('custom__own', args);
    expect(JSON.parse(String(stdout))).toEqual(args);
    expect(await readdir(tools.workspace)).toEqual([]);
  });

  it('keep each argument beside JSON on the standard input', async () => {
    await using tools = await withTool({
      stdin: 'json',
      command: ['sh', '-c', 'printf "%s|" "$0" "$@"; cat', 'a b', '', '{text}', 'last'],
    });
    expect(await tools.output('custom__own', { text: '$(x) *' })).toMatchObject({
      stdout: 'a b||$(x) *|last|{"text":"$(x) *"}',
    });
  });

  it('change the workspace only if they may, and reach nothing else', async () => {
    const command = [
      'sh',
      '-c',
      'echo x > made; cat /etc/shadow; cat kept; ls /home; echo end',
      'sh',
      '{text}',
    ];
    for (const access of ['write', 'read'] as const) {
      await using tools = await withTool({ command, access });
      await writeFile(join(tools.workspace, 'kept'), 'kept\n');
      const { stdout, stderr } = await tools.output('custom__own', { text: '' });
      expect(stdout).toBe('kept\nend\n');
      expect(stderr).toContain('/etc/shadow');
      expect(await readdir(tools.workspace)).toEqual(access === 'write' ? ['kept', 'made'] : ['kept']);
    }
  });

  it('have no network and end at their time limit', async () => {
    await using network = await withTool({
      command: ['sh', '-c', 'cat /proc/net/dev | tail -n +3', 'sh', '{text}'],
    });
    expect((await network.output('custom__own', {})).stdout).not.toMatch(/eth|ens|wl/);
    await using slow = await withTool({ command: ['sleep', '{text}'], timeout_seconds: 1 });
    expect(await slow.call('custom__own', { text: '30' })).toMatchObject({
      success: false,
      tool: 'custom__own',
      output: { timed_out: true },
    });
  });

  it('leave .git read-only and report files that run by themselves', async () => {
    await using tools = await withTool({
      command: [
        'sh',
        '-c',
        'echo x > .git/hooks/pre-commit; mkdir -p .vscode; echo {} > .vscode/tasks.json; true',
        'sh',
        '{text}',
      ],
    });
    await mkdir(join(tools.workspace, '.git', 'hooks'), { recursive: true });
    expect(await tools.output('custom__own', {})).toMatchObject({ auto_run_files: ['.vscode/tasks.json'] });
    expect(await readdir(join(tools.workspace, '.git', 'hooks'))).toEqual([]);
  });

  it('check their arguments before they run, and report what failed', async () => {
    await using tools = await withTool({
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    });
    expect(await tools.error('custom__own', {})).toContain('"text" is missing');
    expect(await tools.error('custom__own', { text: 7 })).toContain('"text" must be a string');
    await using options = await withTool({ command: ['wc', '{text}'] });
    expect(await options.error('custom__own', { text: '--files0-from=-' })).toContain('begins with "-"');
    await using missing = await withTool({ command: ['no-such-program', '{text}'] });
    expect(await missing.call('custom__own', { text: 'a' })).toMatchObject({ success: false });
  });

  it('write files that stay', async () => {
    await using tools = await withTool({ command: ['tee', '--', 'note.txt'], stdin: 'json' });
    await tools.output('custom__own', { text: 'kept' });
    expect(await readFile(join(tools.workspace, 'note.txt'), 'utf8')).toBe('{"text":"kept"}');
  });
});

describe.skipIf(process.platform === 'win32')('custom tools without a sandbox', () => {
  it('get their arguments as JSON on the standard input, and nothing else [O25]', async () => {
    const command = ['sh', '-c', 'cat; [ -e /dev/fd/4 ] && echo open; true'];
    await using tools = await withTool({ stdin: 'json', command }, openUnconfined());
    expect(await tools.output('custom__own', { text: '$(x) *' })).toMatchObject({
      stdout: '{"text":"$(x) *"}',
    });
  });
});
