import { type ChildProcess, spawn } from 'node:child_process';
import { lstatSync, writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../errors/app-error.ts';
import { type BubblewrapFeatures, BWRAP_FDS, bubblewrapArgs, ETC_FILES } from './bubblewrap-args.ts';
import { commandUser } from './command-user.ts';
import { environment } from './environment.ts';
import type { HostSystem } from './host-system.ts';
import { OutputCapture } from './output-capture.ts';
import { plainText } from './plain-text.ts';
import { type CommandEnd, type CommandOutcome, type ConfinedCommand, DEFAULT_LIMITS } from './sandbox.ts';
import { watchCommand } from './watchdog.ts';
import { withWorkspaceLock } from './workspace-lock.ts';

/** What the runner needs to know about the machine; found out once. */
export interface BubblewrapSetup {
  host: HostSystem & { bwrap: string };
  features: BubblewrapFeatures;
  filter: Buffer | undefined;
}

/** After a kill the pipes close at once; a helper of bwrap that hangs must not keep the run waiting. */
const CLOSE_GRACE_MS = 2000;

/** Kernel out-of-memory killing takes a command before it takes the server or the model. */
const OOM_SCORE = '600';

/**
 * Runs one command in bubblewrap and waits until nothing of it is left (O7, O8).
 *
 * @throws {AppError} `sandbox_failed` when bwrap could not set the sandbox up, `git_link` when the workspace's `.git`
 *   can't be protected, `sandbox_user` when the workspace's owner can't be taken on
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
  const user = await commandUser(command.workspace, setup.host);
  if (command.signal?.aborted) return neverStarted();
  const args = bubblewrapArgs({
    ...setup,
    filter: setup.filter !== undefined,
    limits,
    workspace: command.workspace,
    readOnly: command.readOnly ?? false,
    protectGit: hasOwnGit(command.workspace),
    cpuSeconds: Math.ceil(command.timeoutMs / 1000) + 1,
    argv: command.argv,
  });
  const [program, ...programArgs] = [...user.prefix, setup.host.bwrap, ...args];
  const startedAt = performance.now();
  const child = spawn(program ?? setup.host.bwrap, programArgs, {
    cwd: '/',
    // The sandbox can read bwrap's own environment in /proc/1/environ, so bwrap itself gets no more than the command.
    env: environment({ PATH: setup.host.path, HOME: '/tmp', LANG: 'C.UTF-8' }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C in the terminal reaches the server, which then ends its runs in order.
    detached: true,
  });
  return new Promise((resolve, reject) => {
    const stdout = new OutputCapture(limits.keptBytes);
    const stderr = new OutputCapture(limits.keptBytes);
    const status = new StatusReader();
    let outputBytes = 0;
    let end: CommandEnd = 'exited';
    let stopWatching: (() => void) | undefined;

    const kill = (why: CommandEnd) => {
      if (end !== 'exited') return;
      end = why;
      stopWatching?.();
      killSandbox(child, status.initPid);
    };
    status.onInit = (initPid) => {
      stopWatching = watchCommand({ initPid, workspace: command.workspace, limits, onBreach: kill });
      if (end !== 'exited') killSandbox(child, initPid);
    };
    const timer = setTimeout(kill, command.timeoutMs, 'timeout');
    const onAbort = () => kill('stopped');
    command.signal?.addEventListener('abort', onAbort, { once: true });

    const capture = (stream: 'stdout' | 'stderr', into: OutputCapture) => {
      const decoder = new TextDecoder();
      child[stream]?.on('data', (chunk: Buffer) => {
        outputBytes += chunk.length;
        if (outputBytes > limits.outputBytes) return kill('output_limit');
        into.push(chunk);
        command.onOutput?.(plainText(decoder.decode(chunk, { stream: true })), stream);
      });
    };
    capture('stdout', stdout);
    capture('stderr', stderr);
    feed(child, setup.filter);
    readable(child, BWRAP_FDS.status).on('data', (chunk: Buffer) => status.push(chunk));

    const settle = () => {
      clearTimeout(timer);
      stopWatching?.();
      command.signal?.removeEventListener('abort', onAbort);
    };
    child.once('spawn', () => giveWayWhenMemoryIsShort(child));
    child.once('error', (cause) => {
      settle();
      reject(failedToStart(`bwrap could not be started: ${cause.message}`, cause));
    });
    child.once('close', () => {
      settle();
      if (end === 'exited' && status.exitCode === undefined) {
        reject(failedToStart(stderr.read().text.trim() || 'bwrap ended without a word'));
        return;
      }
      resolve({
        end,
        exitCode: end === 'exited' ? status.exitCode : undefined,
        stdout: stdout.read(),
        stderr: stderr.read(),
        durationMs: performance.now() - startedAt,
      });
    });
  });
}

/**
 * Ends the sandbox's first process: the kernel then kills all others before bwrap sees it gone. Before that process
 * is known, bwrap itself is killed, and `--die-with-parent` takes the rest.
 */
function killSandbox(child: ChildProcess, initPid: number | undefined): void {
  if (initPid !== undefined) signalIfAlive(initPid);
  else child.kill('SIGKILL');
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, CLOSE_GRACE_MS);
  child.once('close', () => clearTimeout(timer));
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

/** Hands bwrap the filter and the files of /etc; each spawn needs its own descriptors, since offsets are shared. */
function feed(child: ChildProcess, filter: Buffer | undefined): void {
  const give = (fd: number, data: string | Buffer) => {
    const stream = writable(child, fd);
    // bwrap may end before it has read everything; what it says about that comes on stderr.
    stream.on('error', () => stream.destroy());
    stream.end(data);
  };
  give(BWRAP_FDS.seccomp, filter ?? '');
  give(BWRAP_FDS.passwd, ETC_FILES.passwd);
  give(BWRAP_FDS.group, ETC_FILES.group);
  give(BWRAP_FDS.hosts, ETC_FILES.hosts);
  give(BWRAP_FDS.nsswitch, ETC_FILES.nsswitch);
}

function writable(child: ChildProcess, fd: number): Writable {
  const stream = child.stdio[fd];
  if (!stream || !('write' in stream)) throw new TypeError(`Descriptor ${fd} of the sandbox is not writable`);
  return stream;
}

function readable(child: ChildProcess, fd: number): Readable {
  const stream = child.stdio[fd];
  if (!stream || !('read' in stream)) throw new TypeError(`Descriptor ${fd} of the sandbox is not readable`);
  return stream;
}

function giveWayWhenMemoryIsShort(child: ChildProcess): void {
  try {
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, OOM_SCORE);
  } catch (error) {
    // Gone already, or a container forbids it: the memory limits hold without it.
    if (!isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ESRCH')) throw error;
  }
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

function neverStarted(): CommandOutcome {
  const nothing = { text: '', totalBytes: 0, omittedBytes: 0 };
  return { end: 'stopped', exitCode: undefined, stdout: nothing, stderr: nothing, durationMs: 0 };
}

function isErrno(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
  );
}
