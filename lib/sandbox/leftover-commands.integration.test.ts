import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endLeftovers, serverMark } from './leftover-commands.ts';
import { sandboxUnderTest, temporaryFolder } from './under-test.ts';

const found = await sandboxUnderTest();

/** The number of processes with a text in their arguments. */
function processesWith(text: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false; // exited meanwhile
    }
  }).length;
}

describe.runIf(process.platform === 'linux')('what a killed server left behind', () => {
  const marked = (mark: readonly string[]) =>
    spawn('/bin/sh', ['-c', 'while :; do sleep 1; done', 'sh', ...mark], { stdio: 'ignore' });
  const ended = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

  it('fault matrix: is killed by its mark, even if the PID of its server was reused', async () => {
    const name = 'LOUPE_TEST';
    const [flag, mark] = serverMark(name);
    const own = marked([flag, mark]);
    const reused = marked([flag, mark.replace(/_\d+$/, '_1')]);
    const gone = marked([flag, `${name}_4194305_7`]);
    const foreign = marked([`${name}_4194305_7`]);
    try {
      await Promise.all([own, reused, gone, foreign].map((child) => once(child, 'spawn')));
      const ends = Promise.all([once(reused, 'exit'), once(gone, 'exit')]);
      expect(endLeftovers(name)).toBe(2);
      await ends;
      expect([ended(own), ended(foreign)]).toEqual([false, false]);
    } finally {
      for (const child of [own, reused, gone, foreign]) child.kill('SIGKILL');
    }
  });

  it.skipIf(!found)(
    'fault matrix: nothing remains after the next start, at whatever point of the set-up the server was killed',
    async () => {
      await using ws = await temporaryFolder();
      const probe = new URL('./probe.ts', import.meta.url).pathname;
      const code = `const { openSandbox } = await import(${JSON.stringify(probe)});
        const sandbox = await openSandbox();
        process.on('message', () => {
          void sandbox.run({ workspace: ${JSON.stringify(ws.path)}, argv: ['/bin/sh', '-c', ${JSON.stringify(`: ${ws.path}; sleep 300`)}], timeoutMs: 400000 });
          process.send('running');
        });
        process.send('ready');`;
      let left = 0;
      for (let round = 0; round < 24; round++) {
        const server = spawn(process.execPath, ['--input-type=module', '-e', code], {
          stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        });
        await once(server, 'message');
        server.send('go');
        await once(server, 'message');
        await sleep(round);
        server.kill('SIGKILL');
        await once(server, 'exit');
        await sleep(50);
        left += processesWith(ws.path) > 0 ? 1 : 0;
        endLeftovers();
        for (let wait = 0; wait < 200 && processesWith(ws.path) > 0; wait++) await sleep(10);
        expect(processesWith(ws.path)).toBe(0);
      }
      console.info(
        `24 servers were killed 0 to 23 ms into a command: ${left} left something behind, now nothing is left`,
      );
    },
    60_000,
  );
});
