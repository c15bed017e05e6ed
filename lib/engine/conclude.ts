import type { NewEvent } from '../events/registry.ts';
import type { Ending, ReadyState } from '../policies/rule.ts';
import { isVerified } from '../policies/verification.ts';
import type { Action } from './action.ts';
import { interruptedCall } from './interrupted-call.ts';
import { runEnded } from './result-of.ts';

/** Ends the attempt: with verification if it has checks (V5), otherwise with the end of the run. */
export function conclude(state: ReadyState, ending: Ending): Extract<Action, { type: 'append' }> {
  const interrupted = interruptedCall(state);
  const { serverWait } = state;
  const waited: NewEvent[] =
    serverWait && !serverWait.gaveUp
      ? [{ type: 'server-wait.ended', outcome: 'stopped', waited_ms: state.updatedAt - serverWait.since }]
      : [];
  const last: NewEvent = isVerified(state, ending.reason)
    ? {
        type: 'verification.started',
        attempt: state.attempt,
        reason: ending.reason,
        output: state.lastText,
        ...(ending.error && { error: ending.error }),
      }
    : runEnded(state, ending);
  return {
    type: 'append',
    events: [...waited, ...(interrupted ? [interrupted] : []), ...(ending.warnings ?? []), last],
  };
}
