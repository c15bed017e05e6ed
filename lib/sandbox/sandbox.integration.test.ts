import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeDeviceNodes } from './device-nodes.ts';
import { bubblewrapSetup, openSandbox } from './probe.ts';
import { runInBubblewrap } from './run-bubblewrap.ts';
import type { Sandbox } from './sandbox.ts';
import { NOBODY, runShell, sandboxUnderTest, temporaryFolder } from './under-test.ts';

const found = await sandboxUnderTest();
const isRoot = process.getuid?.() === 0;

/** The number of processes on this machine with a text in their command line. */
async function processesWith(text: string): Promise<number> {
  let count = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.replaceAll('\0', ' ').includes(text) && Number(pid) !== process.pid) count++;
  }
  return count;
}

async function until(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (await condition()) return true;
    await sleep(20);
  }
  return condition();
}

const setup = await bubblewrapSetup();
const hasCgroup = setup?.cgroups.pids !== undefined;

// As root there are two cases: switch to the workspace's owner, or run as root without privileges.
const owners = isRoot ? [0, NOBODY] : [process.getuid?.() ?? 0];

describe.skipIf(!found).each(owners)('a command in a workspace of user %i', (owner) => {
  const sandbox = found as Sandbox;

  it('keeps the path of the workspace out of process lists, inside and outside', async () => {
    await using ws = await temporaryFolder(owner);
    const mark = `sleep 2.0${Math.floor(Math.random() * 1e9)}`;
    const running = runShell(
      sandbox,
      ws.path,
      `tr '\\0' ' ' < /proc/1/cmdline; ls -l /proc/self/fd; ${mark}`,
    );
    expect(await until(async () => (await processesWith(mark)) > 0, 10_000)).toBe(true);
    expect(await processesWith(ws.path)).toBe(0);
    const { stdout } = await running;
    expect(stdout.text).toContain('bwrap');
    expect(stdout.text).not.toContain(ws.path);
    expect(stdout.text).not.toContain('loupe-held');
  });

  it('keeps the text of a command out of process lists, inside and outside [threat 2]', async () => {
    await using ws = await temporaryFolder(owner);
    await mkdir(`${ws.path}/mark-of-a-folder/.git`, { recursive: true });
    const mark = `2.1${Math.floor(Math.random() * 1e9)}`;
    const script = `# mark-of-a-command
      cat /proc/[0-9]*/cmdline | tr '\\0' ' '; sleep ${mark}; cat <<end
$0 $#
end
      ls -l /proc/self/fd; exit 7`;
    const running = runShell(sandbox, ws.path, script);
    expect(await until(async () => (await processesWith(`sleep ${mark}`)) > 0, 10_000)).toBe(true);
    expect(await processesWith('mark-of')).toBe(0);
    const { stdout, stderr, exitCode } = await running;
    expect(stdout.text).toContain('/proc/1/cmdline');
    expect(stdout.text).not.toContain('mark-of');
    expect(stdout.text).toContain('/command 0\n');
    expect(stdout.text).not.toMatch(/-> \/(?:command|check)|loupe-held/);
    const argv = ['/bin/ls', '-l', '/proc/self/fd'] as const;
    const program = await sandbox.run({ workspace: ws.path, argv: [...argv], timeoutMs: 20_000 });
    expect(program.stdout.text).toContain('/dev/null');
    expect(program.stdout.text).not.toContain('loupe-held');
    expect({ stderr: stderr.text, exitCode }).toEqual({ stderr: '', exitCode: 7 });
  });

  it('runs a script longer than the argument limit', async () => {
    await using ws = await temporaryFolder(owner);
    const { stdout } = await runShell(sandbox, ws.path, `: ${'x'.repeat(200_000)}\necho ran`);
    expect(stdout.text).toBe('ran\n');
  });

  it('gets PATH, HOME and LANG only, even through the init process [O8]', async () => {
    await using ws = await temporaryFolder(owner);
    process.env.LOUPE_TEST_SECRET = 'environment-secret';
    try {
      const { stdout } = await runShell(
        sandbox,
        ws.path,
        'env; tr "\\0" "\\n" < /proc/1/environ; cat /proc/*/environ',
      );
      expect(stdout.text).not.toContain('environment-secret');
      const names = new Set(
        stdout.text
          .replaceAll('\0', '\n')
          .split('\n')
          .filter((line) => line.includes('='))
          .map((line) => line.slice(0, line.indexOf('='))),
      );
      for (const name of ['PWD', 'OLDPWD', '_', 'SHLVL']) names.delete(name); // the shell's own
      expect([...names].sort()).toEqual(['HOME', 'LANG', 'PATH']);
    } finally {
      delete process.env.LOUPE_TEST_SECRET;
    }
  });

  it('writes in the workspace and in sized temporary folders, and nowhere else [O8]', async () => {
    await using ws = await temporaryFolder(owner);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      `for f in /workspace/f /tmp/f /dev/shm/f /f /usr/f /usr/local/f /etc/f /etc/passwd /dev/f /proc/self/oom_score_adj /proc/sys/kernel/hostname; do
         (echo 1 > $f) 2>/dev/null && echo "$f yes" || echo "$f no"; done`,
    );
    const writable = stdout.text.split('\n').filter((line) => line.endsWith('yes'));
    expect(writable).toEqual(['/workspace/f yes', '/tmp/f yes', '/dev/shm/f yes']);
    expect(await readFile(`${ws.path}/f`, 'utf8')).toBe('1\n');
  });

  it('sees no home, no folder outside the workspace, no other process and no host path [O8]', async () => {
    await using ws = await temporaryFolder(owner);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'ls -A /; echo --; ls /etc; echo --; ls /proc | grep -c "^[0-9]"',
    );
    const [root, etc, processes] = stdout.text.split('--\n').map((part) => part.trim().split('\n'));
    const allowed = [
      'bin',
      'dev',
      'etc',
      'lib',
      'lib32',
      'lib64',
      'libx32',
      'nix',
      'opt',
      'proc',
      'sbin',
      'tmp',
      'usr',
      'workspace',
      // The script of the command, and the mount check that runs before it.
      'command',
      '.loupe-check',
    ];
    expect(allowed).toEqual(expect.arrayContaining(root ?? []));
    for (const name of ['shadow', 'ssh', 'ssl', 'hostname', 'machine-id', 'resolv.conf'])
      expect(etc).not.toContain(name);
    expect(Number(processes?.[0])).toBeLessThanOrEqual(6);
  });

  it('cannot follow a link out of the workspace [O8]', async () => {
    await using outside = await temporaryFolder();
    await chmod(outside.path, 0o777);
    await writeFile(`${outside.path}/secret`, 'outside-secret');
    await using ws = await temporaryFolder(owner);
    await symlink(outside.path, `${ws.path}/link`);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'cat link/secret; echo x > link/new; ls ..; echo end',
    );
    expect(stdout.text).not.toContain('outside-secret');
    expect(stdout.text).toContain('end');
    expect(await readdir(outside.path)).toEqual(['secret']);
  });

  it('reaches no port of this machine [O8]', async () => {
    await using ws = await temporaryFolder(owner);
    let reached = 0;
    const server = createServer((socket) => {
      reached++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const script = `const s = require('net').connect(${port}, '127.0.0.1'); s.on('connect', () => console.log('reached')); s.on('error', (e) => console.log(e.code))`;
      await writeFile(`${ws.path}/connect.cjs`, script);
      const { stdout } = await runShell(sandbox, ws.path, 'node connect.cjs');
      expect(stdout.text).toBe('ECONNREFUSED\n');
      expect(reached).toBe(0);
    } finally {
      server.close();
    }
  });

  it('holds no capability, can gain none, and cannot create namespaces [O8]', async () => {
    await using ws = await temporaryFolder(owner);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; unshare -U true && echo made; unshare -r true && echo made; mount -t tmpfs none /tmp && echo mounted',
    );
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
      expect(stdout.text).toContain(`${set}:\t0000000000000000`);
    }
    expect(stdout.text).toContain('NoNewPrivs:\t1');
    expect(stdout.text).toContain('Seccomp:\t2');
    expect(stdout.text).not.toMatch(/made|mounted/);
  });

  // Lowering the priority is best effort and may come too late on a busy machine, hence the retry.
  it('has its own namespaces and session, and a lower priority than the server [O8]', {
    retry: 2,
  }, async () => {
    await using ws = await temporaryFolder(owner);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'for n in user pid net ipc uts mnt cgroup; do readlink /proc/self/ns/$n; done; uname -n; cut -d" " -f6,19 /proc/self/stat; cat /proc/self/oom_score_adj',
    );
    const lines = stdout.text.trim().split('\n');
    const ours = await Promise.all(
      ['user', 'pid', 'net', 'ipc', 'uts', 'mnt', 'cgroup'].map((name) => readlink(`/proc/self/ns/${name}`)),
    );
    for (const [index, namespace] of ours.entries()) {
      expect(lines[index]).toMatch(/^\w+:\[\d+\]$/);
      expect(lines[index]).not.toBe(namespace);
    }
    expect(lines[7]).toBe('sandbox');
    // A session that started outside has no ID inside.
    expect(lines[8]).toMatch(/^[1-9]\d* 10$/);
    expect(lines[9]).toBe('600');
  });

  it('makes no user namespace, even without a system call filter [O8]', async () => {
    if (!setup) throw new Error('Without bubblewrap this is not run');
    await using ws = await temporaryFolder(owner);
    const outcome = await runInBubblewrap(
      { ...setup, filter: false },
      {
        workspace: ws.path,
        argv: ['/bin/sh', '-c', 'grep Seccomp: /proc/self/status; unshare -U true && echo made'],
        timeoutMs: 9000,
      },
    );
    expect(outcome.stdout.text).toBe('Seccomp:\t0\n');
  });

  it('the system call filter refuses unix sockets, vsock, packet sockets and setuid files, and allows ordinary work [O8]', async () => {
    await using ws = await temporaryFolder(owner);
    const script = `
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def ask(name, action):
    try:
        action(); print(name, 'yes')
    except OSError as error: print(name, error.errno)
def call(name, *numbers):
    if libc.syscall(*numbers) < 0: raise OSError(ctypes.get_errno(), name)
ask('unix', lambda: socket.socket(socket.AF_UNIX))
ask('vsock', lambda: socket.socket(40))
ask('packet', lambda: socket.socket(17, socket.SOCK_RAW))
ask('alg', lambda: socket.socket(38, socket.SOCK_SEQPACKET))
ask('netfilter', lambda: socket.socket(16, socket.SOCK_RAW, 12))
ask('inet', lambda: socket.socket(socket.AF_INET))
ask('pair', lambda: socket.socketpair())
open('file', 'w').close()
ask('setuid', lambda: os.chmod('file', 0o4755))
ask('setgid', lambda: os.chmod('file', 0o2755))
ask('setuid-new', lambda: os.open('new', os.O_CREAT | os.O_WRONLY, 0o4755))
ask('chmod', lambda: os.chmod('file', 0o755))
ask('ptrace', lambda: call('ptrace', ${process.arch === 'x64' ? 101 : 117}, 0, 0, 0, 0))
ask('io_uring', lambda: call('io_uring', 425, 1, 0))
ask('keyctl', lambda: call('keyctl', ${process.arch === 'x64' ? 250 : 219}, 0, 0, 0))
ask('bpf', lambda: call('bpf', ${process.arch === 'x64' ? 321 : 280}, 0, 0, 0))
`;
    await writeFile(`${ws.path}/ask.py`, script);
    const { stdout, stderr } = await runShell(sandbox, ws.path, 'python3 ask.py');
    expect(stderr.text).toBe('');
    expect(stdout.text.trim().split('\n')).toEqual([
      'unix 97',
      'vsock 97',
      'packet 97',
      'alg 97',
      'netfilter 97',
      'inet yes',
      'pair yes',
      'setuid 1',
      'setgid 1',
      'setuid-new 1',
      'chmod yes',
      'ptrace 1',
      'io_uring 38',
      'keyctl 1',
      'bpf 1',
    ]);
  });

  it('is killed at its time limit with its children, even if they ignore SIGTERM [O7]', async () => {
    await using ws = await temporaryFolder(owner);
    const mark = `31.${Math.floor(Math.random() * 1e9)}`;
    const outcome = await runShell(
      sandbox,
      ws.path,
      `trap "" TERM INT HUP; echo begun; (trap "" TERM; setsid sleep ${mark}) & sleep ${mark}`,
      // Long enough to create the sandbox and print a line on a busy machine.
      { timeoutMs: 3000 },
    );
    expect(outcome.end).toBe('timeout');
    expect(outcome.exitCode).toBeUndefined();
    expect(outcome.stdout.text).toBe('begun\n');
    expect(outcome.durationMs).toBeLessThan(20_000);
    expect(await processesWith(`sleep ${mark}`)).toBe(0);
  });

  it('leaves no daemon behind when it exits, and does not wait for one [O7]', async () => {
    await using ws = await temporaryFolder(owner);
    const mark = `32.${Math.floor(Math.random() * 1e9)}`;
    const outcome = await runShell(
      sandbox,
      ws.path,
      `setsid nohup sleep ${mark} & setsid sleep ${mark} > /dev/null 2>&1 & echo done`,
    );
    expect(outcome).toMatchObject({ end: 'exited', exitCode: 0 });
    expect(outcome.durationMs).toBeLessThan(20_000);
    expect(await processesWith(`sleep ${mark}`)).toBe(0);
  });

  it('is killed immediately when stopped [O7]', async () => {
    await using ws = await temporaryFolder(owner);
    const mark = `33.${Math.floor(Math.random() * 1e9)}`;
    const stop = new AbortController();
    const running = runShell(sandbox, ws.path, `sleep ${mark} & sleep ${mark}`, { signal: stop.signal });
    expect(await until(async () => (await processesWith(`sleep ${mark}`)) > 0, 5000)).toBe(true);
    const stoppedAt = performance.now();
    stop.abort();
    expect((await running).end).toBe('stopped');
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    expect(await processesWith(`sleep ${mark}`)).toBe(0);
  });

  it('a command stopped before its turn never starts', async () => {
    await using ws = await temporaryFolder(owner);
    const stop = new AbortController();
    const first = runShell(sandbox, ws.path, 'sleep 0.5; echo first >> log');
    const second = runShell(sandbox, ws.path, 'echo second >> log', { signal: stop.signal });
    const third = runShell(sandbox, ws.path, 'echo third >> log');
    stop.abort();
    expect((await second).end).toBe('stopped');
    await Promise.all([first, third]);
    expect(await readFile(`${ws.path}/log`, 'utf8')).toBe('first\nthird\n');
  });

  it('runs alone in its workspace', async () => {
    await using ws = await temporaryFolder(owner);
    const script = 'mkdir busy || echo together >> log; sleep 0.05; rmdir busy';
    await Promise.all(Array.from({ length: 6 }, () => runShell(sandbox, ws.path, script)));
    await expect(readFile(`${ws.path}/log`, 'utf8')).rejects.toThrow('ENOENT');
  });

  it('is killed when it floods its output; the start and the end are kept [O9]', async () => {
    await using ws = await temporaryFolder(owner);
    const flood = await runShell(sandbox, ws.path, 'echo begin; yes');
    expect(flood.end).toBe('output_limit');
    expect(flood.stdout.text.startsWith('begin\ny\n')).toBe(true);
    expect(flood.stdout.text.length).toBeLessThan(70 * 1024);

    const long = await runShell(sandbox, ws.path, 'echo begin; yes | head -c 1000000; echo end');
    expect(long.end).toBe('exited');
    expect(long.stdout.text.startsWith('begin\n')).toBe(true);
    expect(long.stdout.text.endsWith('end\n')).toBe(true);
    expect(long.stdout.omittedBytes).toBe(1_000_010 - 2 * 32 * 1024);
  });

  it('can open its output by name, as scripts do', async () => {
    await using ws = await temporaryFolder(owner);
    const outcome = await runShell(
      sandbox,
      ws.path,
      'echo out > /dev/stdout; echo err > /dev/stderr; echo both | tee /dev/stderr',
    );
    expect(outcome.stdout.text).toBe('out\nboth\n');
    expect(outcome.stderr.text).toBe('err\nboth\n');
  });

  it('streams its output while it runs', async () => {
    await using ws = await temporaryFolder(owner);
    const seen: string[] = [];
    const running = runShell(sandbox, ws.path, 'echo one; echo two >&2; sleep 1', {
      onOutput: (text, stream) => seen.push(`${stream}:${text}`),
    });
    expect(await until(async () => seen.length === 2, 900)).toBe(true);
    expect(seen.sort()).toEqual(['stderr:two\n', 'stdout:one\n']);
    await running;
  });

  it('cannot start more processes than allowed', async () => {
    await using ws = await temporaryFolder(owner);
    const mark = `34.${Math.floor(Math.random() * 1e9)}`;
    const outcome = await runShell(
      sandbox,
      ws.path,
      `i=0; while [ $i -lt 600 ]; do sleep ${mark} & i=$((i+1)); done; wait`,
      { timeoutMs: 8000 },
    );
    if (owner === 0 && !hasCgroup) expect(outcome.end).toBe('process_limit');
    else expect(outcome.stderr.text).toMatch(/fork|Resource temporarily unavailable/i);
    expect(await processesWith(`sleep ${mark}`)).toBe(0);
  });

  // Without a control group, a fork bomb by root is only counted, which is too risky for the test machine.
  it.skipIf(owner === 0 && !hasCgroup)('a fork bomb neither escapes nor affects the server', async () => {
    await using ws = await temporaryFolder(owner);
    const mark = `bomb${Math.floor(Math.random() * 1e9)}`;
    const outcome = await runShell(sandbox, ws.path, `${mark}() { ${mark} | ${mark} & }; ${mark}; sleep 3`, {
      timeoutMs: 2500,
    });
    expect(outcome.durationMs).toBeLessThan(20_000);
    expect(await processesWith(mark)).toBe(0);
    expect((await runShell(sandbox, ws.path, 'echo alive')).stdout.text).toBe('alive\n');
  });

  it('is held to its memory, per process and in total', async () => {
    await using ws = await temporaryFolder(owner);
    const one = await runShell(sandbox, ws.path, `python3 -c 'x = bytearray(3 << 30); print("had it")'`);
    expect(one.stdout.text).toBe('');
    expect(one.stderr.text).toContain('MemoryError');

    const MB = 1024 * 1024;
    const grow = `python3 -c 'import time; x = bytearray(100 << 20); time.sleep(20)' & `;
    const all = await runShell(sandbox, ws.path, `${grow.repeat(4)} wait`, {
      limits: { totalMemoryBytes: 250 * MB },
    });
    expect(all.end).toBe('memory_limit');
  });

  it('is held to the size of files, of temporary folders, and to the number of open files', async () => {
    await using ws = await temporaryFolder(owner);
    const MB = 1024 * 1024;
    const outcome = await runShell(
      sandbox,
      ws.path,
      'head -c 30M /dev/zero > big; wc -c < big; head -c 30M /dev/zero > /tmp/big; wc -c < /tmp/big; head -c 9M /dev/zero > /dev/shm/big; wc -c < /dev/shm/big; ulimit -n; ulimit -c',
      { limits: { fileBytes: 20 * MB, scratchBytes: 16 * MB, openFiles: 64 } },
    );
    expect(outcome.stdout.text.trim().split('\n')).toEqual([
      String(20 * MB),
      String(16 * MB),
      String(4 * MB),
      '64',
      '0',
    ]);
  });

  it('is held to its CPU time limit', async () => {
    await using ws = await temporaryFolder(owner);
    const outcome = await runShell(sandbox, ws.path, 'ulimit -t', { timeoutMs: 4000 });
    expect(outcome.stdout.text).toBe('5\n');
  });

  it('is killed when the disk is nearly full', async () => {
    await using ws = await temporaryFolder(owner);
    const outcome = await runShell(sandbox, ws.path, 'sleep 10', {
      limits: { minFreeDiskBytes: Number.MAX_SAFE_INTEGER },
    });
    expect(outcome.end).toBe('disk_full');
  });

  it('continues when the disk is nearly full, if it cannot write to it', async () => {
    await using ws = await temporaryFolder(owner);
    const outcome = await runShell(sandbox, ws.path, 'sleep 0.5; echo read', {
      readOnly: true,
      limits: { minFreeDiskBytes: Number.MAX_SAFE_INTEGER },
    });
    expect(outcome).toMatchObject({ end: 'exited', stdout: { text: 'read\n' } });
  });

  it('sees .git read-only as a whole, and cannot move it [threat 3]', async () => {
    await using ws = await temporaryFolder(owner);
    await mkdir(`${ws.path}/.git/hooks`, { recursive: true });
    await writeFile(`${ws.path}/.git/config`, '[core]\n');
    execFileSync('chown', ['-R', String(owner), ws.path]);
    const outcome = await runShell(
      sandbox,
      ws.path,
      `echo evil > .git/hooks/pre-commit; echo evil >> .git/config; mv .git old; rm -rf .git; mkdir -p .git/hooks; ln -s /tmp .git/x; echo ok > fine; cat .git/config`,
    );
    expect(outcome.stdout.text).toBe('[core]\n');
    expect(await readdir(`${ws.path}/.git/hooks`)).toEqual([]);
    expect(await readFile(`${ws.path}/.git/config`, 'utf8')).toBe('[core]\n');
    expect((await readdir(ws.path)).sort()).toEqual(['.git', 'fine']);
  });

  it('sees the .git of a repository in a subfolder read-only, and ignores what it cannot reach [threat 3]', async () => {
    await using ws = await temporaryFolder(owner);
    await mkdir(`${ws.path}/libs/one/.git/hooks`, { recursive: true });
    await mkdir(`${ws.path}/two`);
    await writeFile(`${ws.path}/two/.git`, 'gitdir: ../.git/modules/two\n');
    await mkdir(`${ws.path}/linked`);
    await symlink('/tmp', `${ws.path}/linked/.git`);
    execFileSync('chown', ['-R', String(owner), ws.path]);
    await mkdir(`${ws.path}/closed/.git`, { recursive: true });
    await chmod(`${ws.path}/closed`, 0o000);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'echo evil > libs/one/.git/hooks/pre-commit; echo evil > two/.git; mv libs/one/.git x; rm -rf two/.git; echo ran',
    );
    expect(stdout.text).toBe('ran\n');
    expect(await readdir(`${ws.path}/libs/one/.git/hooks`)).toEqual([]);
    expect(await readFile(`${ws.path}/two/.git`, 'utf8')).toContain('gitdir');
    await chmod(`${ws.path}/closed`, 0o700);
  });

  it('does not run if the workspace, or a parent folder, has become a link [threat 1]', async () => {
    await using outside = await temporaryFolder(owner);
    await mkdir(`${outside.path}/inner`);
    await using above = await temporaryFolder(owner);
    await mkdir(`${above.path}/sub/inner`, { recursive: true });
    execFileSync('chown', ['-R', String(owner), above.path, outside.path]);
    // A command in the parent folder can do this: to it, the link is only text.
    await runShell(sandbox, above.path, `mv sub was; ln -s ${outside.path} sub`);
    for (const path of [`${above.path}/sub`, `${above.path}/sub/inner`]) {
      for (const readOnly of [false, true]) {
        await expect(runShell(sandbox, path, 'echo x > escaped; ls', { readOnly })).rejects.toMatchObject({
          code: 'workspace_moved',
        });
      }
    }
    expect(await readdir(outside.path)).toEqual(['inner']);
    expect(await readdir(`${outside.path}/inner`)).toEqual([]);
  });

  // Simulates a swap in the milliseconds between check and mount, with a modified bwrap.
  it.each([
    [
      'another folder is mounted as the workspace',
      '--bind WS /workspace',
      '--bind OUTSIDE /workspace',
      false,
    ],
    ['another folder is mounted to be read', '--ro-bind WS /workspace', '--ro-bind OUTSIDE /workspace', true],
    ['another folder is mounted over a .git', 'WS/libs/.git /workspace', 'OUTSIDE /workspace', false],
    ['a folder is mounted elsewhere', 'WS/libs/.git /workspace/libs/.git', 'OUTSIDE /workspace/leak', false],
  ])('runs nothing when %s [threat 1]', async (_, meant, instead, readOnly) => {
    await using outside = await temporaryFolder(owner);
    await writeFile(`${outside.path}/secret`, 'outside-secret');
    await using ws = await temporaryFolder(owner);
    await mkdir(`${ws.path}/libs/.git`, { recursive: true });
    await mkdir(`${ws.path}/leak`);
    execFileSync('chown', ['-R', String(owner), ws.path, outside.path]);
    await using tool = await temporaryFolder(owner);
    const named = (text: string) => text.replaceAll('WS', ws.path).replaceAll('OUTSIDE', outside.path);
    const [before, after] = [named(meant), named(instead)].map((text) => text.split(' '));
    const [first = '', second = ''] = before?.slice(-2) ?? [];
    const [newFirst = '', newSecond = ''] = after?.slice(-2) ?? [];
    await writeFile(
      `${tool.path}/bwrap`,
      `#!/usr/bin/env bash
given=()
while [ $# -gt 0 ]; do
  if [ "$1" = --args ]; then mapfile -d '' -t -O \${#given[@]} given <&"$2"; shift 2
  else given+=("$1"); shift; fi
done
set -- "\${given[@]}"
args=()
while [ $# -gt 0 ]; do
  if [ "$1" = '${first}' ] && [[ "$2" = '${second}'* ]]; then
    args+=('${newFirst}' "${newSecond}\${2#'${second}'}"); shift 2
  else args+=("$1"); shift; fi
done
exec ${setup?.host.bwrap} "\${args[@]}"
`,
      { mode: 0o755 },
    );
    await chmod(tool.path, 0o755);
    if (!setup) throw new Error('There is no bubblewrap');
    const swapped = { ...setup, host: { ...setup.host, bwrap: `${tool.path}/bwrap` } };
    const command = {
      argv: ['/bin/sh', '-c', 'echo ran > ran; cat secret */secret libs/.git/secret'] as const,
    };
    await expect(
      runInBubblewrap(swapped, { ...command, workspace: ws.path, readOnly, timeoutMs: 20_000 }),
    ).rejects.toMatchObject({
      code: 'sandbox_failed',
      message: expect.stringContaining('while it was mounted'),
    });
    expect(await readdir(outside.path)).not.toContain('ran');
    expect(await readdir(ws.path)).not.toContain('ran');
  });

  it('says so if its workspace vanishes while the sandbox is set up', async () => {
    await using ws = await temporaryFolder(owner);
    await using tool = await temporaryFolder(owner);
    await chmod(tool.path, 0o755);
    if (!setup) throw new Error('There is no bubblewrap');
    const bwrap = `${tool.path}/bwrap`;
    await writeFile(bwrap, `#!/bin/sh\nmv ${ws.path} ${tool.path}/gone\nexec ${setup.host.bwrap} "$@"\n`, {
      mode: 0o755,
    });
    await expect(
      runInBubblewrap(
        { ...setup, host: { ...setup.host, bwrap } },
        { workspace: ws.path, argv: ['/bin/true'], timeoutMs: 20_000 },
      ),
    ).rejects.toMatchObject({ code: 'workspace_moved' });
  });

  it('says that there is no space for its temporary files, and leaves no descriptor open', async () => {
    await using ws = await temporaryFolder(owner);
    if (!setup) throw new Error('There is no bubblewrap');
    const full = () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const run = () =>
      runInBubblewrap(
        { ...setup, files: [full] },
        { workspace: ws.path, argv: ['/bin/true'], timeoutMs: 20_000 },
      );
    const refused = { code: 'no_space', message: expect.stringContaining('no disk space') };
    await expect(run()).rejects.toMatchObject(refused);
    const before = (await readdir('/proc/self/fd')).length;
    for (let times = 0; times < 5; times++) await expect(run()).rejects.toMatchObject(refused);
    await sleep(50);
    expect((await readdir('/proc/self/fd')).length).toBe(before);
  });

  it.runIf(process.arch === 'x64')('cannot hold memory in nameless files', async () => {
    await using ws = await temporaryFolder(owner);
    const script = `perl -e 'my $name = "held"; my $fd = syscall(319, $name, 0); print $fd < 0 ? "refused" : "made"'`;
    expect((await runShell(sandbox, ws.path, script)).stdout.text).toBe('refused');
  });

  it('is killed when it makes more temporary files than it may', async () => {
    await using ws = await temporaryFolder(owner);
    for (const folder of ['/tmp', '/dev/shm']) {
      const script = `perl -e 'for (1..20000) { open(F, ">", "${folder}/f$_") or last; close F } sleep 30'`;
      const { end } = await runShell(sandbox, ws.path, script, { limits: { scratchFiles: 5000 } });
      expect(end).toBe('scratch_limit');
    }
  });

  it('is killed when it takes more shared memory than it may, with and without a control group', async () => {
    if (!setup) throw new Error('Without bubblewrap this is not run');
    await using ws = await temporaryFolder(owner);
    const bytes = 64 * 1024 * 1024;
    // Each segment outlives its writer: no process holds it.
    const script = `for i in 1 2 3 4 5 6 7 8; do
      perl -e '$id = shmget(0, ${bytes}, 0600); shmwrite($id, "x" x ${bytes}, 0, ${bytes}) or exit 1' || exit 1; done; sleep 30`;
    for (const cgroups of [setup.cgroups, {}]) {
      const { end } = await runInBubblewrap(
        { ...setup, cgroups },
        {
          workspace: ws.path,
          argv: ['/bin/sh', '-c', script],
          timeoutMs: 25_000,
          limits: { totalMemoryBytes: 256 * 1024 * 1024 },
        },
      );
      expect(end).toBe('memory_limit');
    }
  });

  it('changes no device node of the host, and the nodes of the next command stay usable', async () => {
    await using ws = await temporaryFolder(owner);
    const names = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
    const nodes = () =>
      names.map((name) => {
        const { mode, uid, gid } = statSync(`/dev/${name}`);
        return { name, mode, uid, gid };
      });
    const before = nodes();
    await runShell(sandbox, ws.path, `cd /dev; chmod 600 ${names.join(' ')}; rm -f ${names.join(' ')}`);
    expect(nodes()).toEqual(before);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'cd /dev; echo x > null && head -c 3 zero | wc -c && head -c 3 urandom | wc -c; echo x 2> /dev/null > full || echo full',
    );
    expect(stdout.text).toBe('3\n3\nfull\n');
  });

  it('sees a bare repository in a subfolder read-only, and does not run in one [threat 3]', async () => {
    await using ws = await temporaryFolder(owner);
    for (const name of ['HEAD', 'config']) {
      await mkdir(`${ws.path}/libs/mirror/objects`, { recursive: true });
      await mkdir(`${ws.path}/libs/mirror/refs`, { recursive: true });
      await writeFile(`${ws.path}/libs/mirror/${name}`, 'ref: refs/heads/main\n');
    }
    execFileSync('chown', ['-R', String(owner), ws.path]);
    const { stdout } = await runShell(
      sandbox,
      ws.path,
      'cd libs; echo evil > mirror/config; mkdir mirror/hooks; mv mirror x; rm -rf mirror; echo ran',
    );
    expect(stdout.text).toBe('ran\n');
    expect(await readFile(`${ws.path}/libs/mirror/config`, 'utf8')).toBe('ref: refs/heads/main\n');
    expect((await readdir(`${ws.path}/libs/mirror`)).sort()).toEqual(['HEAD', 'config', 'objects', 'refs']);
    await expect(runShell(sandbox, `${ws.path}/libs/mirror`, 'echo ran')).rejects.toThrow(
      'bare git repository',
    );
  });

  it('protects a .git file, and refuses to run with a .git link [threat 3]', async () => {
    await using ws = await temporaryFolder(owner);
    await writeFile(`${ws.path}/.git`, 'gitdir: elsewhere\n');
    await runShell(sandbox, ws.path, 'echo evil > .git; rm -f .git; mv .git x');
    expect(await readFile(`${ws.path}/.git`, 'utf8')).toBe('gitdir: elsewhere\n');

    await using linked = await temporaryFolder(owner);
    await symlink('/tmp', `${linked.path}/.git`);
    await expect(runShell(sandbox, linked.path, 'echo ran > file')).rejects.toMatchObject({
      code: 'git_link',
    });
    expect(await readdir(linked.path)).toEqual(['.git']);
  });

  it('a read-only workspace can be read but not written', async () => {
    await using ws = await temporaryFolder(owner);
    await writeFile(`${ws.path}/file`, 'text');
    const outcome = await runShell(sandbox, ws.path, 'cat file; echo x > new; echo x > file', {
      readOnly: true,
    });
    expect(outcome.stdout.text).toBe('text');
    expect(await readdir(ws.path)).toEqual(['file']);
  });

  it('reports exit codes and signals', async () => {
    await using ws = await temporaryFolder(owner);
    const codes = await Promise.all(
      ['exit 0', 'exit 7', 'kill -9 $$', 'no-such-program'].map((script) =>
        runShell(sandbox, ws.path, script),
      ),
    );
    expect(codes.map(({ end, exitCode }) => [end, exitCode])).toEqual([
      ['exited', 0],
      ['exited', 7],
      ['exited', 137],
      ['exited', 127],
    ]);
  });

  it('its files belong to the owner of the workspace', async () => {
    await using ws = await temporaryFolder(owner);
    await runShell(sandbox, ws.path, 'echo x > made');
    expect((await stat(`${ws.path}/made`)).uid).toBe(owner);
  });
});

