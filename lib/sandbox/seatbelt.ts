import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { runInProcessGroup } from './run-process-group.ts';
import type { ConfinedCommand, Protection, Sandbox } from './sandbox.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

/**
 * A macOS sandbox profile: deny by default, read the system, read and write the workspace and a scratch folder, no
 * network. Paths are passed as parameters, so that none can break out of a string in the profile. The last matching rule
 * wins.
 */
export function seatbeltProfile(options: { readOnly: boolean }): string {
  return `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read*
  (literal "/") (subpath "/bin") (subpath "/sbin") (subpath "/usr") (subpath "/System")
  (subpath "/Library/Apple") (subpath "/Library/Developer") (subpath "/Applications/Xcode.app")
  (subpath "/opt/homebrew") (subpath "/opt/local") (subpath "/private/var/db/timezone") (subpath "/private/var/select")
  (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (subpath "/dev/fd"))
(allow file-read* (subpath (param "WORKSPACE")))
(allow file-read* file-write* (subpath (param "SCRATCH")))
${options.readOnly ? '' : '(allow file-write* (subpath (param "WORKSPACE")))\n'}(deny file-write* (subpath (param "GIT")))
(deny file-write-setugid)
(deny network*)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
`;
}

/** The command line that runs a command under the profile. */
export function seatbeltArgv(command: ConfinedCommand, argv: readonly string[], scratch: string): string[] {
  return [
    PROGRAM,
    '-D',
    `WORKSPACE=${command.workspace}`,
    '-D',
    `GIT=${join(command.workspace, '.git')}`,
    '-D',
    `SCRATCH=${scratch}`,
    '-p',
    seatbeltProfile({ readOnly: command.readOnly ?? false }),
    ...argv,
  ];
}

/**
 * Probes the macOS sandbox: a command may write to its workspace, but must not read a file next to it, write to the home
 * folder, or reach a local port.
 *
 * @returns the sandbox, or a sentence that says which protection failed
 */
export async function openSeatbelt(): Promise<Sandbox | string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'loupe-probe-')));
  const workspace = join(folder, 'workspace');
  const run = async (command: ConfinedCommand) => {
    const canonicalScratch = async (argv: readonly string[], scratch: string) =>
      seatbeltArgv(command, argv, await realpath(scratch));
    return runInProcessGroup(command, canonicalScratch);
  };
  const server = createServer((socket) => socket.end('reached'));
  try {
    await mkdir(workspace);
    await listen(server);
    await writeFile(join(folder, 'secret'), 'secret-content');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const outcome = await run({
      workspace,
      timeoutMs: 10_000,
      argv: [
        '/bin/sh',
        '-c',
        'echo inside > probe; cat ../secret; echo x > "$1/.loupe-probe"; nc -w 2 127.0.0.1 "$2" < /dev/null; env; echo end',
        'sh',
        homedir(),
        String(port),
      ],
    });
    const written = await readFile(join(workspace, 'probe'), 'utf8').catch(() => '');
    const escaped = await rm(join(homedir(), '.loupe-probe')).then(
      () => true,
      () => false,
    );
    const { text } = outcome.stdout;
    if (written !== 'inside\n' || !text.includes('end'))
      return `sandbox-exec does not run commands: ${outcome.stderr.text.slice(0, 300)}`;
    if (text.includes('secret-content') || escaped)
      return 'sandbox-exec does not keep commands in the workspace.';
    if (text.includes('reached')) return 'sandbox-exec does not keep commands from the network.';
    return {
      report: { available: true, kind: 'sandbox-exec', protections: PROTECTIONS },
      workspacePath: (path) => path,
      ripgrep: undefined,
      run,
      startServer: () =>
        Promise.reject(
          new AppError({
            code: 'sandbox_missing',
            message: 'Servers that run as programs cannot be confined on macOS.',
            hint: 'Use a server with an HTTP address, or run Loupe in a Linux container.',
          }),
        ),
    };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function listen(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

const PROTECTIONS: readonly Protection[] = [
  {
    name: 'filesystem',
    holds: true,
    detail: 'Commands see the system and the workspace, and change only the workspace.',
  },
  { name: 'network', holds: true, detail: 'Commands have no network, not even to this machine.' },
  { name: 'environment', holds: true, detail: "Commands see none of the server's environment variables." },
  {
    name: 'process-tree',
    holds: false,
    detail: 'A process can outlive its command by starting a new session.',
  },
  { name: 'process-count', holds: false, detail: 'The number of processes is not limited.' },
  { name: 'memory', holds: false, detail: 'Memory is not limited.' },
  { name: 'cpu-time', holds: true, detail: 'CPU time is limited.' },
  { name: 'open-files', holds: true, detail: 'The number of open files is limited.' },
];
