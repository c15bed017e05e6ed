import { OUTCOMES } from '../events/outcome.ts';
import type { Outcome, OutcomeKind } from '../events/termination.ts';
import type { ExperimentResult } from './experiment.ts';

/** The outcome of a run, also of one whose result was stored before outcomes were recorded. */
export function outcomeOfResult({
  outcome,
  termination_reason,
  verification,
  cycles,
}: ExperimentResult): Outcome {
  if (outcome) return outcome;
  if (termination_reason !== 'final_answer')
    return { kind: isKind(termination_reason) ? termination_reason : 'error' };
  if (cycles > 0) return { kind: 'cycles_done' };
  return {
    kind: verification === undefined || verification === 'pass' ? 'answered' : 'answered_checks_failed',
  };
}

function isKind(text: string): text is OutcomeKind {
  return Object.hasOwn(OUTCOMES, text);
}

/** The label of a run that did not run, or that could not be created. */
export const DID_NOT_RUN = 'Did not run';

/**
 * Whether the model took part in a run: `false` if an error ended it before the model's first reply, because the model
 * is missing or was refused, or Ollama could not be reached. Such a run says nothing about the model (decision 77).
 */
export function didRun(result: ExperimentResult): boolean {
  // Older results don't count replies; without a call there was none.
  const { model_calls, model_replies = model_calls } = result;
  return model_replies > 0 || outcomeOfResult(result).kind !== 'error';
}

/**
 * Whether a run passed: it ended with a complete answer, or all its cycles, and all its checks passed. `undefined` if a
 * person stopped it, or it did not run, which says nothing about the model.
 */
export function hasPassed(result: ExperimentResult): boolean | undefined {
  const { kind } = outcomeOfResult(result);
  if (kind === 'stopped' || !didRun(result)) return undefined;
  return kind === 'answered' || kind === 'cycles_done';
}

/** Whether a run had one attempt; results from before attempts were counted had no other. */
export function isFirstTry({ attempts = 1 }: ExperimentResult): boolean {
  return attempts <= 1;
}
