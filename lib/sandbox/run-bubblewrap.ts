import type { ChildProcess } from 'node:child_process';
import { closeSync, lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../errors/app-error.ts';
import {
  type BubblewrapFeatures,
  type BubblewrapPlan,
  bubblewrapOptions,
  confinedArgv,
  FOLDER_FD,
} from './bubblewrap-args.ts';
import { giveWay, StatusReader, signalIfAlive, statusStream } from './bubblewrap-process.ts';
import { type CommandUser, commandUser } from './command-user.ts';
import type { DeviceNodes } from './device-nodes.ts';
import { environment } from './environment.ts';
import { openCanonical } from './folder-handle.ts';
import { openNameless, withHeldFiles } from './held-file.ts';
import type { HostSystem } from './host-system.ts';
import { spawnClosed } from './inherited-descriptors.ts';
import { serverMark } from './leftover-commands.ts';
import { mountCheck, OTHER_MOUNTS, OTHER_MOUNTS_EXIT } from './mount-check.ts';
import { findNestedGit, isBareRepositoryAt, reachableBy } from './nested-git.ts';
import { type OutputPipe, openOutputPipe } from './output-pipes.ts';
import { type CgroupParents, makeProcessCgroup } from './process-cgroup.ts';
import {
  type CommandEnd,
  type CommandOutcome,
  type ConfinedCommand,
  DEFAULT_LIMITS,
  neverStarted,
} from './sandbox.ts';
import { explainNoSpace } from './scratch-place.ts';
import { type Supervised, supervise } from './supervise.ts';
import { watchCommand } from './watchdog.ts';
import { withWorkspaceLock } from './workspace-lock.ts';

/** The configuration of the runner on this machine, determined once. */
export interface BubblewrapSetup {
  host: HostSystem & { bwrap: string };
  features: BubblewrapFeatures;
  /** Opens the /etc files, followed by the filter if there is one. */
  files: readonly (() => number)[];
  filter: boolean;
  /** Parents for the control groups of commands. */
  cgroups: CgroupParents;
  /** For commands that run as root, if they could be created. */
  devices: DeviceNodes | undefined;
}

/**
 * Runs one command in bubblewrap and waits until all its processes have ended (O7, O8).
 *
 * @throws {AppError} `sandbox_failed` if bwrap could not set up the sandbox, `git_link` if the workspace's `.git` cannot
 * be protected, `sandbox_user` if it cannot switch to the workspace's owner, `workspace_moved` if the workspace has moved,
 * `no_space` if there is none for its temporary files
 */
export async function runInBubblewrap(
  setup: BubblewrapSetup,
  command: ConfinedCommand,
): Promise<CommandOutcome> {
  const outcome = await withWorkspaceLock(command.workspace, command.signal, async () => {
    await using folder = await openCanonical(command.workspace);
    try {
      return await start(setup, command, folder);
    } catch (error) {
      // bwrap and others name the path that they miss, not why: the workspace may have vanished since it was opened.
      await (await openCanonical(command.workspace)).close();
      throw explainNoSpace(error);
    }
  });
  return outcome ?? neverStarted();
}

async function start(
  setup: BubblewrapSetup,
  command: ConfinedCommand,
  folder: FileHandle,
): Promise<CommandOutcome> {
  const given = { ...DEFAULT_LIMITS, ...command.limits };
  // A command that cannot write takes no space.
  const limits = command.readOnly ? { ...given, minFreeDiskBytes: 0 } : given;
  const user = await commandUser(command.workspace, setup.host);
  const protectedGit = command.readOnly ? [] : await gitFolders(command.workspace, user);
  const devices = user.uid === 0 ? setup.devices : undefined;
  devices?.reset();
  const checkFd = FOLDER_FD + 1 + setup.files.length;
  const plan: BubblewrapPlan = {
    ...setup,
    devices: devices?.folder,
    limits,
    workspace: command.workspace,
    readOnly: command.readOnly ?? false,
    protectedGit,
    check: await mountCheck(command.workspace, protectedGit),
    cpuSeconds: Math.ceil(command.timeoutMs / 1000) + 1,
    checkFd,
    scriptFd: checkFd + 2,
    argv: command.argv,
    script: command.script ?? command.input,
  };
  const cgroup = makeProcessCgroup(setup.cgroups, limits);
  const argv = [
    ...(cgroup?.prefix ?? []),
    ...user.prefix,
    setup.host.bwrap,
    ...bubblewrapArgs(plan, checkFd + 1),
  ];
  // bwrap closes the descriptors it reads, and passes on the rest to the command.
  const texts = [
    plan.check,
    bubblewrapOptions(plan).join('\0'),
    ...(plan.script === undefined ? [] : [plan.script]),
  ];
  const pipes = [await openOutputPipe(), await openOutputPipe()] as const;
  const status = new StatusReader();
  const begin = (breach: (end: CommandEnd) => void): Supervised => {
    const child = spawnBubblewrap(argv, pipes, {
      path: setup.host.path,
      folder,
      files: [...setup.files, ...texts.map((text) => () => openNameless(text))],
    });
    giveWay(child.pid);
    statusStream(child).on('data', (chunk: Buffer) => status.push(chunk));
    let stopWatching: (() => void) | undefined;
    let killed = false;
    status.onInit = (initPid) => {
      giveWay(initPid);
      if (killed) signalIfAlive(initPid);
      else {
        stopWatching = watchCommand({
          initPid,
          workspace: command.workspace,
          limits,
          oomKills: () => cgroup?.oomKills() ?? 0,
          onBreach: breach,
        });
      }
    };
    const gone = new Promise<void>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(failedToStart(`bwrap could not be started: ${cause.message}`, cause)),
      );
      child.once('close', () => resolve());
    });
    return {
      stdout: pipes[0].reader,
      stderr: pipes[1].reader,
      gone: gone.finally(() => stopWatching?.()),
      kill: () => {
        // Killing the sandbox's init process makes the kernel kill all others before bwrap exits. bwrap itself is not
        // killed before init is known (a few milliseconds), because a partial sandbox would remain. The second call comes
        // if the first had no effect for many seconds.
        if (status.initPid !== undefined) signalIfAlive(status.initPid);
        if (killed) child.kill('SIGKILL');
        stopWatching?.();
        killed = true;
      },
    };
  };
  let oomKills = 0;
  const outcome = await supervise(command, limits, begin).finally(async () => {
    for (const pipe of pipes) pipe.release();
    oomKills = cgroup?.oomKills() ?? 0;
    await cgroup?.release();
  });
  if (oomKills > 0 && outcome.end === 'exited' && status.exitCode !== 0) {
    return { ...outcome, end: 'memory_limit', exitCode: undefined };
  }
  if (outcome.end === 'exited' && status.exitCode === undefined) {
    throw failedToStart(outcome.stderr.text.trim() || 'bwrap ended without output');
  }
  if (status.exitCode === OTHER_MOUNTS_EXIT && outcome.stderr.text === `${OTHER_MOUNTS}\n`) {
    throw failedToStart(OTHER_MOUNTS);
  }
  return { ...outcome, exitCode: outcome.end === 'exited' ? status.exitCode : undefined };
}

