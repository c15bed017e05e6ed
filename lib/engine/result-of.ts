import type { EventOf } from '../events/registry.ts';
import type { RunResult, TerminationReason } from '../events/run.ts';
import { costOf } from '../policies/budget.ts';
import type { Ending, ErrorShape, ReadyState } from '../policies/rule.ts';
import { endingEvidence, endingMessage, STATUS_OF } from '../policies/termination.ts';

/**
 * The result of a run that ends now (T18): the status that follows from the reason, and the last text the model wrote,
 * whatever became of it, so that no work is lost (T17).
 */
function resultOf(
  state: ReadyState,
  reason: TerminationReason,
  error: ErrorShape | undefined = failureOf(state, reason),
): RunResult {
  return {
    status: STATUS_OF[reason],
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
  const verification = state.attempts.at(-1)?.outcome;
  return {
    type: 'run.ended',
    result: resultOf(state, reason, error),
    message: message ?? endingMessage(state, reason, error),
    evidence: endingEvidence(state, reason),
    ...(reason === 'stopped' ? { forced: state.stop?.force ?? false } : {}),
    cost_usd: costOf(state),
    tool_calls: state.toolCalls,
    files_written: [...state.filesWritten],
    ...(verification === undefined ? {} : { verification }),
  };
}

/** The failed call behind a reason that only a failure can bring; still in the state after the work was checked. */
function failureOf({ failedCall }: ReadyState, reason: TerminationReason): ErrorShape | undefined {
  if (!failedCall || (reason !== 'timeout' && reason !== 'error' && reason !== 'context_full'))
    return undefined;
  const { code, message, hint } = failedCall;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}
