import type { ChildProcess } from 'node:child_process';
import { closeSync, lstatSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { AppError } from '../errors/app-error.ts';
import { type BubblewrapFeatures, bubblewrapArgs, STATUS_FD } from './bubblewrap-args.ts';
import { type CommandUser, commandUser } from './command-user.ts';
import { environment } from './environment.ts';
import { openCanonical } from './folder-handle.ts';
import { withHeldFiles } from './held-file.ts';
import type { HostSystem } from './host-system.ts';
import { spawnClosed } from './inherited-descriptors.ts';
import { mountCheck, OTHER_MOUNTS, OTHER_MOUNTS_EXIT } from './mount-check.ts';
import { findNestedGit, reachableBy } from './nested-git.ts';
import { type OutputPipe, openOutputPipe } from './output-pipes.ts';
import { makeProcessCgroup } from './process-cgroup.ts';
import {
  type CommandEnd,
  type CommandOutcome,
  type ConfinedCommand,
  DEFAULT_LIMITS,
  neverStarted,
} from './sandbox.ts';
import { type Supervised, supervise } from './supervise.ts';
import { watchCommand } from './watchdog.ts';
import { withWorkspaceLock } from './workspace-lock.ts';

/** What the runner needs to know about the machine; found out once. */
export interface BubblewrapSetup {
  host: HostSystem & { bwrap: string };
  features: BubblewrapFeatures;
  /** Opens the files of /etc, and the filter after them where there is one. */
  files: readonly (() => number)[];
  filter: boolean;
  /** Where commands that run as root get control groups of their own; see `findCgroupParent`. */
  cgroupParent: string | undefined;
}

/** Kernel out-of-memory killing takes a command before it takes the server or the model. */
const OOM_SCORE = '600';
/** The server and the model go first. */
const NICE = 10;

/**
 * Runs one command in bubblewrap and waits until nothing of it is left (O7, O8).
 *
 * @throws {AppError} `sandbox_failed` when bwrap could not set the sandbox up, `git_link` when the workspace's `.git`
 *   can't be protected, `sandbox_user` when the workspace's owner can't be taken on, `workspace_moved` when the workspace is
 *   not where it was
 */
export async function runInBubblewrap(
  setup: BubblewrapSetup,
  command: ConfinedCommand,
): Promise<CommandOutcome> {
  const outcome = await withWorkspaceLock(command.workspace, command.signal, () => start(setup, command));
  return outcome ?? neverStarted();
}

async function start(setup: BubblewrapSetup, command: ConfinedCommand): Promise<CommandOutcome> {
  const limits = { ...DEFAULT_LIMITS, ...command.limits };
  await using folder = await openCanonical(command.workspace);
  const user = await commandUser(command.workspace, setup.host);
  const protectedGit = command.readOnly ? [] : await gitFolders(command.workspace, user);
  const args = bubblewrapArgs({
    ...setup,
    limits,
    workspace: command.workspace,
    readOnly: command.readOnly ?? false,
    protectedGit,
    check: await mountCheck(command.workspace, protectedGit),
    cpuSeconds: Math.ceil(command.timeoutMs / 1000) + 1,
    argv: command.argv,
  });
  const cgroup =
    user.uid === 0 && setup.cgroupParent !== undefined
      ? makeProcessCgroup(setup.cgroupParent, limits)
      : undefined;
  const argv = [...(cgroup?.prefix ?? []), ...user.prefix, setup.host.bwrap, ...args];
  const pipes = [await openOutputPipe(), await openOutputPipe()] as const;
  const status = new StatusReader();
  const begin = (breach: (end: CommandEnd) => void): Supervised => {
    const child = withHeldFiles(setup.files, (fds) =>
      spawnBubblewrap(argv, setup.host.path, pipes, [folder.fd, ...fds]),
    );
    giveWay(child.pid);
    statusStream(child).on('data', (chunk: Buffer) => status.push(chunk));
    let stopWatching: (() => void) | undefined;
    let killed = false;
    status.onInit = (initPid) => {
      giveWay(initPid);
      if (killed) signalIfAlive(initPid);
      else stopWatching = watchCommand({ initPid, workspace: command.workspace, limits, onBreach: breach });
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
        // Ending the sandbox's first process makes the kernel kill all others before bwrap sees it gone. bwrap itself
        // is not killed before that process is known (it takes milliseconds): the half-made sandbox would be left over.
        // The second call comes when the first was not enough for many seconds.
        if (status.initPid !== undefined) signalIfAlive(status.initPid);
        if (killed) child.kill('SIGKILL');
        stopWatching?.();
        killed = true;
      },
    };
  };
  const outcome = await supervise(command, limits, begin).finally(async () => {
    for (const pipe of pipes) pipe.release();
    await cgroup?.release();
  });
  if (outcome.end === 'exited' && status.exitCode === undefined) {
    throw failedToStart(outcome.stderr.text.trim() || 'bwrap ended without a word');
  }
  if (status.exitCode === OTHER_MOUNTS_EXIT && outcome.stderr.text === `${OTHER_MOUNTS}\n`) {
    throw failedToStart(OTHER_MOUNTS);
  }
  return { ...outcome, exitCode: outcome.end === 'exited' ? status.exitCode : undefined };
}