/** bwrap's command line: the mark for finding leftovers, but neither the workspace nor the text of a command. */
function bubblewrapArgs(plan: BubblewrapPlan, optionsFd: number): string[] {
  return [...serverMark(), '--args', String(optionsFd), '--', ...confinedArgv(plan)];
}

function spawnBubblewrap(
  [program = '', ...args]: readonly string[],
  pipes: readonly [OutputPipe, OutputPipe],
  { path, folder, files }: { path: string; folder: FileHandle; files: readonly (() => number)[] },
): ChildProcess {
  try {
    return withHeldFiles(files, (fds) =>
      spawnClosed(program, args, {
        cwd: '/',
        // The sandbox can read bwrap's environment in /proc/1/environ, so bwrap gets only what the command gets.
        env: environment({ PATH: path, HOME: '/tmp', LANG: 'C.UTF-8' }),
        stdio: ['ignore', pipes[0].writerFd, pipes[1].writerFd, 'pipe', folder.fd, ...fds],
        // A separate session: Ctrl-C in the terminal reaches only the server, which then shuts down its runs cleanly.
        detached: true,
      }),
    );
  } finally {
    for (const pipe of pipes) closeSync(pipe.writerFd);
  }
}

/** Every `.git` and bare repository in the workspace that the command could reach. */
export async function gitFolders(workspace: string, user: CommandUser): Promise<string[]> {
  const nested = await reachableBy(user, workspace, await findNestedGit(workspace));
  return hasOwnGit(workspace) ? ['.git', ...nested] : nested;
}

/**
 * Whether the workspace has a `.git`, which is mounted read-only: its hooks and config would run with the user's next git
 * command, outside any sandbox.
 */
function hasOwnGit(workspace: string): boolean {
  if (isBareRepositoryAt(workspace)) {
    throw new AppError({
      code: 'git_bare',
      message: 'This workspace is a bare git repository, which cannot be protected from commands.',
      hint: 'Choose a folder with a working tree; git runs what the config of a bare repository names.',
    });
  }
  const stat = lstatSync(`${workspace}/.git`, { throwIfNoEntry: false });
  if (!stat) return false;
  if (stat.isDirectory() || stat.isFile()) return true;
  throw new AppError({
    code: 'git_link',
    message:
      'The .git of this workspace is a link or a special file, which cannot be protected from commands.',
    hint: 'Commands stay off here until .git is a real folder; the file tools work.',
  });
}

export function failedToStart(detail: string, cause?: unknown): AppError {
  return new AppError({
    code: 'sandbox_failed',
    message: `The command was not run, because its sandbox could not be set up: ${detail.slice(0, 500)}`,
    hint: 'The health page says what this machine lacks.',
    cause,
  });
}
