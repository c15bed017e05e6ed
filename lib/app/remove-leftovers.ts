import { argumentsToRun } from '../events/call-arguments.ts';
import { WRITING_TOOLS } from '../events/modes.ts';
import type { RunState } from '../events/run-state.ts';
import { reopenWorkspace } from '../sandbox/workspace.ts';
import { removeIncompleteFile } from '../tools/replace-text-file.ts';

/**
 * Removes the incomplete file that an interrupted call left in the workspace when the server was killed. The
 * log determines which file that is, so nothing else is ever removed. Never throws; a file that cannot be removed is
 * reported on the console.
 */
export async function removeLeftovers(state: RunState, dataDir: string): Promise<void> {
  const { config, runId } = state;
  const call = state.reply?.calls.find(({ status }) => status === 'running');
  if (!config?.workspace || !call || !WRITING_TOOLS.includes(call.name)) return;
  try {
    const workspace = await reopenWorkspace(config.workspace, { dataDir });
    await removeIncompleteFile(argumentsToRun(state, call), workspace, { runId, callId: call.callId });
  } catch (error) {
    console.warn(`Run ${runId}: an incomplete file may be left in ${config.workspace}:`, error);
  }
}
