import { errorParts } from '../errors/app-error.ts';
import { outcomeAt } from '../events/outcome-at.ts';
import type { EventOf } from '../events/registry.ts';
import type { RunResult } from '../events/run.ts';
import type { Outcome, TerminationReason } from '../events/termination.ts';
import { announcedOnly } from '../policies/announced-work.ts';
import type { Ending, ErrorShape, ReadyState } from '../policies/rule.ts';
import { endingEvidence, endingMessage, STATUS_OF } from '../policies/termination.ts';

/**
 * The result of an ending run (T18): the status derived from its outcome, and the last text the model wrote, even if
 * it was discarded, so that no work is lost (T17).
 */
function resultOf(
  state: ReadyState,
  { reason, error, outcome }: { reason: TerminationReason; error: ErrorShape | undefined; outcome: Outcome },
): RunResult {
  return {
    status: STATUS_OF[outcome.kind],
    output: state.lastText,
    model_used: state.config.model,
    tokens_in: state.tokensIn,
    tokens_out: state.tokensOut,
    error: error ?? null,
    termination_reason: reason,
    iterations_used: state.iterationsUsed,
  };
}

/** The last event of a run. */
export function runEnded(
  state: ReadyState,
  { reason, error = failureOf(state, reason), message }: Omit<Ending, 'warnings'>,
): Omit<EventOf<'run.ended'>, 'run_id' | 'seq' | 'at'> {
  const last = state.attempts.at(-1);
  // Opinions alone are not a verification.
  const verification = last && last.checks.length > 0 ? last.outcome : undefined;
  const outcome = outcomeAt(state, reason, { announcedOnly: announcedOnly(state) });
  return {
    type: 'run.ended',
    result: resultOf(state, { reason, error, outcome }),
    message: message ?? endingMessage(state, { reason, error, outcome }),
    evidence: endingEvidence(state, { reason, outcome }),
    ...(reason === 'stopped' ? { forced: state.stop?.force ?? false } : {}),
    ...(state.tokensEstimated > 0 && { tokens_estimated: state.tokensEstimated }),
    ...(state.costUsd === undefined ? {} : { cost_usd: state.costUsd }),
    tool_calls: state.toolCalls,
    files_written: [...state.filesWritten],
    ...(verification === undefined ? {} : { verification }),
    outcome,
  };
}

/** The failed call behind a reason that only a failure can cause; still in the state after verification. */
function failureOf({ failedCall }: ReadyState, reason: TerminationReason): ErrorShape | undefined {
  if (!failedCall || (reason !== 'timeout' && reason !== 'error' && reason !== 'context_full'))
    return undefined;
  return errorParts(failedCall);
}
