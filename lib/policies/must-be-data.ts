import type { RunState } from '../events/run-state.ts';

/**
 * Whether the next reply must be data (Ollama's `format`): a single answer from the start, a task once it has given an
 * answer that does not fit, because a reply that is limited to data cannot call tools.
 */
export function mustBeData(state: RunState, { answersAtOnce = false }: { answersAtOnce?: boolean }): boolean {
  return state.config?.answer_schema !== undefined && (answersAtOnce || state.answer.asked > 0);
}
