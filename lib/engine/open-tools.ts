import type { WorkspaceCheck } from '../events/check-kinds.ts';
import type { RunConfig } from '../events/config.ts';
import type { EventOf } from '../events/registry.ts';
import type { CheckResult } from '../events/verification.ts';
import type { ToolBox } from '../tools/tool.ts';

/** The tools of one run, opened in its workspace. */
export interface OpenedTools {
  toolbox: ToolBox;
  sandbox: EventOf<'preflight.checked'>['sandbox'];
  /** Tools whose calls always need approval, whatever the run's policy says: commands without confinement. */
  alwaysAsk?: readonly string[];
  /** Runs the checks in the workspace (V11). */
  runChecks(checks: readonly WorkspaceCheck[], context: { signal: AbortSignal }): Promise<CheckResult[]>;
  /** The workspace's system prompt, if the mode uses one (S5). */
  workspacePrompt?: string;
  /** The log file written during the run, if any (S4). */
  logPath?: string;
  /** The MCP servers that were started for the run. */
  mcpServers?: EventOf<'preflight.checked'>['mcp_servers'];
  close(): Promise<void>;
}

/**
 * Opens the tools of a run. `signal` ends the wait for servers that are starting.
 *
 * @throws {AppError} when the workspace or a server cannot be used; the run then ends with that error
 */
export type OpenTools = (config: RunConfig, signal?: AbortSignal) => Promise<OpenedTools>;
