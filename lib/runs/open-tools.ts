import type { OpenedTools, OpenTools } from '../engine/open-tools.ts';
import type { RunConfig } from '../events/config.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { openWorkspace } from '../sandbox/workspace.ts';
import { runChecks } from '../tools/checks.ts';
import { createExploreTools } from '../tools/explore-tools.ts';
import { createTaskTools } from '../tools/registry.ts';
import { createSafetyLayer, createSessionTools } from '../tools/session-tools.ts';
import { readWorkspacePrompt } from '../tools/workspace-prompt.ts';

export interface ToolParts {
  sandbox: Sandbox;
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
  async task(config, { sandbox, dataDir }) {
    const workspace = await workspaceOf(config, dataDir);
    const { blockedPatterns, shellTimeoutSecs } = safetyOf(config, sandbox);
    return {
      toolbox: createTaskTools({ workspace, sandbox, blockedPatterns, shellTimeoutSecs }),
      sandbox: shownSandbox(sandbox),
      runChecks: (checks, { signal }) => runChecks(checks, { workspace, sandbox, signal }),
      close: async () => {},
    };
  },

  async session(config, { sandbox, dataDir, logPathOf }, runId) {
    const workspace = await workspaceOf(config, dataDir);
    return {
      toolbox: createSessionTools({ workspace, safety: safetyOf(config, sandbox) }),
      sandbox: shownSandbox(sandbox),
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
  return openWorkspace(config.workspace, { dataDir });
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
