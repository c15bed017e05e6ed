import { type AutoRunChanges, watchAutoRunFiles } from '../sandbox/auto-run-files.ts';
import { bytesLeftOut } from '../sandbox/output-capture.ts';
import type { CapturedOutput, CommandOutcome, Sandbox } from '../sandbox/sandbox.ts';
import type { JsonObject } from '../util/json.ts';
import { optionalInteger, textArgument } from './arguments.ts';
import { type BlockedPattern, commandBlocker, MAX_COMMAND_CHARS } from './blocked-patterns.ts';
import { fitMiddle, jsonTextBytes } from './fit-text.ts';
import type { Tool, ToolResult } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

/** Limits for the auto-run files listed in a result: their number, and the size of their paths as JSON. */
const MAX_AUTO_RUN_PATHS = 100;
const MAX_AUTO_RUN_BYTES = 8 * 1024;
const INCOMPLETE =
  'The workspace has too many files to check all of them for changes to files that other programs run automatically.';

export interface RunCommandOptions {
  sandbox: Sandbox;
  blockedPatterns: readonly BlockedPattern[];
  /** Default and maximum of `timeout_ms`, in seconds (O7). */
  shellTimeoutSecs: number;
}

/**
 * Runs a shell command in the sandbox. A non-zero exit status is a failed call that keeps its output: first
 * `exit_code`, then `error`, then the streams.
 */
export function runCommand({ sandbox, blockedPatterns, shellTimeoutSecs }: RunCommandOptions): Tool {
  const blocked = commandBlocker(blockedPatterns);
  const maxTimeoutMs = shellTimeoutSecs * 1000;
  return {
    definition: {
      type: 'function',
      function: {
        name: 'run_command',
        description:
          'Run a shell command in the workspace and return its exit code and output. It has no network and no input, and processes that it starts are killed when it ends.',
        parameters: {
          type: 'object',
          properties: {
            command: { type: 'string', description: 'Command line, run by /bin/sh in the workspace' },
            timeout_ms: {
              type: 'integer',
              minimum: 1,
              description: `Time limit in milliseconds (default and maximum ${maxTimeoutMs})`,
            },
          },
          required: ['command'],
        },
      },
    },
    async run(args, { workspace, signal, onOutput }) {
      const command = textArgument(args, 'command');
      const problem = commandProblem(command) ?? blockedProblem(blocked(command));
      if (problem !== undefined) return failed('run_command', { error: problem });
      const timeoutMs = Math.min(optionalInteger(args, 'timeout_ms') ?? maxTimeoutMs, maxTimeoutMs);
      const autoRunFiles = await watchAutoRunFiles(workspace);
      const outcome = await sandbox.run({
        workspace,
        argv: ['/bin/sh'],
        script: command,
        timeoutMs,
        signal,
        onOutput: onOutput && ((text) => onOutput(text)),
      });
      return commandResult(outcome, { tool: 'run_command', timeoutMs, autoRunFiles: await autoRunFiles() });
    },
  };
}

function commandProblem(command: string): string | undefined {
  if (command.trim() === '') return 'The command is empty.';
  if (command.includes('\0')) return 'The command contains a NUL character.';
  if (command.length > MAX_COMMAND_CHARS) {
    return `The command has ${command.length} characters; at most ${MAX_COMMAND_CHARS} are allowed. Write a script with write_file and run it.`;
  }
  return undefined;
}

function blockedProblem(blocked: Pick<BlockedPattern, 'reason'> | undefined): string | undefined {
  return blocked && `Refused: ${blocked.reason}. The command was not run.`;
}

/**
 * The result of a command as sent to the model. Pure.
 *
 * @param about.tool the name of the tool that ran it
 * @param about.autoRunFiles files created or changed by the command that other programs run automatically
 */
