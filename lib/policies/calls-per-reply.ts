import type { NewEvent } from '../events/registry.ts';
import type { PendingCall, PendingReply } from '../events/run-state.ts';

/** Calls of one reply that are run. A model that asks for more has lost count, and each may be a command. */
export const MAX_CALLS_PER_REPLY = 32;

/** The result of a call beyond the limit: the model reads that it was not run; `undefined` for one within it. */
export function surplusCall(reply: PendingReply, call: PendingCall): NewEvent | undefined {
  if (reply.calls.indexOf(call) < MAX_CALLS_PER_REPLY) return undefined;
  const error =
    `This call was not run: a reply may hold ${MAX_CALLS_PER_REPLY} calls, and this one held ${reply.calls.length}. ` +
    'Look at the results of the others first, then ask again for what is still needed.';
  return {
    type: 'tool-call.ended',
    call_id: call.callId,
    tool: call.name,
    result: { success: false, tool: call.name, output: { error } },
    duration_ms: 0,
  };
}
