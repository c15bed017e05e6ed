import type { OpenedTools, OpenTools } from '../engine/open-tools.ts';
import type { RunConfig } from '../events/config.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { reopenWorkspace } from '../sandbox/workspace.ts';
import { runChecks } from '../tools/checks.ts';
import { createExploreTools } from '../tools/explore-tools.ts';
import { createTaskTools } from '../tools/registry.ts';
import { createSafetyLayer, createSessionTools } from '../tools/session-tools.ts';
import { readWorkspacePrompt } from '../tools/workspace-prompt.ts';

export interface ToolParts {
  sandbox: Sandbox;
  /** Set when commands of the model run without confinement: then a person approves each one. */
  unconfined?: Sandbox;
  dataDir: string;
  /** Where the log file of a session is written. */
  logPathOf(runId: string): string;
}

/** How the tools of a run are opened: by its mode, as the configuration says. */
export function openToolsOf(runId: string, parts: ToolParts): OpenTools {
  return (config) => OPENERS[config.mode](config, parts, runId);
}

type Opener = (config: RunConfig, parts: ToolParts, runId: string) => Promise<OpenedTools>;

const OPENERS: Readonly<Record<RunConfig['mode'], Opener>> = {
  async task(config, { sandbox, unconfined, dataDir }) {
    const workspace = await workspaceOf(config, dataDir);
    const { blockedPatterns, shellTimeoutSecs } = safetyOf(config, sandbox);
    return {
      toolbox: createTaskTools({
        workspace,
        sandbox,
        commands: unconfined,
        blockedPatterns,
        shellTimeoutSecs,
      }),
      sandbox: shownSandbox(unconfined ?? sandbox),
      ...askingFor(unconfined),
      // Nobody approves a check: it is confined, or not run.
      runChecks: (checks, { signal }) => runChecks(checks, { workspace, sandbox, signal }),
      close: async () => {},
    };
  },

  async session(config, { sandbox, unconfined, dataDir, logPathOf }, runId) {
    const workspace = await workspaceOf(config, dataDir);
    const commands = unconfined ?? sandbox;
    return {
      toolbox: createSessionTools({ workspace, safety: safetyOf(config, commands) }),
      sandbox: shownSandbox(commands),
      ...askingFor(unconfined),
      workspacePrompt: await readWorkspacePrompt(workspace),
      logPath: logPathOf(runId),
      runChecks: async () => [],
      close: async () => {},
    };
  },

  async explore() {
    return {
      toolbox: createExploreTools(),
      sandbox: {
        available: false,
        kind: 'none',
        reason: 'An exploration touches no files and runs no commands.',
      },
      runChecks: async () => [],
      close: async () => {},
    };
  },
};

/** Looked at again: between the making of a run and its work, or its resumption, a folder can have moved. */
function workspaceOf(config: RunConfig, dataDir: string): Promise<string> {
  return reopenWorkspace(config.workspace, { dataDir });
}

/** Tools that always ask where commands are not confined. */
export const UNCONFINED_TOOLS: readonly string[] = ['run_command'];

function askingFor(unconfined: Sandbox | undefined): Pick<OpenedTools, 'alwaysAsk'> {
  return unconfined ? { alwaysAsk: UNCONFINED_TOOLS } : {};
}

function safetyOf(config: RunConfig, sandbox: Sandbox) {
  return createSafetyLayer({
    sandbox,
    patterns: config.blocked_patterns,
    shellTimeoutSecs: config.shell_timeout_secs,
  });
}

function shownSandbox({ report }: Sandbox): OpenedTools['sandbox'] {
  const { available, kind, reason } = report;
  return { available, kind, ...(reason === undefined ? {} : { reason }) };
}
