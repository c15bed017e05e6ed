import type { ToolDefinition } from '../parser/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { JsonObject } from '../util/json.ts';
import { type BlockedPattern, commandBlocker, DEFAULT_BLOCKED_PATTERNS } from './blocked-patterns.ts';
import { ChangedFiles } from './changed-files.ts';
import { editFile } from './edit-file.ts';
import { executeTool } from './execute-tool.ts';
import { fetchUrl } from './fetch-url.ts';
import { readFile } from './read-file.ts';
import { createToolBox, DEFAULT_SHELL_TIMEOUT_SECS, offeredOf } from './registry.ts';
import { runCommand } from './run-command.ts';
import type { Tool, ToolBox, ToolContext, ToolResult } from './tool.ts';
import { writeFile } from './write-file.ts';

/** The safeguards between a model's call and the machine, shared by all tools of a run (O5-O8, O10). */
export interface SafetyLayer {
  sandbox: Sandbox;
  blockedPatterns: readonly BlockedPattern[];
  /** Default and max duration of a command in seconds. */
  shellTimeoutSecs: number;
  /** Names of the tools that the run offers. Missing: all that are not optional. */
  offered?: readonly string[] | undefined;
  /** The hosts that `fetch_url` may connect to. */
  fetchHosts?: readonly string[] | undefined;
}

/**
 * The safety layer with a run's own settings.
 *
 * @param options.patterns regular expressions in addition to the built-in ones (O6)
 */
export function createSafetyLayer(options: {
  sandbox: Sandbox;
  patterns?: readonly string[];
  shellTimeoutSecs?: number;
  offered?: readonly string[];
  fetchHosts?: readonly string[];
}): SafetyLayer {
  const own = (options.patterns ?? []).map((pattern) => ({
    pattern,
    reason: 'commands like it are blocked in this run',
  }));
  const blockedPatterns = [...DEFAULT_BLOCKED_PATTERNS, ...own];
  commandBlocker(blockedPatterns); // fail now on an invalid pattern, not at the first command
  return {
    sandbox: options.sandbox,
    blockedPatterns,
    shellTimeoutSecs: options.shellTimeoutSecs ?? DEFAULT_SHELL_TIMEOUT_SECS,
    offered: options.offered,
    fetchHosts: options.fetchHosts,
  };
}

/** Shell, file read and file write (O10). No shell without confinement (O8). */
function sessionTools(safety: SafetyLayer): readonly Tool[] {
  return offeredOf(allSessionTools(safety), safety.offered);
}

function allSessionTools(safety: SafetyLayer): readonly Tool[] {
  const commands = safety.sandbox.report.available ? [runCommand(safety)] : [];
  return [...commands, readFile, writeFile, editFile, fetchUrl({ hosts: safety.fetchHosts ?? [] })];
}

/** The definitions that a session with this safety layer could offer. */
export function sessionToolDefinitions(safety: SafetyLayer): ToolDefinition[] {
  return allSessionTools(safety).map(({ definition }) => definition);
}

/**
 * Runs one session call through the safety layer. Never throws: a refusal is a result for the model.
 *
 * @param workspace from `openWorkspace`
 */
export function dispatchToolCall(
  call: { name: string; arguments: JsonObject },
  safety: SafetyLayer,
  workspace: string,
  context: Omit<ToolContext, 'workspace'> & { serverTools?: readonly Tool[] },
): Promise<ToolResult> {
  const { serverTools = [], ...others } = context;
  const tools = [...sessionTools(safety), ...serverTools];
  return executeTool(call.name, call.arguments, workspace, { tools, ...others });
}

/** The tools of a session, bound to its workspace. */
export function createSessionTools({
  workspace,
  safety,
  serverTools = [],
}: {
  workspace: string;
  safety: SafetyLayer;
  /** The chosen tools of MCP servers, offered after the built-in ones. */
  serverTools?: readonly Tool[];
}): ToolBox {
  const files = new ChangedFiles(workspace);
  return {
    ...createToolBox([...sessionTools(safety), ...serverTools], workspace, files),
    execute: (call, context) => dispatchToolCall(call, safety, workspace, { files, serverTools, ...context }),
  };
}
