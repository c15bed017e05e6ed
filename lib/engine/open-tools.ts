import type { Check, RunConfig } from '../events/config.ts';
import type { EventOf } from '../events/registry.ts';
import type { CheckResult } from '../events/verification.ts';
import type { ToolBox } from '../tools/tool.ts';

/** The tools of one run, opened in its workspace. */
export interface OpenedTools {
  toolbox: ToolBox;
  sandbox: EventOf<'preflight.checked'>['sandbox'];
  /** Tools whose calls a person approves whatever the run's policy says: commands without confinement. */
  alwaysAsk?: readonly string[];
  /** Runs the checks in the workspace (V11). A check that cannot be run is a failed one. */
  runChecks(checks: readonly Check[], context: { signal: AbortSignal }): Promise<CheckResult[]>;
  /** The system prompt that the workspace brings, if the mode asks for one (S5). */
  workspacePrompt?: string;
  /** The log file that is written as the run goes, if there is one (S4). */
  logPath?: string;
  close(): Promise<void>;
}

/** Opens the tools of a run. @throws {AppError} when its workspace cannot be used: the run ends with that error */
export type OpenTools = (config: RunConfig) => Promise<OpenedTools>;
