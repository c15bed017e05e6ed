import { modeFacts } from './modes.ts';
import type { RunState } from './run-state.ts';

/**
 * The number of a run's step, the one in progress or the last, as people see it: in a session the turn, else the
 * iteration. The summary for a handover is an iteration, but no turn (decision 67).
 */
export function stepOf(state: RunState): number {
  const { config, iteration, turns, awaitingReply, reply } = state;
  if (!modeFacts(config?.mode).hasTurns) return iteration;
  const inTurn = !isInSummary(state) && (awaitingReply || reply !== undefined);
  return turns.completed + (inTurn ? 1 : 0);
}

/** Whether the iteration of a session is no turn, because the model writes the summary for a handover in it. */
export function isInSummary({ config, handover }: Pick<RunState, 'config' | 'handover'>): boolean {
  return modeFacts(config?.mode).hasTurns && handover.kept !== undefined;
}
