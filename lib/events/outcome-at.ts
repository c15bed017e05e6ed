import type { RunMode } from './config.ts';
import { modeFacts } from './modes.ts';
import { checkCounts } from './outcome.ts';
import type { Outcome, OutcomeKind, TerminationReason } from './termination.ts';

/** The parts of a run's state that determine its outcome. */
interface EndedWork {
  readonly config: { readonly mode: RunMode } | undefined;
  readonly answer: { readonly checked: { readonly fits: boolean } | undefined };
  readonly attempts: readonly { readonly checks: readonly { readonly passed: boolean }[] }[];
  readonly lastReplyCut: boolean;
}

/**
 * Derives a run's outcome from its termination reason and the facts of its log. Truncation takes precedence; passing
 * checks prove that the work was done, even if the model merely announced it.
 *
 * @param options.announcedOnly whether the last reply only announces work that no tool call has done
 */
export function outcomeAt(
  state: EndedWork,
  reason: TerminationReason,
  { announcedOnly = false }: { announcedOnly?: boolean } = {},
): Outcome {
  const offSchema = state.answer.checked?.fits === false;
  const results = state.attempts.at(-1)?.checks ?? [];
  if (results.length === 0) {
    const facts = { mode: state.config?.mode, cut: state.lastReplyCut, offSchema, announcedOnly };
    return { kind: kindOf(reason, facts) };
  }
  const checks = checkCounts(results);
  const facts = {
    mode: state.config?.mode,
    cut: state.lastReplyCut,
    offSchema,
    announcedOnly: announcedOnly && checks.failed > 0,
    checksFailed: checks.failed > 0,
  };
  return { kind: kindOf(reason, facts), checks };
}

function kindOf(
  reason: TerminationReason,
  facts: {
    mode: RunMode | undefined;
    cut: boolean;
    offSchema: boolean;
    announcedOnly: boolean;
    checksFailed?: boolean;
  },
): OutcomeKind {
  if (reason !== 'final_answer') return reason;
  // These have no answer: an exploration is done after its cycles, an unattended session after its turns.
  if (!modeFacts(facts.mode).answers) return 'cycles_done';
  if (facts.cut) return 'answered_cut_off';
  if (facts.offSchema) return 'answered_off_schema';
  if (facts.announcedOnly) return 'announced_work_did_none';
  return facts.checksFailed ? 'answered_checks_failed' : 'answered';
}
