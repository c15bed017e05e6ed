import type { JsonObject } from '../util/json.ts';
import type { PendingCall, RunState } from './run-state.ts';

/** The arguments a call runs with: the model's, or those edited by the operator. */
export function argumentsToRun(
  { approvals }: Pick<RunState, 'approvals'>,
  call: Pick<PendingCall, 'callId' | 'arguments'>,
): JsonObject {
  return editedArguments(approvals, call.callId) ?? call.arguments;
}

/** The same for a call ID; empty if neither the current reply nor a decision has any. */
export function argumentsOfCall(state: Pick<RunState, 'approvals' | 'reply'>, callId: string): JsonObject {
  const call = state.reply?.calls.find((pending) => pending.callId === callId);
  return editedArguments(state.approvals, callId) ?? call?.arguments ?? {};
}

/** The operator's edited arguments; `undefined` if not edited. */
export function editedArguments(approvals: RunState['approvals'], callId: string): JsonObject | undefined {
  return Object.hasOwn(approvals, callId) ? approvals[callId]?.decided?.arguments : undefined;
}
