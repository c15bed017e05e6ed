import { MAX_ANSWER_REQUESTS } from '../events/limits.ts';
import type { RunState } from '../events/run-state.ts';
import type { ReadyState, Verdict } from './rule.ts';
import { schemaRule } from './schema-rule.ts';

/**
 * Whether the next reply must be data (Ollama's `format`): a single answer from the start, a task once it has given an
 * answer that does not fit, because a reply that is limited to data cannot call tools.
 */
export function mustBeData(state: RunState, { answersAtOnce = false }: { answersAtOnce?: boolean }): boolean {
  return state.config?.answer_schema !== undefined && (answersAtOnce || state.answer.asked > 0);
}

/**
 * Handles an answer of a run that asks for data: it is checked, and if it does not fit, it is requested again with the
 * reason, at most `MAX_ANSWER_REQUESTS` times. These requests use no iterations.
 *
 * @param verdict of the mode, unchanged if it does not end the attempt with an answer
 */
export function fitAnswer(state: ReadyState, verdict: Verdict): Verdict | { type: 'check-answer' } {
  const schema = state.config.answer_schema;
  if (!schema || verdict.type !== 'end' || verdict.ending.reason !== 'final_answer') return verdict;
  const { checked, asked } = state.answer;
  if (!checked) return { type: 'check-answer' };
  if (checked.fits || state.stop || asked >= MAX_ANSWER_REQUESTS) return verdict;
  return {
    type: 'append',
    events: [
      {
        type: 'policy.nudged',
        iteration: state.iteration,
        cause: 'schema',
        text: `${checked.problem ?? 'The answer does not fit.'}\n\nGive your answer again as ${schemaRule(schema)}`,
        count: asked + 1,
        limit: MAX_ANSWER_REQUESTS,
      },
    ],
  };
}
