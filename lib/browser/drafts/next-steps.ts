import type { ForkRequest, ForkSettings } from '../../api/fork-run.ts';
import { askedSettings } from '../../api/run-settings.ts';
import type { RunConfig } from '../../events/config.ts';
import { rowIndexOfSeq } from '../../events/fold-timeline.ts';
import { kindFacts, kindOf } from '../../events/modes.ts';
import type { EventOf } from '../../events/registry.ts';
import type { RunState } from '../../events/run-state.ts';
import { formLimits, NUMBER_SETTINGS } from '../../events/settings.ts';
import type { IterationRow, Timeline, TimelineRow } from '../../events/timeline.ts';
import type { CallPattern } from '../state/repeated-calls.ts';
import { formatCount, plural } from '../words/format.ts';
import { beforeStepWords } from '../words/mode-words.ts';
import type { ForkOpening } from './fork-opening.ts';
import type { RunDraft } from './run-draft.ts';

type End = EventOf<'run.ended'>;

const { max: MAX_ITERATIONS } = formLimits(NUMBER_SETTINGS.max_iterations);
const { max: MAX_CYCLES } = formLimits(NUMBER_SETTINGS.max_cycles);
const { max: MAX_CALL_SECONDS } = formLimits(NUMBER_SETTINGS.call_timeout_seconds);

/**
 * The place before which a run can be forked so that what ended it does not happen again: before the second of the equal
 * calls, the second pass of a pattern, the first nudge, the failed call, else the last step. `undefined` when there was
 * none.
 */
export function forkBeforeCause(
  timeline: Timeline,
  end: End,
  mode: RunConfig['mode'],
  pattern?: CallPattern,
): ForkOpening | undefined {
  const cause = causeOf(end, pattern);
  const at = (cause === undefined ? undefined : stepAt(timeline, cause)) ?? lastStep(timeline);
  if (!at) return undefined;
  return {
    place: { before_iteration: at.iteration, attempt: at.attempt },
    words: beforeStepWords(mode, at),
    focus: 'message',
  };
}

/** The sequence number of the event that led to the end. */
function causeOf({ result, evidence: unsorted }: End, pattern: CallPattern | undefined): number | undefined {
  const evidence = unsorted.toSorted((a, b) => a - b);
  switch (result.termination_reason) {
    case 'repetition':
      return evidence[1] ?? evidence[0];
    case 'nudge_exhausted':
      return evidence[0];
    default:
      return pattern?.seqs[pattern.length] ?? evidence.at(-1);
  }
}

function stepAt(timeline: Timeline, seq: number): IterationRow | undefined {
  const index = rowIndexOfSeq(timeline, seq);
  const row = index === undefined ? undefined : timeline.rows[index];
  if (index === undefined || !row || row.iteration === 0) return undefined;
  return timeline.rows.slice(0, index + 1).findLast((row) => row.kind === 'iteration');
}

function lastStep(timeline: Timeline): IterationRow | undefined {
  return timeline.rows.findLast((row) => row.kind === 'iteration');
}

/** How far a run got, by its state. */
type Extent = Pick<RunState, 'iteration' | 'cycle'>;

/** How an ended run can continue its own conversation: as a fork at its end. */
export interface Continuation {
  readonly request: ForkRequest;
  /** The settings that must change for this, in words: `up to 20 iterations`. */
  readonly changes: readonly string[];
}

/** A person adds something, and the model should not run out of iterations because of it. */
const ROOM_FOR_A_HINT = 3;

/**
 * How a person's message continues the run after its end; `undefined` if the conversation is empty or no iteration is
 * left.
 */
export function continueWith(
  message: string,
  config: RunConfig,
  extent: Extent,
  end: End,
): Continuation | undefined {
  if (extent.iteration === 0) return undefined;
  const changes: string[] = [];
  const settings: ForkSettings = {};
  if (
    kindFacts(kindOf(config)).endsBy === 'max_iterations' &&
    config.max_iterations - extent.iteration < ROOM_FOR_A_HINT
  ) {
    settings.max_iterations = higherLimit(config);
    if (settings.max_iterations <= extent.iteration) return undefined;
    changes.push(`up to ${settings.max_iterations} iterations`);
  }
  const cycles = config.explore?.max_cycles ?? undefined;
  if (cycles !== undefined && extent.cycle.number >= cycles) {
    settings.max_cycles = Math.min(MAX_CYCLES, cycles * 2);
    if (settings.max_cycles <= extent.cycle.number) return undefined;
    changes.push(`up to ${settings.max_cycles} cycles`);
  }
  if (end.result.termination_reason === 'budget_exceeded') {
    const { max_tokens_total: tokens, max_cost_usd: cost } = config.budget;
    settings.budget = {
      ...config.budget,
      ...(tokens === undefined ? {} : { max_tokens_total: tokens * 2 }),
      ...(cost === undefined ? {} : { max_cost_usd: cost * 2 }),
    };
    changes.push('twice the budget');
  }
  if (end.result.termination_reason === 'context_full') {
    const window = config.window_tokens * 2;
    settings.window_tokens = window;
    if (askedSettings(config).context_limit !== undefined) settings.context_limit = window;
    changes.push(`a window of ${formatCount(window)} tokens`);
  }
  return { request: { at: { end: true }, message, settings, workspace: 'same' }, changes };
}

/**
 * The fork that sends a failed model call again: the conversation before that call and its retries, in the same folder.
 * If no call failed, for example because the server was down from the start, the fork begins at the end.
 *
 * @returns `undefined` for a run that no failure ended, or that would fail the same way
 */
