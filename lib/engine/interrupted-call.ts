import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/**
 * The result of a call that was begun and whose end nobody saw. The model is told, and the call is never repeated: it
 * may have written, sent or deleted something.
 */
export function interruptedCall(
  state: RunState,
  why = 'The server was interrupted while this call ran.',
): NewEvent | undefined {
  const call = state.reply?.calls.find((pending) => pending.status === 'running');
  if (!call) return undefined;
  return {
    type: 'tool-call.interrupted',
    call_id: call.callId,
    tool: call.name,
    result: {
      success: false,
      tool: call.name,
      output: {
        error: `${why} It was interrupted and its outcome is unknown: look at what is there before you do it again.`,
        interrupted: true,
      },
    },
  };
}
