import type { RunMode } from '../../events/config.ts';
import type { TerminationReason } from '../../events/run.ts';

export type Tone = 'ok' | 'warn' | 'fail' | 'calm' | 'live';

interface ReasonWords {
  /** Two or three words for badges and lists. */
  label: string;
  /** The heading of the termination card. */
  title: string;
  /** What a person can do next, as a sentence. */
  advice: string;
  tone: Tone;
}

/** Every termination reason in words (D8, G17), with what to do about it. */
export const REASONS: Record<TerminationReason, ReasonWords> = {
  final_answer: {
    label: 'Answered',
    title: 'The model gave its answer',
    advice: 'Not what you wanted? Run it again with other words, another model or other settings.',
    tone: 'ok',
  },
  max_iterations: {
    label: 'Iteration limit',
    title: 'The iteration limit was reached',
    advice: 'Choose a higher tier or limit, or give the model a smaller task.',
    tone: 'warn',
  },
  repetition: {
    label: 'Repeated itself',
    title: 'The model kept making the same call',
    advice: 'Say in the task what to do with the result, or try a model that calls tools more reliably.',
    tone: 'warn',
  },
  stall: {
    label: 'Stalled',
    title: 'No file was written for too long',
    advice: 'If the task only reads, switch the stall guard off; otherwise say which file to write.',
    tone: 'warn',
  },
  nudge_exhausted: {
    label: 'Stayed silent',
    title: 'The model did not act, even when told to',
    advice: 'Check that the model supports tools, or phrase the task as a concrete step.',
    tone: 'warn',
  },
  budget_exceeded: {
    label: 'Budget spent',
    title: 'The budget is spent',
    advice: 'Raise the budget, or continue from the files that were written.',
    tone: 'warn',
  },
  timeout: {
    label: 'Timed out',
    title: 'A model call took too long',
    advice: 'Raise the call limit, use a smaller model, or lower the reply limit.',
    tone: 'warn',
  },
  context_full: {
    label: 'Window full',
    title: 'The conversation no longer fits the window',
    advice: 'Use a larger window, or split the task so that less has to be read at once.',
    tone: 'warn',
  },
  stopped: {
    label: 'Stopped',
    title: 'The run was stopped',
    advice: 'What was done up to then is kept.',
    tone: 'calm',
  },
  error: {
    label: 'Failed',
    title: 'The run failed',
    advice: 'Once the cause is gone, run it again, or fork it before the call that failed.',
    tone: 'fail',
  },
};

/** Whether a text of the server is a reason that has words here. */
export function isReason(text: string): text is TerminationReason {
  return Object.hasOwn(REASONS, text);
}

/** The words for a reason in a mode: an exploration that made all its cycles gave no answer. */
export function reasonWords(reason: TerminationReason, mode: RunMode | undefined): ReasonWords {
  if (mode === 'explore' && reason === 'final_answer') return ALL_CYCLES;
  return REASONS[reason];
}

const ALL_CYCLES: ReasonWords = {
  label: 'Complete',
  title: 'All cycles are done',
  advice: 'Run it again with more cycles, another seed or another model.',
  tone: 'ok',
};

export const VERIFICATION_WORDS = {
  pass: { label: 'Checks pass', tone: 'ok' },
  partial_pass: { label: 'Some checks pass', tone: 'warn' },
  fail: { label: 'Checks fail', tone: 'fail' },
} as const satisfies Record<string, { label: string; tone: Tone }>;