export function tryAgain(timeline: Timeline, end: End): ForkRequest | undefined {
  const { termination_reason: reason } = end.result;
  if (reason !== 'error' && reason !== 'timeout') return undefined;
  if (end.result.error?.code === 'model_no_tool_support') return undefined; // it would fail again
  const failed = firstOfLastFailures(timeline);
  const before = failed && failed.seq - 1;
  return { at: before ? { seq: before } : { end: true }, workspace: 'same' };
}

/** The first of the calls that failed since the model last answered one. */
function firstOfLastFailures({ rows }: Timeline): TimelineRow | undefined {
  const answered = rows.findLastIndex((row) => row.kind === 'call' && row.status === 'ended');
  return rows.slice(answered + 1).find((row) => row.kind === 'call' && row.status === 'failed');
}

/** The raised limit for a run that reached its iteration or cycle limit; `undefined` for other runs. */
export function moreSteps(
  config: RunConfig,
  extent: Extent,
  end: End,
): { words: string; request: ForkRequest } | undefined {
  const fork = (settings: ForkSettings): ForkRequest => ({ at: { end: true }, settings, workspace: 'same' });
  const reason = end.result.termination_reason;
  if (kindFacts(kindOf(config)).endsBy === 'max_iterations' && reason === 'max_iterations') {
    const limit = higherLimit(config);
    if (limit <= config.max_iterations) return undefined;
    return { words: `${limit - config.max_iterations} more`, request: fork({ max_iterations: limit }) };
  }
  const cycles = config.explore?.max_cycles ?? undefined;
  if (cycles === undefined || reason !== 'final_answer' || extent.cycle.number < cycles) return undefined;
  const limit = Math.min(MAX_CYCLES, cycles * 2);
  if (limit <= cycles) return undefined;
  return { words: plural(limit - cycles, 'more cycle'), request: fork({ max_cycles: limit }) };
}

function higherLimit({ max_iterations: limit }: RunConfig): number {
  return Math.min(MAX_ITERATIONS, limit + Math.max(5, limit));
}

/** A setting that prevents the same ending, in words and as a change of the form. */
export interface Suggestion {
  readonly words: string;
  readonly changes: Partial<RunDraft>;
  /** Whether it raises the limit that ended the run; otherwise it is just a suggestion. */
  readonly raisesLimit: boolean;
}

/**
 * The setting to change after this ending, if there is an obvious one. A run that repeated a pattern needs no higher limit.
 *
 * @param facts the pattern of the run's calls, if there is one, and whether its last reply was cut off
 */
export function suggestionFor(
  config: RunConfig,
  end: End,
  { pattern, lastReplyCut }: { pattern?: CallPattern | undefined; lastReplyCut?: boolean } = {},
): Suggestion | undefined {
  const { budget } = config;
  if (pattern) return higherTemperature(config);
  if (end.outcome?.kind === 'answered_cut_off') return longerReply(config);
  switch (end.result.termination_reason) {
    case 'max_iterations': {
      const limit = Math.min(MAX_ITERATIONS, config.max_iterations * 2);
      return limit > config.max_iterations
        ? { words: `with ${limit} iterations`, changes: { max_iterations: String(limit) }, raisesLimit: true }
        : undefined;
    }
    case 'nudge_exhausted':
      return lastReplyCut ? longerReply(config) : undefined;
    case 'stall':
      return { words: 'without the stall guard', changes: { stall_guard: 'off' }, raisesLimit: false };
    case 'repetition':
      return higherTemperature(config);
    case 'context_full': {
      const window = config.window_tokens * 2;
      return {
        words: `with a window of ${formatCount(window)} tokens`,
        changes:
          askedSettings(config).context_limit === undefined
            ? { window_tokens: String(window) }
            : { window_tokens: String(window), context_limit: String(window) },
        raisesLimit: true,
      };
    }
    case 'budget_exceeded': {
      const { max_tokens_total: tokens, max_seconds: seconds, max_cost_usd: cost } = budget;
      const changes: Partial<RunDraft> = {
        ...(tokens === undefined ? {} : { max_tokens_total: String(tokens * 2) }),
        ...(seconds === undefined ? {} : { max_seconds: String(Math.round((seconds / 30) * 100) / 100) }),
        ...(cost === undefined ? {} : { max_cost_usd: String(cost * 2) }),
      };
      return { words: 'with twice the budget', changes, raisesLimit: true };
    }
    case 'timeout': {
      const seconds = Math.min(MAX_CALL_SECONDS, (config.call_timeout_ms / 1000) * 2);
      return {
        words: `with ${seconds} s per call`,
        changes: { call_timeout_seconds: String(seconds) },
        raisesLimit: true,
      };
    }
    default:
      return undefined;
  }
}

function higherTemperature({ model_options: { temperature } }: RunConfig): Suggestion | undefined {
  const higher =
    typeof temperature === 'number' ? Math.min(1, Math.round((temperature + 0.3) * 10) / 10) : 0.7;
  return higher === temperature
    ? undefined
    : { words: `at temperature ${higher}`, changes: { temperature: String(higher) }, raisesLimit: false };
}

/** Twice the reply limit, where the window has room for such a reply. */
function longerReply({
  num_predict: [first, second],
  window_tokens: window,
}: RunConfig): Suggestion | undefined {
  const limit = second * 2;
  if (limit > window) return undefined;
  return {
    words: `with a reply limit of ${formatCount(limit)} tokens`,
    changes: { predict_first: String(first * 2), predict_second: String(limit) },
    raisesLimit: true,
  };
}
