import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants as osConstants, tmpdir } from 'node:os';
import { AppError } from '../errors/app-error.ts';
import { errorMessage } from '../util/error-message.ts';
import { environment } from './environment.ts';
import { workspaceMoved } from './folder-handle.ts';
import { openNameless, withHeldFiles } from './held-file.ts';
import { spawnClosed } from './inherited-descriptors.ts';
import { killGroup } from './kill-group.ts';
import {
  type CommandEnd,
  type CommandOutcome,
  type ConfinedCommand,
  DEFAULT_LIMITS,
  neverStarted,
} from './sandbox.ts';
import { makeScratchFolder } from './scratch-folders.ts';
import { type Supervised, supervise } from './supervise.ts';
import { withWorkspaceLock } from './workspace-lock.ts';

// The watcher reads from a pipe that only the server holds: if the server is killed, the pipe closes, and the watcher
// kills the whole group. It must not keep the command's output open.
const WRAPPER = `(exec 4<&-; read -r _ <&3; kill -9 0) >/dev/null 2>&1 &
ulimit -c 0; ulimit -t "$1"; ulimit -n "$2"; shift 2
exec "$@" 3<&-`;

/** How long the output of a command that has ended is read. */
const LAST_OUTPUT_MS = 1000;

/**
 * The descriptor of a command's script or input. The shell reopens a script, whose first line closes it for child programs.
 */
const SCRIPT_FD = 4;
const CLOSE_SCRIPT = `exec ${SCRIPT_FD}<&-; `;

/**
 * Runs a command in its own process group, which is killed when the command ends. Weaker than a PID namespace, because a
 * process can escape by starting a new session; used where nothing better is available.
 *
 * @param wrap puts the command into a sandbox, if there is one; `scratch` is a new folder for HOME and temporary files
 *
 * @throws {AppError} `command_not_started`, also if there is no place for temporary files, and `workspace_moved` if the
 * workspace has vanished
 */
export async function runInProcessGroup(
  command: ConfinedCommand,
  wrap: (argv: readonly string[], scratch: string) => readonly string[] | Promise<readonly string[]>,
): Promise<CommandOutcome> {
  const outcome = await withWorkspaceLock(command.workspace, command.signal, async () => {
    const scratch = await makeScratchFolder().catch(withoutScratch);
    try {
      return await start(command, await wrap(command.argv, scratch), scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return outcome ?? neverStarted();
}

async function start(
  command: ConfinedCommand,
  argv: readonly string[],
  scratch: string,
): Promise<CommandOutcome> {
  const limits = { ...DEFAULT_LIMITS, ...command.limits };
  const cpuSeconds = Math.ceil(command.timeoutMs / 1000) + 1;
  let exitCode: number | undefined;
  const begin = (_breach: (end: CommandEnd) => void): Supervised => {
    const { script, input } = command;
    const text = script === undefined ? input : CLOSE_SCRIPT + script;
    const scriptPath = text === undefined ? [] : [`/dev/fd/${SCRIPT_FD}`];
    const limited = [String(cpuSeconds), String(limits.openFiles), ...argv, ...scriptPath];
    const files = text === undefined ? [] : [() => openNameless(text)];
    const child = withHeldFiles(files, (fds) =>
      spawnClosed('/bin/sh', ['-c', WRAPPER, 'sh', ...limited], {
        cwd: command.workspace,
        env: environment({ PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: scratch, LANG: 'C.UTF-8' }),
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...fds],
        detached: true,
      }),
    );
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new TypeError('The output of the command cannot be read');
    const kill = () => killGroup(child.pid);
    const gone = new Promise<void>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(existsSync(command.workspace) ? notStarted(cause) : workspaceMoved(command.workspace, cause)),
      );
      child.once('exit', (code, signal) => {
        exitCode = code ?? (signal === null ? undefined : 128 + signalNumber(signal));
        // Also kills what the command left behind, including the watcher.
        kill();
        // A process in a separate session survives, and can keep the streams open indefinitely. Immediates come
        // after reads: what was written before the end is not lost if the event loop was held up.
        const late = setTimeout(() => {
          setImmediate(() => {
            for (const stream of child.stdio) stream?.destroy();
          });
        }, LAST_OUTPUT_MS);
        child.once('close', () => clearTimeout(late));
      });
      child.once('close', () => resolve());
    });
    return { stdout, stderr, gone, kill };
  };
  const outcome = await supervise(command, limits, begin);
  return { ...outcome, exitCode: outcome.end === 'exited' ? exitCode : undefined };
}

function withoutScratch(cause: unknown): never {
  throw new AppError({
    code: 'command_not_started',
    message: `The command was not started, because it needs a folder for temporary files: ${errorMessage(cause)}`,
    hint: `Make space for it in ${tmpdir()}, or start Loupe with the environment variable TMPDIR set to another folder.`,
    cause,
  });
}

function notStarted(cause: Error): AppError {
  return new AppError({
    code: 'command_not_started',
    message: `The shell could not be started: ${cause.message}`,
    cause,
  });
}

function signalNumber(signal: NodeJS.Signals): number {
  return osConstants.signals[signal];
}