function spawnBubblewrap(
  argv: readonly string[],
  path: string,
  pipes: readonly [OutputPipe, OutputPipe],
  fds: readonly number[],
): ChildProcess {
  const [program = '', ...args] = argv;
  try {
    return spawnClosed(program, args, {
      cwd: '/',
      // The sandbox can read bwrap's own environment in /proc/1/environ, so bwrap itself gets no more than the command.
      env: environment({ PATH: path, HOME: '/tmp', LANG: 'C.UTF-8' }),
      stdio: ['ignore', pipes[0].writerFd, pipes[1].writerFd, 'pipe', ...fds],
      // A session of its own: Ctrl-C in the terminal reaches the server, which then ends its runs in order.
      detached: true,
    });
  } finally {
    for (const pipe of pipes) closeSync(pipe.writerFd);
  }
}

function signalIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

/** bwrap reports one JSON object per line: first the process it started, at the end how it ended. */
class StatusReader {
  initPid: number | undefined;
  exitCode: number | undefined;
  onInit: ((pid: number) => void) | undefined;
  #text = '';

  push(chunk: Buffer): void {
    this.#text += chunk.toString('utf8');
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      const status: { 'child-pid'?: number; 'exit-code'?: number } = JSON.parse(line);
      if (status['exit-code'] !== undefined) this.exitCode = status['exit-code'];
      if (status['child-pid'] !== undefined) {
        this.initPid = status['child-pid'];
        this.onInit?.(this.initPid);
      }
    }
  }
}

function statusStream(child: ChildProcess): Readable {
  const stream = child.stdio[STATUS_FD];
  if (!stream || !('read' in stream)) throw new TypeError('The status of bwrap can not be read');
  return stream;
}

/** Children take this over, so it is done before bwrap starts them, and once more for its first process. */
function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, NICE);
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE);
  } catch (error) {
    // Gone already, or a container forbids it: the limits hold without it.
    if (!isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ESRCH', 'ERR_SYSTEM_ERROR')) throw error;
  }
}

/** Every `.git` of the workspace that the command could reach. */
async function gitFolders(workspace: string, user: CommandUser): Promise<string[]> {
  const nested = await reachableBy(user, workspace, await findNestedGit(workspace));
  return hasOwnGit(workspace) ? ['.git', ...nested] : nested;
}

/**
 * Whether the workspace has a `.git`, which commands then see read-only: its hooks and its config run on the user's
 * next git command, outside any sandbox.
 */
function hasOwnGit(workspace: string): boolean {
  const stat = lstatSync(`${workspace}/.git`, { throwIfNoEntry: false });
  if (!stat) return false;
  if (stat.isDirectory() || stat.isFile()) return true;
  throw new AppError({
    code: 'git_link',
    message:
      'The .git of this workspace is a link or a special file, which can not be protected from commands.',
    hint: 'Commands stay off here until .git is a real folder; the file tools work.',
  });
}

function failedToStart(detail: string, cause?: unknown): AppError {
  return new AppError({
    code: 'sandbox_failed',
    message: `The command was not run, because its sandbox could not be set up: ${detail.slice(0, 500)}`,
    hint: 'The health panel says what this machine lacks.',
    cause,
  });
}

function isErrno(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
  );
}
