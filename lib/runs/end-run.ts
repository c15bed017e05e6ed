import { interruptedCall } from '../engine/interrupted-call.ts';
import { runEnded } from '../engine/result-of.ts';
import { type AppError, errorParts } from '../errors/app-error.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { isReady } from '../policies/rule.ts';

/**
 * The end of a run that its loop cannot write: the loop threw, the disk is full, or recovery failed repeatedly. Includes the
 * work done (T17).
 */
export function endedByError(state: RunState, error: AppError): NewEvent[] {
  if (state.ended || !isReady(state)) return [];
  const interrupted = interruptedCall(state);
  return [
    ...(interrupted ? [interrupted] : []),
    runEnded(state, {
      reason: 'error',
      error: errorParts(error),
    }),
  ];
}
