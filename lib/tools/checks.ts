import { AppError } from '../errors/app-error.ts';
import type { WorkspaceCheck } from '../events/check-kinds.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { lookAt, readWhole } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import { errorMessage } from '../util/error-message.ts';
import { shortText } from '../util/short-text.ts';
import { type BlockedPattern, DEFAULT_BLOCKED_PATTERNS } from './blocked-patterns.ts';
import { DEFAULT_SHELL_TIMEOUT_SECS } from './registry.ts';
import { runCommand } from './run-command.ts';
import type { ToolResult } from './tool.ts';

/** The result of one check (V11). */
export interface CheckResult {
  check: WorkspaceCheck;
  passed: boolean;
  /** At most 4000 characters; quoted in the corrective prompt (V6). */
  output: string;
  duration_ms: number;
}

export interface CheckOptions {
  /** From `openWorkspace`. */
  workspace: string;
  sandbox: Sandbox;
  signal: AbortSignal;
  blockedPatterns?: readonly BlockedPattern[];
  shellTimeoutSecs?: number;
}

const MAX_OUTPUT_CHARS = 4000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * Runs checks of the workspace in order, under the same rules as the tools (V11, O5-O8). A check that cannot be
 * evaluated, such as one of a file outside the workspace, counts as failed, and its output says why. Never throws.
 *
 * @param options.sandbox must be available if a check is a command
 */
export async function runChecks(
  checks: readonly WorkspaceCheck[],
  options: CheckOptions,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const startedAt = performance.now();
    const { passed, output } = await runCheck(check, options).catch(cannotRun);
    results.push({
      check,
      passed,
      output: shortText(output, MAX_OUTPUT_CHARS),
      duration_ms: Math.round(performance.now() - startedAt),
    });
  }
  return results;
}

type Verdict = Pick<CheckResult, 'passed' | 'output'>;

async function runCheck(check: WorkspaceCheck, options: CheckOptions): Promise<Verdict> {
  switch (check.type) {
    case 'command':
      return checkCommand(check.command, options);
    case 'file_exists':
      return checkExists(check.path, options.workspace);
    case 'file_contains':
      return checkContent(check.path, check.text, options.workspace);
  }
}

async function checkCommand(command: string, options: CheckOptions): Promise<Verdict> {
  const tool = runCommand({
    sandbox: options.sandbox,
    blockedPatterns: options.blockedPatterns ?? DEFAULT_BLOCKED_PATTERNS,
    shellTimeoutSecs: options.shellTimeoutSecs ?? DEFAULT_SHELL_TIMEOUT_SECS,
  });
  const result = await tool.run({ command }, { workspace: options.workspace, signal: options.signal });
  return { passed: result.success, output: commandOutput(result) };
}

/** The relevant part of a command's result: the error, then the end of the output, where failures usually are. */
function commandOutput({ output }: ToolResult): string {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return JSON.stringify(output);
  const parts = [output.error, output.stderr, output.stdout].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  const text = parts.join('\n');
  return text.length <= MAX_OUTPUT_CHARS ? text : `${text.slice(0, 500)}\n[…]\n${text.slice(-3400)}`;
}

async function checkExists(path: string, workspace: string): Promise<Verdict> {
  const there = await lookAt(workspace, workspaceSteps(path));
  if (!there) return { passed: false, output: `"${path}" does not exist.` };
  if (there.isFile()) return { passed: true, output: 'It exists.' };
  if (there.isDirectory()) return { passed: false, output: `"${path}" is a folder, not a file.` };
  // It may be broken, or point out of the workspace.
  const why = there.isSymbolicLink() ? 'a symbolic link, and links are not followed' : 'not a regular file';
  return { passed: false, output: `"${path}" is ${why}.` };
}

async function checkContent(path: string, text: string, workspace: string): Promise<Verdict> {
  const { sizeBytes, data } = await readWhole(workspace, workspaceSteps(path), MAX_FILE_BYTES);
  if (!data) return { passed: false, output: `"${path}" is too large to be searched.` };
  const content = data.toString('utf8');
  // Line endings depend on the system and the tool that wrote the file, so they don't count.
  const passed = content.includes(text) || content.replaceAll('\r\n', '\n').includes(text);
  return {
    passed,
    output: passed ? 'The text is there.' : `"${path}" (${sizeBytes} bytes) does not contain the text.`,
  };
}

function cannotRun(error: unknown): Verdict {
  if (error instanceof AppError)
    return { passed: false, output: [error.message, error.hint].join(' ').trim() };
  return {
    passed: false,
    output: `The check could not be run: ${errorMessage(error)}`,
  };
}
