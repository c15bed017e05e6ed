import { modeFacts, type RunMode } from '../../events/modes.ts';
import { type OutcomeTone, outcomeWords } from '../../events/outcome.ts';
import type { Outcome, OutcomeKind } from '../../events/termination.ts';

export type Tone = OutcomeTone | 'live';

interface EndWords {
  /** The heading of the end card; missing if the label suffices. */
  title?: string;
  /** What a person can do next, as a sentence. */
  advice: string;
}

/** The end card's heading and advice for each outcome (D8, G17). */
const ENDS: Record<OutcomeKind, EndWords> = {
  answered: {
    title: 'The model answered',
    advice: 'Not what you wanted? Change the task, the model or the settings and run it again.',
  },
  answered_checks_failed: {
    advice: 'Read the check results, then continue with a hint or allow more attempts.',
  },
  answered_cut_off: {
    advice: 'Raise the reply limit or the window, or ask for a shorter answer.',
  },
  answered_off_schema: {
    title: 'The answer does not fit the schema',
    advice: 'Read below what does not fit. A simpler schema or a larger model helps most.',
  },
  announced_work_did_none: {
    advice: 'Name the files and steps in the task, or try a model that calls tools more reliably.',
  },
  cycles_done: {
    title: 'The run is complete',
    advice: 'Run it again with higher limits, another seed or another model.',
  },
  max_iterations: {
    title: 'The iteration limit was reached',
    advice: 'Choose a higher tier or limit, or give the model a smaller task.',
  },
  repetition: {
    title: 'The model kept making the same call',
    advice: 'Say in the task what to do with the result, or try a model that calls tools more reliably.',
  },
  stall: {
    title: 'The run made no progress',
    advice:
      'Say in the task what to do with what was read, or allow more iterations without new information.',
  },
  nudge_exhausted: {
    title: 'The model did not act, even when told to',
    advice: 'Check that the model supports tools, or phrase the task as a concrete step.',
  },
  budget_exceeded: {
    title: 'The budget is spent',
    advice: 'Raise the budget, or continue from the files that were written.',
  },
  timeout: {
    title: 'A model call took too long',
    advice: 'Raise the call timeout, use a smaller model, or lower the reply limit.',
  },
  context_full: {
    title: 'The conversation no longer fits the window',
    advice: 'Use a larger window, or split the task into smaller parts.',
  },
  stopped: {
    title: 'The run was stopped',
    advice: 'Everything done so far is kept.',
  },
  error: {
    title: 'The run failed',
    advice: 'Fix the cause, then run it again or fork it before the failed call.',
  },
};

/** For an outcome of a later version. */
const UNKNOWN_END: EndWords = { advice: 'This outcome is from a newer version of Loupe.' };

/** The outcome of an ended run, with the same label and color on every page. */
export function endWords(outcome: Outcome): { label: string; tone: Tone; title: string } {
  const { label, tone } = outcomeWords(outcome);
  const { title = label } = ENDS[outcome.kind] ?? UNKNOWN_END;
  return { label, tone, title };
}

/** What a person can do after an outcome, as a sentence. Sessions and explorations have no task, explorations no files. */
export function endAdvice(
  { kind }: Outcome,
  mode: RunMode | undefined,
  { lastReplyCut = false } = {},
): string {
  const { task, usesFiles } = modeFacts(mode);
  if (kind === 'context_full' && task !== 'required') {
    return 'Use a larger window, or hand over to a fresh context before it is full.';
  }
  if (kind === 'nudge_exhausted' && lastReplyCut) {
    return 'Raise the reply limit or the window, turn thinking off, or ask for less at once.';
  }
  if (kind === 'budget_exceeded' && !usesFiles) return 'Raise the budget.';
  return (ENDS[kind] ?? UNKNOWN_END).advice;
}
