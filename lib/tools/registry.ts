import { isOptionalTool } from '../events/added-tools.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type BlockedPattern, DEFAULT_BLOCKED_PATTERNS } from './blocked-patterns.ts';
import { ChangedFiles } from './changed-files.ts';
import { editFile } from './edit-file.ts';
import { executeTool } from './execute-tool.ts';
import { fetchUrl } from './fetch-url.ts';
import { listDirectory } from './list-directory.ts';
import { readFile } from './read-file.ts';
import { runCommand } from './run-command.ts';
import { searchFiles } from './search-files.ts';
import type { Tool, ToolBox } from './tool.ts';
import { writeFile } from './write-file.ts';

export interface TaskToolOptions {
  /** From `openWorkspace`. */
  workspace: string;
  /** From `openSandbox`. If it is unavailable, `run_command` is not offered (O8). */
  sandbox: Sandbox;
  /** The sandbox of `run_command`, if it differs from that of the other tools. */
  commands?: Sandbox;
  /** Default: `DEFAULT_BLOCKED_PATTERNS` (O6). */
  blockedPatterns?: readonly BlockedPattern[];
  /** Default and max duration of a command in seconds (O7). Default: 120. */
  shellTimeoutSecs?: number;
  /** Names of the tools to offer. Default: all that are not optional. */
  offered?: readonly string[] | undefined;
  /** The hosts that `fetch_url` may connect to. */
  fetchHosts?: readonly string[] | undefined;
  /** The chosen tools of MCP servers, offered after the built-in ones. */
  serverTools?: readonly Tool[];
}

export const DEFAULT_SHELL_TIMEOUT_SECS = 120;

/** The tools of a task run (O1), bound to its workspace. */
export function createTaskTools(options: TaskToolOptions): ToolBox {
  const { offered, serverTools = [], workspace } = options;
  return createToolBox([...offeredOf(taskTools(options), offered), ...serverTools], workspace);
}

/** The definitions that a run with these options would offer, in Ollama's format (O1). */
export function getToolDefinitions(options: Omit<TaskToolOptions, 'workspace'>): ToolDefinition[] {
  return taskTools(options).map(({ definition }) => definition);
}

function taskTools({
  sandbox,
  commands = sandbox,
  blockedPatterns,
  shellTimeoutSecs,
  fetchHosts = [],
}: Omit<TaskToolOptions, 'workspace'>): Tool[] {
  const command = runCommand({
    sandbox: commands,
    blockedPatterns: blockedPatterns ?? DEFAULT_BLOCKED_PATTERNS,
    shellTimeoutSecs: shellTimeoutSecs ?? DEFAULT_SHELL_TIMEOUT_SECS,
  });
  return [
    readFile,
    writeFile,
    editFile,
    listDirectory,
    searchFiles(sandbox),
    ...(commands.report.available ? [command] : []),
    fetchUrl({ hosts: fetchHosts }),
  ];
}

/**
 * The tools that a run offers: the named ones, or all that are not optional. A call of any other tool fails like a call
 * of an unknown one.
 */
export function offeredOf(tools: readonly Tool[], names: readonly string[] | undefined): readonly Tool[] {
  return tools.filter(({ definition: { function: tool } }) =>
    names ? names.includes(tool.name) : !isOptionalTool(tool.name),
  );
}

/** Tools bound to a workspace. */
export function createToolBox(
  tools: readonly Tool[],
  workspace: string,
  files = new ChangedFiles(workspace),
): ToolBox {
  return {
    definitions: tools.map(({ definition }) => definition),
    isReadOnly: (name) =>
      tools.every(({ definition, isReadOnly }) => definition.function.name !== name || isReadOnly === true),
    isIndependent: (name) =>
      tools.some(
        ({ definition, isIndependent }) => definition.function.name === name && isIndependent === true,
      ),
    async fileBefore(call) {
      const tool = tools.find(({ definition }) => definition.function.name === call.name);
      const path = tool?.changesFile === undefined ? undefined : call.arguments[tool.changesFile];
      return typeof path === 'string' ? files.before(path) : undefined;
    },
    execute: (call, context) =>
      executeTool(call.name, call.arguments, workspace, { tools, files, ...context }),
  };
}
