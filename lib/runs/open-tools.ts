import type { OpenedTools, OpenTools } from '../engine/open-tools.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { offeredCommandName } from '../events/mcp-names.ts';
import type { McpServers } from '../mcp/mcp-servers.ts';
import { type OpenedServerTools, openServerTools } from '../mcp/run-tools.ts';
import { type HeldWorkspace, holdWorkspace } from '../sandbox/held-workspace.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { reopenWorkspace } from '../sandbox/workspace.ts';
import { runChecks } from '../tools/checks.ts';
import { commandTool } from '../tools/command-tool.ts';
import { distractorTools } from '../tools/distractor-tools.ts';
import { createExploreTools } from '../tools/explore-tools.ts';
import { createTaskTools } from '../tools/registry.ts';
import { createSafetyLayer, createSessionTools } from '../tools/session-tools.ts';
import type { Tool } from '../tools/tool.ts';
import { readWorkspacePrompt } from '../tools/workspace-prompt.ts';

export interface ToolParts {
  sandbox: Sandbox;
  /** Set if commands run unconfined, so that each one needs approval. */
  unconfined?: Sandbox;
  dataDir: string;
  /** Where the log file of a session is written. */
  logPathOf(runId: string): string;
  /** The MCP servers that runs can use. Missing: none. */
  servers?: McpServers;
}

/** Returns a function that opens the tools for a run's mode. */
export function openToolsOf(runId: string, parts: ToolParts): OpenTools {
  return (config, signal) => OPENERS[config.mode](config, parts, { runId, signal });
}

type Opener = (
  config: RunConfig,
  parts: ToolParts,
  run: { runId: string; signal: AbortSignal | undefined },
) => Promise<OpenedTools>;

const OPENERS: Readonly<Record<RunConfig['mode'], Opener>> = {
  async task(config, { sandbox, unconfined, dataDir, servers }, { signal }) {
    requireCommandsForChecks(config, sandbox);
    const { blockedPatterns, shellTimeoutSecs } = safetyOf(config, sandbox);
    const workspace = await workspaceOf(config, dataDir);
    const opened = await openServerTools(servers, config.tools, { workspace, signal });
    const held = await holdWorkspace(workspace, dataDir).catch(closing(opened));
    return {
      toolbox: createTaskTools({
        workspace,
        sandbox,
        commands: unconfined,
        blockedPatterns,
        shellTimeoutSecs,
        offered: config.tools,
        fetchHosts: config.fetch_hosts,
        serverTools: [
          ...opened.tools,
          ...commandToolsOf(config, unconfined ?? sandbox),
          ...distractorTools(config.distractor_tools),
        ],
      }),
      mcpServers: opened.servers,
      sandbox: shownSandbox(unconfined ?? sandbox),
      ...askingFor(unconfined, config),
      runChecks: (checks, { signal }) => runChecks(checks, { workspace, sandbox, signal }),
      close: () => closeAll(held, opened),
    };
  },

  async session(config, { sandbox, unconfined, dataDir, logPathOf, servers }, { runId, signal }) {
    const commands = unconfined ?? sandbox;
    const safety = safetyOf(config, commands);
    const workspace = await workspaceOf(config, dataDir);
    const workspacePrompt = await readWorkspacePrompt(workspace);
    const opened = await openServerTools(servers, config.tools, { workspace, signal });
    const held = await holdWorkspace(workspace, dataDir).catch(closing(opened));
    return {
      toolbox: createSessionTools({
        workspace,
        safety,
        serverTools: [...opened.tools, ...commandToolsOf(config, commands)],
      }),
      mcpServers: opened.servers,
      sandbox: shownSandbox(commands),
      ...askingFor(unconfined, config),
      workspacePrompt,
      logPath: logPathOf(runId),
      runChecks: async () => [],
      close: () => closeAll(held, opened),
    };
  },

  async explore({ tools }) {
    return {
      toolbox: createExploreTools(tools),
      sandbox: {
        available: false,
        kind: 'none',
        reason: 'An exploration has no files and no commands.',
      },
      runChecks: async () => [],
      close: async () => {},
    };
  },
};

/**
 * Without commands, a check that is one would fail whatever the model did. Checks need no approval, so they run only if
 * they are confined.
 */
function requireCommandsForChecks({ checks }: RunConfig, { report }: Sandbox): void {
  if (report.available || !checks.some(({ type }) => type === 'command')) return;
  const reason = report.reason ? ` ${report.reason}` : '';
  throw new AppError({
    code: 'commands_unavailable',
    message: `A check of this run is a command, and commands cannot be confined here.${reason}`,
    hint: [report.hint, 'Or start the run without this check.'].filter(Boolean).join(' '),
  });
}

/** Stops the servers if the other tools cannot be opened. */
function closing(opened: OpenedServerTools): (error: unknown) => Promise<never> {
  return async (error) => {
    await opened.close();
    throw error;
  };
}

async function closeAll(held: HeldWorkspace, opened: OpenedServerTools): Promise<void> {
  await Promise.all([held.release(), opened.close()]);
}

/** Checks the workspace again, because it may have moved since the run was created. */
function workspaceOf(config: RunConfig, dataDir: string): Promise<string> {
  return reopenWorkspace(config.workspace, { dataDir });
}

/** The custom tools of a run, as they were when it began; none if commands cannot run. */
function commandToolsOf({ command_tools = [] }: RunConfig, commands: Sandbox): Tool[] {
  return commands.report.available ? command_tools.map((tool) => commandTool(tool, commands)) : [];
}

/** Built-in tools that always need approval if commands are unconfined; custom ones do too. */
export const UNCONFINED_TOOLS: readonly string[] = ['run_command'];

function askingFor(
  unconfined: Sandbox | undefined,
  { command_tools = [] }: RunConfig,
): Pick<OpenedTools, 'alwaysAsk'> {
  const custom = command_tools.map(({ name }) => offeredCommandName(name));
  return unconfined ? { alwaysAsk: [...UNCONFINED_TOOLS, ...custom] } : {};
}

function safetyOf(config: RunConfig, sandbox: Sandbox) {
  return createSafetyLayer({
    sandbox,
    patterns: config.blocked_patterns,
    shellTimeoutSecs: config.shell_timeout_secs,
    offered: config.tools,
    fetchHosts: config.fetch_hosts,
  });
}

function shownSandbox({ report }: Sandbox): OpenedTools['sandbox'] {
  const { available, kind, reason } = report;
  return { available, kind, ...(reason === undefined ? {} : { reason }) };
}
