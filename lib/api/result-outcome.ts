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

/**
 * Whether a run passed: it ended with a complete answer, or all its cycles, and all its checks passed. `undefined` if a
 * person stopped it, which says nothing about the model.
 */
export function hasPassed(result: ExperimentResult): boolean | undefined {
  const { kind } = outcomeOfResult(result);
  if (kind === 'stopped') return undefined;
  return kind === 'answered' || kind === 'cycles_done';
}

/** Whether a run had one attempt; results from before attempts were counted had no other. */
export function isFirstTry({ attempts = 1 }: ExperimentResult): boolean {
  return attempts <= 1;
}
