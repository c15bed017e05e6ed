import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
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

describe.skipIf(process.platform !== 'linux')('commands in a process group, where nothing confines', () => {
  const sandbox = openUnconfined();

  it('says that nothing confines', () => {
    const open = sandbox.report.protections.filter(({ holds }) => !holds).map(({ name }) => name);
    expect(open).toEqual(expect.arrayContaining(['filesystem', 'network', 'process-tree']));
    expect(sandbox.report.kind).toBe('none');
  });

  it('O8: get a small environment and a home of their own', async () => {
    await using ws = await temporaryFolder();
    process.env.LOUPE_TEST_SECRET = 'environment-secret';
    const { stdout, exitCode } = await runShell(sandbox, ws.path, 'env; pwd; echo x > "$HOME/file"; exit 5');
    delete process.env.LOUPE_TEST_SECRET;
    expect(exitCode).toBe(5);
    expect(stdout.text).not.toContain('environment-secret');
    expect(stdout.text).toContain(`${ws.path}\n`);
    expect(await readdir(ws.path)).toEqual([]);
  });

  it('O7: the whole group ends at the time limit, at a stop and at the end', async () => {
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

  it('O7: a killed server takes the group with it', async () => {
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
