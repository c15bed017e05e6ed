import { plural } from '../util/numbers.ts';
import type { Outcome, OutcomeKind } from './termination.ts';

/** The color of an outcome: success, warning, failure, or neutral. */
export type OutcomeTone = 'ok' | 'warn' | 'fail' | 'calm';

interface OutcomeWords {
  readonly label: string;
  readonly tone: OutcomeTone;
}

/** Label and color of every outcome. The single source for pages, exports and the CLI. */
export const OUTCOMES: Readonly<Record<OutcomeKind, OutcomeWords>> = {
  answered: { label: 'Answered', tone: 'ok' },
  answered_checks_failed: { label: 'Answered, checks failed', tone: 'warn' },
  answered_cut_off: { label: 'Answered, cut off', tone: 'warn' },
  answered_off_schema: { label: 'Answered, not as asked', tone: 'warn' },
  announced_work_did_none: { label: 'Announced work, did none', tone: 'warn' },
  cycles_done: { label: 'Complete', tone: 'ok' },
  max_iterations: { label: 'Iteration limit', tone: 'warn' },
  repetition: { label: 'Repeated itself', tone: 'warn' },
  stall: { label: 'Stalled', tone: 'warn' },
  nudge_exhausted: { label: 'Stayed silent', tone: 'warn' },
  budget_exceeded: { label: 'Budget spent', tone: 'warn' },
  timeout: { label: 'Timed out', tone: 'warn' },
  context_full: { label: 'Window full', tone: 'warn' },
  stopped: { label: 'Stopped', tone: 'calm' },
  error: { label: 'Failed', tone: 'fail' },
};

/** Label and color of an outcome, including the number of failed checks if known. A later version may have others. */
export function outcomeWords({ kind, checks }: Outcome): OutcomeWords {
  const { label, tone } = OUTCOMES[kind] ?? { label: kind, tone: 'calm' };
  if (kind !== 'answered_checks_failed' || !checks) return { label, tone };
  return {
    label: `Answered, ${failedChecks(checks)}`,
    tone: checks.failed === checks.total ? 'fail' : tone,
  };
}

/** `1 of 3 checks failed` */
export function failedChecks({ failed, total }: NonNullable<Outcome['checks']>): string {
  return `${failed} of ${plural(total, 'check')} failed`;
}

/** Summary of a run's checks: `2 of 3 checks passed`. */
export function checksWords({ failed, total }: NonNullable<Outcome['checks']>): OutcomeWords {
  const tone = failed === 0 ? 'ok' : failed === total ? 'fail' : 'warn';
  return { label: `${total - failed} of ${plural(total, 'check')} passed`, tone };
}

/** Summary of an outcome's checks, if its label does not already include it. */
export function checksBeside({ kind, checks }: Outcome): OutcomeWords | undefined {
  return checks && kind !== 'answered_checks_failed' ? checksWords(checks) : undefined;
}

export function checkCounts(results: readonly { passed: boolean }[]): NonNullable<Outcome['checks']> {
  return { failed: results.filter(({ passed }) => !passed).length, total: results.length };
}

const TONE_RANKS: Readonly<Record<OutcomeTone, number>> = { fail: 0, warn: 1, calm: 2, ok: 3 };

/** Ranks outcomes from the worst to the best, for sorting: by their tone, then in the order of `OUTCOMES`. */
export function outcomeRank(kind: OutcomeKind): number {
  const kinds = Object.keys(OUTCOMES);
  return TONE_RANKS[OUTCOMES[kind].tone] * kinds.length + (kinds.length - 1 - kinds.indexOf(kind));
}
