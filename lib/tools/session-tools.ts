import type { ToolDefinition } from '../parser/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { JsonObject } from '../util/json.ts';
import { type BlockedPattern, commandBlocker, DEFAULT_BLOCKED_PATTERNS } from './blocked-patterns.ts';
import { executeTool } from './execute-tool.ts';
import { readFile } from './read-file.ts';
import { createToolBox, DEFAULT_SHELL_TIMEOUT_SECS } from './registry.ts';
import { runCommand } from './run-command.ts';
import type { Tool, ToolBox, ToolContext, ToolResult } from './tool.ts';
import { writeFile } from './write-file.ts';

/** What stands between a model's call and the machine: one for all tools of a run (O5-O8, O10). */
export interface SafetyLayer {
  sandbox: Sandbox;
  blockedPatterns: readonly BlockedPattern[];
  /** Default and maximum time of a command, in seconds. */
  shellTimeoutSecs: number;
}

/**
 * The safety layer with a run's own settings.
 *
 * @param options.patterns regular expressions beside the built-in ones (O6)
 */
export function createSafetyLayer(options: {
  sandbox: Sandbox;
  patterns?: readonly string[];
  shellTimeoutSecs?: number;
}): SafetyLayer {
  const own = (options.patterns ?? []).map((pattern) => ({
    pattern,
    reason: 'commands like it are blocked in this run',
  }));
  const blockedPatterns = [...DEFAULT_BLOCKED_PATTERNS, ...own];
  commandBlocker(blockedPatterns); // a pattern that is no expression shows here and not at the first command
  return {
    sandbox: options.sandbox,
    blockedPatterns,
    shellTimeoutSecs: options.shellTimeoutSecs ?? DEFAULT_SHELL_TIMEOUT_SECS,
  };
}

/** Shell, file read and file write (O10). Without confinement no shell is offered (O8). */
function sessionTools(safety: SafetyLayer): Tool[] {
  return [...(safety.sandbox.report.available ? [runCommand(safety)] : []), readFile, writeFile];
}

/** The definitions in Ollama's format. */
export function defineTools(safety: SafetyLayer): ToolDefinition[] {
  return sessionTools(safety).map(({ definition }) => definition);
}

/**
 * Runs one call of a session through the safety layer. Never throws: a refusal is a result that the model reads.
 *
 * @param workspace from `openWorkspace`
 */
export function dispatchToolCall(
  call: { name: string; arguments: JsonObject },
  safety: SafetyLayer,
  workspace: string,
  context: Pick<ToolContext, 'signal' | 'onOutput'>,
): Promise<ToolResult> {
  return executeTool(call.name, call.arguments, workspace, { tools: sessionTools(safety), ...context });
}

/** The tools of one session, bound to its workspace. */
export function createSessionTools({
  workspace,
  safety,
}: {
  workspace: string;
  safety: SafetyLayer;
}): ToolBox {
  return {
    ...createToolBox(sessionTools(safety), workspace),
    execute: (call, context) => dispatchToolCall(call, safety, workspace, context),
  };
}