export function commandResult(
  outcome: CommandOutcome,
  about: { tool: string; timeoutMs: number; autoRunFiles: AutoRunChanges },
): ToolResult {
  const { exitCode, stdout, stderr, durationMs } = outcome;
  const { files, complete } = about.autoRunFiles;
  const named = fitPaths(files);
  const fitted = fitStreams(stdout, stderr, { without: jsonTextBytes(named.join('","')) });
  const truncated = fitted.cut || stdout.omittedBytes > 0 || stderr.omittedBytes > 0;
  const streams: JsonObject = {
    stdout: fitted.stdout,
    stderr: fitted.stderr,
    duration_ms: Math.round(durationMs),
    ...(files.length > 0 && { auto_run_files: named }),
    ...(files.length > named.length && { auto_run_files_left_out: files.length - named.length }),
    ...(!complete && { auto_run_files_note: INCOMPLETE }),
    ...(truncated && { stdout_bytes: stdout.totalBytes, stderr_bytes: stderr.totalBytes }),
  };
  const error = commandError(outcome, about.timeoutMs);
  if (error === undefined) return succeeded(about.tool, { exit_code: 0, ...streams }, { truncated });
  return failed(
    about.tool,
    {
      exit_code: exitCode ?? null,
      error,
      ...(outcome.end === 'timeout' && { timed_out: true }),
      ...(outcome.end !== 'exited' && { killed: true }),
      ...streams,
    },
    { truncated },
  );
}

function commandError({ end, exitCode = 0 }: CommandOutcome, timeoutMs: number): string | undefined {
  switch (end) {
    case 'exited':
      return exitCode === 0 ? undefined : exitError(exitCode);
    case 'timeout':
      return `Killed after its time limit of ${timeoutMs} ms. Commands get no input; servers and watchers never exit on their own.`;
    case 'stopped':
      return 'Stopped by the operator.';
    case 'output_limit':
      return 'Killed because it wrote too much output. Write to a file, or select with head, tail or grep.';
    case 'memory_limit':
      return 'Killed because it used too much memory.';
    case 'scratch_limit':
      return 'Killed because it made too many temporary files in /tmp or /dev/shm. Use a folder in the workspace.';
    case 'process_limit':
      return 'Killed because it started too many processes.';
    case 'disk_full':
      return 'Killed because the disk of the workspace is nearly full.';
  }
}

function exitError(exitCode: number): string {
  switch (exitCode) {
    case 126:
      return 'Exit code 126: the program could not be executed.';
    case 127:
      return 'Exit code 127: a program was not found.';
    case 137:
      return 'Exit code 137: killed, perhaps because it ran out of memory.';
    case 152:
      return 'Exit code 152: it used up its CPU time.';
    case 153:
      return 'Exit code 153: it tried to write a file over the size limit.';
    default:
      return exitCode > 128 && exitCode <= 192
        ? `Exit code ${exitCode}: ended by signal ${exitCode - 128}.`
        : `Exit code ${exitCode}.`;
  }
}

/** The first paths that fit. A command can write thousands of such files, and the model chooses their names. */
function fitPaths(paths: readonly string[]): string[] {
  const fitting: string[] = [];
  let bytes = 0;
  for (const path of paths.slice(0, MAX_AUTO_RUN_PATHS)) {
    bytes += jsonTextBytes(path) + 3;
    if (bytes > MAX_AUTO_RUN_BYTES) break;
    fitting.push(path);
  }
  return fitting;
}

/**
 * Errors matter more than volume: stderr gets what it needs, up to half, at the expense of stdout.
 *
 * @param options.without bytes needed by the rest of the result
 */
function fitStreams(
  stdout: CapturedOutput,
  stderr: CapturedOutput,
  options: { without: number },
): { stdout: string; stderr: string; cut: boolean } {
  const room = MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES - options.without;
  const half = Math.floor(room / 2);
  const forStderr = Math.max(half, room - Math.min(room, jsonTextBytes(stdout.text)));
  const fittedStderr = fitOutput(stderr, forStderr);
  const fittedStdout = fitOutput(stdout, room - jsonTextBytes(fittedStderr.text));
  return { stdout: fittedStdout.text, stderr: fittedStderr.text, cut: fittedStdout.cut || fittedStderr.cut };
}

/**
 * Shortens an output in the middle, where some of it may already be missing; one line then gives the total that is
 * missing.
 */
function fitOutput(output: CapturedOutput, maxBytes: number): { text: string; cut: boolean } {
  const { text, omittedBytes, omittedAt } = output;
  const fitted = fitMiddle(text, maxBytes);
  if (!fitted.cut || !omittedAt) return fitted;
  const { from, to } = omittedAt;
  const isApart = fitted.startChars >= to || text.length - fitted.endChars <= from;
  if (isApart) return fitted;
  const start = text.slice(0, Math.min(fitted.startChars, from));
  const end = text.slice(Math.max(text.length - fitted.endChars, to));
  const more = Buffer.byteLength(text.slice(start.length, from) + text.slice(to, text.length - end.length));
  return { text: `${start}${bytesLeftOut(omittedBytes + more)}${end}`, cut: true };
}
