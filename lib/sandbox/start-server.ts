import { closeSync, openSync } from 'node:fs';
import { errorMessage } from '../util/error-message.ts';
import {
  confinedArgv,
  FOLDER_FD,
  type MountedFolder,
  NETWORK_NSSWITCH,
  NSSWITCH_INDEX,
  SERVER_HOME,
  serverOptions,
} from './bubblewrap-args.ts';
import { giveWay, StatusReader, signalIfAlive, statusStream } from './bubblewrap-process.ts';
import { type CommandUser, commandUser } from './command-user.ts';
import { environment } from './environment.ts';
import { openNameless, withHeldFiles } from './held-file.ts';
import { spawnClosed } from './inherited-descriptors.ts';
import { serverMark } from './leftover-commands.ts';
import { serverMountCheck } from './mount-check.ts';
import { type OutputPipe, openOutputPipe } from './output-pipes.ts';
import { makeProcessCgroup } from './process-cgroup.ts';
import { type BubblewrapSetup, failedToStart, gitFolders } from './run-bubblewrap.ts';
import type { ConfinedServer, ServerEnd, ServerProcess } from './sandbox.ts';
import { type CommandEnd, DEFAULT_LIMITS } from './sandbox.ts';
import { watchCommand } from './watchdog.ts';

/** CPU time of each of a server's processes: servers run as long as their runs. */
const CPU_SECONDS = 4 * 3600;
/** Servers live long and mostly wait. */
const WATCH_INTERVAL_MS = 1000;
/** How long the output of a server that has ended is read. */
const LAST_OUTPUT_MS = 1000;

/**
 * Starts a server in bubblewrap, confined like a command: it sees the system read-only, the chosen folders and its home.
 * Unlike a command it has input, may have the network, and has no time limit.
 *
 * @throws {AppError} `sandbox_failed`, `sandbox_user`, `git_link`, `git_bare`, `workspace_moved`
 */
export async function startInBubblewrap(
  setup: BubblewrapSetup,
  server: ConfinedServer,
): Promise<ServerProcess> {
  const limits = DEFAULT_LIMITS;
  const user = await commandUser(server.folders[0]?.path ?? server.home, setup.host);
  const folders = await mountedFolders(server, user);
  // Another user cannot reach the data directory.
  const home = user.uid === (process.getuid?.() ?? user.uid) ? server.home : undefined;
  const inside = home === undefined ? '/tmp' : SERVER_HOME;
  const devices = user.uid === 0 ? setup.devices : undefined;
  devices?.reset();
  const checkFd = FOLDER_FD + 1 + setup.files.length;
  const plan = {
    ...setup,
    devices: devices?.folder,
    limits,
    network: server.network,
    folders,
    home,
    cwd: server.cwd ?? inside,
    env: { ...server.env, HOME: inside },
    checkFd,
    cpuSeconds: CPU_SECONDS,
    argv: server.argv,
    script: undefined,
  };
  const check = await serverMountCheck([
    ...folders.flatMap(({ path, protectedGit }) => [
      { outside: path, inside: path },
      ...protectedGit.map((git) => ({ outside: `${path}/${git}`, inside: `${path}/${git}` })),
    ]),
    ...(home === undefined ? [] : [{ outside: home, inside: SERVER_HOME }]),
  ]);
  const texts = [check, serverOptions(plan).join('\0')];
  const files = setup.files.map((open, index) =>
    server.network && index === NSSWITCH_INDEX ? () => openNameless(NETWORK_NSSWITCH) : open,
  );
  const cgroup = makeProcessCgroup(setup.cgroups, limits);
  const argv = [
    ...(cgroup?.prefix ?? []),
    ...user.prefix,
    setup.host.bwrap,
    ...serverMark(),
    '--args',
    String(checkFd + 1),
    '--',
    ...confinedArgv(plan),
  ];
  return spawnServer(argv, {
    path: setup.host.path,
    files: [...files, ...texts.map((text) => () => openNameless(text))],
    cgroup,
    watch: { workspace: server.home, limits },
  });
}

/** Its last output may still be on its way to the reader. */
function releaseWhenRead({ reader, release }: OutputPipe): void {
  const late = setTimeout(done, LAST_OUTPUT_MS).unref();
  function done() {
    clearTimeout(late);
    reader.off('close', done);
    release();
  }
  if (reader.closed) done();
  else reader.once('close', done);
}

async function mountedFolders(server: ConfinedServer, user: CommandUser): Promise<MountedFolder[]> {
  return Promise.all(
    server.folders.map(async ({ path, access }) => ({
      path,
      access,
      protectedGit: access === 'read' ? [] : await gitFolders(path, user),
    })),
  );
}

async function spawnServer(
  [program = '', ...args]: readonly string[],
  options: {
    path: string;
    files: readonly (() => number)[];
    cgroup: ReturnType<typeof makeProcessCgroup>;
    watch: Pick<Parameters<typeof watchCommand>[0], 'workspace' | 'limits'>;
  },
): Promise<ServerProcess> {
  const { cgroup } = options;
  const pipes = [await openOutputPipe(), await openOutputPipe()] as const;
  // In place of a command's workspace folder; the mount check closes it.
  const nothing = () => openSync('/dev/null', 'r');
  const status = new StatusReader();
  let end: CommandEnd = 'exited';
  let killed = false;
  let stopWatching: (() => void) | undefined;
  try {
    const child = withHeldFiles([nothing, ...options.files], (fds) =>
      spawnClosed(program, args, {
        cwd: '/',
        env: environment({ PATH: options.path, HOME: '/tmp', LANG: 'C.UTF-8' }),
        stdio: ['pipe', pipes[0].writerFd, pipes[1].writerFd, 'pipe', ...fds],
        detached: true,
      }),
    );
    giveWay(child.pid);
    const kill = () => {
      if (status.initPid !== undefined) signalIfAlive(status.initPid);
      if (killed) child.kill('SIGKILL');
      stopWatching?.();
      killed = true;
    };
    statusStream(child).on('data', (chunk: Buffer) => status.push(chunk));
    status.onInit = (initPid) => {
      giveWay(initPid);
      if (killed) return signalIfAlive(initPid);
      stopWatching = watchCommand({
        ...options.watch,
        initPid,
        intervalMs: WATCH_INTERVAL_MS,
        oomKills: () => cgroup?.oomKills() ?? 0,
        onBreach: (breach) => {
          end = breach;
          kill();
        },
      });
    };
    if (!child.stdin) throw new TypeError('The input of the server cannot be written');
    // A server that closes its input is noticed by its end.
    child.stdin.on('error', () => undefined);
    const ended = new Promise<ServerEnd>((resolve) => {
      const settle = (exitCode: number | undefined) => {
        stopWatching?.();
        for (const pipe of pipes) releaseWhenRead(pipe);
        void cgroup?.release();
        resolve({ end: killed && end === 'exited' ? 'stopped' : end, exitCode });
      };
      child.once('error', () => settle(undefined));
      child.once('close', () => settle(killed ? undefined : status.exitCode));
    });
    return { stdin: child.stdin, stdout: pipes[0].reader, stderr: pipes[1].reader, ended, kill };
  } catch (error) {
    for (const pipe of pipes) pipe.release();
    await cgroup?.release();
    throw failedToStart(errorMessage(error), error);
  } finally {
    for (const pipe of pipes) closeSync(pipe.writerFd);
  }
}
