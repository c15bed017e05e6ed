import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/**
 * The result of a call that started but did not end. It informs the model, and the call is never repeated, whatever the
 * tool: it may have had side effects, and the model can repeat a read itself.
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
        error: `${why} The call was interrupted, and its outcome is unknown: check the current state before you repeat it.`,
        interrupted: true,
      },
    },
  };
}
