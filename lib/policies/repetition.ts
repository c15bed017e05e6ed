import { callsKey } from '../events/calls-key.ts';
import type { ToolCall } from '../parser/types.ts';
import { ended, type Rule } from './rule.ts';

/**
 * Whether the model keeps making the same calls (G6-G9).
 *
 * @param callHistory one list of calls per tool-calling iteration, including the current one (G8)
 * @param newCalls the calls of the current iteration
 * @param threshold number of equal lists in a row that count as a repetition
 * @returns `false` for an empty list: a reply without calls repeats nothing
 */
export function isRepetition(
  callHistory: readonly (readonly ToolCall[])[],
  newCalls: readonly ToolCall[],
  threshold = 3,
): boolean {
  if (newCalls.length === 0 || callHistory.length < threshold) return false;
  const key = callsKey(newCalls);
  return callHistory.slice(-threshold).every((calls) => calls === newCalls || callsKey(calls) === key);
}

/** Ends the attempt before running the calls of the third equal reply in a row (G6, G19). */
export const endOnRepetition: Rule = (state) => {
  const calls = state.reply?.calls ?? [];
  const threshold = state.config.repetition_threshold;
  const last = threshold > 1 ? state.callHistory.slice(1 - threshold) : [];
  if (!isRepetition([...last, calls], calls, threshold)) return undefined;
  const names = calls.map((call) => call.name).join(', ');
  const repeated = calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  return ended('repetition', {
    warnings: [
      {
        type: 'policy.warned',
        code: 'agentic_repetition_stop',
        iteration: state.iteration,
        message: `Iteration ${state.iteration} asked for the same calls as the ${threshold === 2 ? 'one' : threshold - 1} before it: ${names}. They were not run again.`,
        detail: { task_id: state.runId, iteration: state.iteration, repeated_calls: repeated },
      },
    ],
  });
};