describe.skipIf(!found)('the sandbox around commands', () => {
  const sandbox = found as Sandbox;

  it('reports when it cannot be set up', async () => {
    await expect(runShell(sandbox, '/nonexistent-workspace', 'true')).rejects.toThrow();
  });

  it('leaks no descriptors over many commands', async () => {
    await using ws = await temporaryFolder();
    const open = async () => (await readdir('/proc/self/fd')).length;
    await runShell(sandbox, ws.path, 'true');
    const before = await open();
    for (let i = 0; i < 20; i++)
      await runShell(sandbox, ws.path, 'echo x', { timeoutMs: i % 2 === 0 ? 5000 : 1 });
    expect(await open()).toBeLessThanOrEqual(before + 4);
  });

  it('no process of a command holds a folder open, which would lead out of the sandbox [threat 1]', async () => {
    await using ws = await temporaryFolder();
    const script =
      'for fd in /proc/1/fd/* /proc/$$/fd/*; do [ -d $fd ] && echo $fd; done; ls /proc/1/fd | head -1';
    for (const readOnly of [false, true]) {
      const { stdout } = await runShell(sandbox, ws.path, script, { readOnly });
      expect(stdout.text).toBe('0\n');
    }
  });

  it('passes no inherited descriptor to commands', async () => {
    await using ws = await temporaryFolder();
    await using outside = await temporaryFolder();
    await writeFile(`${outside.path}/secret`, 'descriptor-secret');
    const probe = new URL('./probe.ts', import.meta.url).pathname;
    const code = `const { openSandbox } = await import(${JSON.stringify(probe)});
      const sandbox = await openSandbox();
      const argv = ['/bin/sh', '-c', 'cat /proc/self/fd/*/secret; echo end'];
      console.log((await sandbox.run({ workspace: ${JSON.stringify(ws.path)}, argv, timeoutMs: 9000 })).stdout.text);`;
    // Node closes low descriptors itself, so use a high one.
    const folder = openSync(outside.path, 'r');
    const stdio: ('ignore' | 'pipe' | 'inherit' | number)[] = ['ignore', 'pipe', 'inherit'];
    while (stdio.length < 40) stdio.push('ignore');
    stdio.push(folder);
    const server = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio });
    closeSync(folder);
    let output = '';
    server.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => server.once('close', resolve));
    expect(output.trim()).toBe('end');
  });

  it('a command stopped during the set-up of its sandbox leaves nothing behind', async () => {
    await using ws = await temporaryFolder();
    for (let i = 0; i < 40; i++) await runShell(sandbox, ws.path, 'sleep 9', { timeoutMs: 1 + (i % 14) });
    expect(await processesWith(ws.path)).toBe(0);
  });

  it('a killed server takes its commands with it', async () => {
    await using ws = await temporaryFolder();
    const mark = `35.${Math.floor(Math.random() * 1e9)}`;
    const probe = new URL('./probe.ts', import.meta.url).pathname;
    const code = `const { openSandbox } = await import(${JSON.stringify(probe)});
      const sandbox = await openSandbox();
      await sandbox.run({ workspace: ${JSON.stringify(ws.path)}, argv: ['/bin/sh', '-c', 'setsid sleep ${mark} & touch begun; sleep ${mark}'], timeoutMs: 60000 });`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    expect(await until(async () => (await readdir(ws.path)).includes('begun'), 15_000)).toBe(true);
    expect(await processesWith(`sleep ${mark}`)).toBeGreaterThan(1);
    server.kill('SIGKILL');
    expect(await until(async () => (await processesWith(`sleep ${mark}`)) === 0, 10_000)).toBe(true);
  });

  it.runIf(isRoot)('removes the devices of all sandboxes of a process with one listener', () => {
    makeDeviceNodes();
    const before = process.listenerCount('exit');
    const made = [makeDeviceNodes(), makeDeviceNodes()];
    expect(process.listenerCount('exit')).toBe(before);
    expect(new Set(made.map((nodes) => nodes?.folder)).size).toBe(setup?.devices ? 2 : 1);
  });

  it.runIf(isRoot)('works for an ordinary user, with every protection', async () => {
    const probe = new URL('./probe.ts', import.meta.url).pathname;
    const code = `const { openSandbox } = await import(${JSON.stringify(probe)});
      console.log(JSON.stringify((await openSandbox()).report));`;
    const ids = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', '--'];
    const output = execFileSync('setpriv', [...ids, process.execPath, '--input-type=module', '-e', code], {
      cwd: '/',
      encoding: 'utf8',
    });
    const report = JSON.parse(output);
    expect(report.available).toBe(true);
    expect(report.protections.filter(({ holds }: { holds: boolean }) => !holds)).toEqual([]);
  });

  it.runIf(isRoot)(
    'refuses a workspace whose owner cannot enter it, instead of running as another user',
    async () => {
      await using closed = await temporaryFolder();
      await chmod(closed.path, 0o700);
      await mkdir(`${closed.path}/ws`);
      execFileSync('chown', [String(NOBODY), `${closed.path}/ws`]);
      await expect(runShell(sandbox, `${closed.path}/ws`, 'true')).rejects.toMatchObject({
        code: 'sandbox_user',
      });
      // Commands run after following the hint.
      await chmod(closed.path, 0o711);
      expect((await runShell(sandbox, `${closed.path}/ws`, 'echo ran')).stdout.text).toBe('ran\n');
    },
  );

  it.runIf(hasCgroup)(
    'as root without control groups, too many processes are detected and killed',
    async () => {
      if (!setup) throw new Error('Without bubblewrap this is not run');
      await using ws = await temporaryFolder();
      const outcome = await runInBubblewrap(
        { ...setup, cgroups: {} },
        {
          workspace: ws.path,
          argv: ['/bin/sh', '-c', 'i=0; while [ $i -lt 300 ]; do sleep 36.5 & i=$((i+1)); done; wait'],
          timeoutMs: 8000,
        },
      );
      expect(outcome.end).toBe('process_limit');
      expect(await processesWith('sleep 36.5')).toBe(0);
    },
  );

  it.runIf(hasCgroup)('removes its control groups, including those of a killed server', async () => {
    await using ws = await temporaryFolder();
    const parent = setup?.cgroups.pids ?? '';
    // The group of an impossible PID, above the Linux maximum.
    await mkdir(`${parent}/loupe-command-999999999-left`);
    await runShell(await openSandbox(), ws.path, 'true');
    expect((await readdir(parent)).filter((name) => name.startsWith('loupe-command-999999999'))).toEqual([]);
  });

  it('reports which protections hold', () => {
    const missing = sandbox.report.protections.filter(({ holds }) => !holds).map(({ name }) => name);
    const asRoot = hasCgroup ? ['unprivileged-user'] : ['process-count', 'unprivileged-user'];
    expect(missing).toEqual(isRoot ? asRoot : []);
  });
});
