import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { openUnconfined } from './unconfined.ts';
import { runShell, temporaryFolder } from './under-test.ts';

async function running(text: string): Promise<number> {
  let count = 0;
  for (const pid of await readdir('/proc')) {
    const line = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '') : '';
    if (line.replaceAll('\0', ' ').includes(text)) count++;
  }
  return count;
}

describe.skipIf(process.platform !== 'linux')('commands in a process group, without a sandbox', () => {
  const sandbox = openUnconfined();

  it('reports that there is no sandbox', () => {
    const open = sandbox.report.protections.filter(({ holds }) => !holds).map(({ name }) => name);
    expect(open).toEqual(expect.arrayContaining(['filesystem', 'network', 'process-tree']));
    expect(sandbox.report.kind).toBe('none');
  });

  it('get a minimal environment and their own home [O8]', async () => {
    await using ws = await temporaryFolder();
    process.env.LOUPE_TEST_SECRET = 'environment-secret';
    const { stdout, exitCode } = await runShell(sandbox, ws.path, 'env; pwd; echo x > "$HOME/file"; exit 5');
    delete process.env.LOUPE_TEST_SECRET;
    expect(exitCode).toBe(5);
    expect(stdout.text).not.toContain('environment-secret');
    expect(stdout.text).toContain(`${ws.path}\n`);
    expect(await readdir(ws.path)).toEqual([]);
  });

  it('are not started without a place for temporary files, and the error says what to do', async () => {
    await using ws = await temporaryFolder();
    const missing = join(ws.path, 'missing');
    vi.stubEnv('TMPDIR', missing);
    await expect(runShell(sandbox, ws.path, 'true')).rejects.toMatchObject({
      code: 'command_not_started',
      message: expect.stringContaining('needs a folder for temporary files: ENOENT'),
      hint: `Make space for it in ${missing}, or start Loupe with the environment variable TMPDIR set to another folder.`,
    });
    vi.unstubAllEnvs();
    expect((await runShell(sandbox, ws.path, 'true')).exitCode).toBe(0);
  });

  it('keeps the text of a command out of process lists, and its descriptor out of its programs [threat 2]', async () => {
    await using ws = await temporaryFolder();
    const mark = `43.${Math.floor(Math.random() * 1e9)}`;
    const script = `# mark-of-a-command
      sleep ${mark} & echo begun; until [ -e looked ]; do sleep 0.02; done
      ls -l /proc/self/fd; read -r line; echo "input: $line"
      cat <<end
$#
end
      kill -9 $$`;
    let seen: Promise<number> | undefined;
    const look = async () => {
      await vi.waitFor(async () => expect(await running(`sleep ${mark}`)).toBe(1), 20_000);
      const count = await running('mark-of-a-command');
      await writeFile(join(ws.path, 'looked'), '');
      return count;
    };
    const outcome = await runShell(sandbox, ws.path, script, {
      onOutput: () => {
        seen ??= look();
      },
    });
    expect(await seen).toBe(0);
    expect(outcome.stdout.text).not.toContain('loupe-held');
    expect(outcome.stdout.text).toMatch(/input: \n0\n$/);
    expect(outcome.exitCode).toBe(137);
  });

  it('the whole group ends on a timeout, a stop and the end of the command [O7]', async () => {
    await using ws = await temporaryFolder();
    const mark = `41.${Math.floor(Math.random() * 1e9)}`;
    const both = `trap "" TERM; sleep ${mark} & sleep ${mark}`;
    expect(await runShell(sandbox, ws.path, both, { timeoutMs: 300 })).toMatchObject({
      end: 'timeout',
      exitCode: undefined,
    });
    expect(await runShell(sandbox, ws.path, both, { signal: AbortSignal.timeout(300) })).toMatchObject({
      end: 'stopped',
    });
    const left = await runShell(sandbox, ws.path, `sleep ${mark} & echo done`);
    expect(left).toMatchObject({ end: 'exited', exitCode: 0, stdout: { text: 'done\n' } });
    expect(left.durationMs).toBeLessThan(20_000);
    await sleep(50);
    expect(await running(`sleep ${mark}`)).toBe(0);
  });

  it('says so if the workspace has vanished', async () => {
    const ws = await temporaryFolder();
    await ws[Symbol.asyncDispose]();
    await expect(runShell(sandbox, ws.path, 'echo ran')).rejects.toMatchObject({ code: 'workspace_moved' });
  });

  it('does not wait for what left the group and holds the output open', async () => {
    await using ws = await temporaryFolder();
    const script = `setsid sh -c 'echo $$ > pid; exec sleep 60' &
      until [ -s pid ]; do sleep 0.02; done; echo started; exit 3`;
    const outcome = await runShell(sandbox, ws.path, script, { timeoutMs: 50_000 });
    const daemon = Number(await readFile(join(ws.path, 'pid'), 'utf8'));
    try {
      expect(outcome).toMatchObject({ end: 'exited', exitCode: 3, stdout: { text: 'started\n' } });
      expect(() => process.kill(daemon, 0)).not.toThrow();
    } finally {
      process.kill(daemon, 'SIGKILL');
    }
  });

  it('a killed server takes the group with it [O7]', async () => {
    await using ws = await temporaryFolder();
    const mark = `42.${Math.floor(Math.random() * 1e9)}`;
    const code = `const { openUnconfined } = await import(${JSON.stringify(new URL('./unconfined.ts', import.meta.url).pathname)});
      await openUnconfined().run({ workspace: ${JSON.stringify(ws.path)}, argv: ['/bin/sh', '-c', 'sleep ${mark} & sleep ${mark}'], timeoutMs: 60000 });`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    for (let tries = 0; (await running(`sleep ${mark}`)) < 2 && tries < 300; tries++) await sleep(30);
    expect(await running(`sleep ${mark}`)).toBeGreaterThanOrEqual(2);
    server.kill('SIGKILL');
    for (let tries = 0; (await running(`sleep ${mark}`)) > 0 && tries < 100; tries++) await sleep(30);
    expect(await running(`sleep ${mark}`)).toBe(0);
  });
});
