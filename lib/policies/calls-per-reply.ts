import { MAX_CALLS_PER_REPLY } from '../events/limits.ts';
import type { NewEvent } from '../events/registry.ts';
import type { PendingCall, PendingReply } from '../events/run-state.ts';
import { formatCount } from '../util/numbers.ts';

/**
 * The result of a call over the limit, telling the model that it was not run; `undefined` for a call within the
 * limit.
 */
export function surplusCall(reply: PendingReply, call: PendingCall): NewEvent | undefined {
  if (reply.calls.indexOf(call) < MAX_CALLS_PER_REPLY) return undefined;
  const error =
    `This call was not run: a reply may contain ${MAX_CALLS_PER_REPLY} calls, and this one contained ${formatCount(reply.containedCalls ?? reply.calls.length)}. ` +
    'Read the results of the other calls first, then repeat the calls that are still needed.';
  return {
    type: 'tool-call.ended',
    call_id: call.callId,
    tool: call.name,
    result: { success: false, tool: call.name, output: { error } },
    duration_ms: 0,
  };
}
