import type { RunResult, TerminationReason } from '../events/run.ts';
import { assertNever } from '../util/assert-never.ts';
import { estimateTokens } from './estimate.ts';
import type { ErrorShape, ReadyState } from './rule.ts';
import { effectiveWindow } from './window.ts';

/** The status that follows from the reason (T19). */
export const STATUS_OF: Readonly<Record<TerminationReason, RunResult['status']>> = {
  final_answer: 'completed',
  max_iterations: 'partial',
  repetition: 'partial',
  stall: 'partial',
  nudge_exhausted: 'partial',
  budget_exceeded: 'partial',
  timeout: 'partial',
  context_full: 'partial',
  stopped: 'cancelled',
  error: 'failed',
};

/** The reason in one plain sentence, with the figures that led to it. */
export function endingMessage(state: ReadyState, reason: TerminationReason, error?: ErrorShape): string {
  const { config, iteration } = state;
  const place = placeOf(state);
  switch (reason) {
    case 'final_answer':
      return iteration > 1
        ? `The model gave its answer in iteration ${iteration}.`
        : 'The model gave its answer at once.';
    case 'max_iterations':
      return `All ${config.max_iterations} iterations were used without an answer.`;
    case 'repetition':
      return `The model asked for the same calls ${config.repetition_threshold} times in a row (${lastCalls(state)}). They were not run again.`;
    case 'stall':
      return state.lastWriteIteration === 0
        ? `No file was written in ${count(iteration, 'iteration')}.`
        : `No file was written in the ${count(iteration - state.lastWriteIteration, 'iteration')} since iteration ${state.lastWriteIteration}.`;
    case 'nudge_exhausted':
      return state.nudges === 0
        ? 'The model answered with nothing.'
        : `The model answered with nothing although it was asked ${count(state.nudges, 'time')} to use the tools.`;
    case 'budget_exceeded':
      return spentMessage(state);
    case 'timeout':
      return error?.message ?? `The model did not answer within ${seconds(config.call_timeout_ms)}.`;
    case 'context_full':
      return state.failedCall
        ? `Ollama refused the conversation as too long for its window of ${number(effectiveWindow(state))} tokens, and nothing is left to shorten.`
        : `The conversation no longer fits the window of ${number(effectiveWindow(state))} tokens, even when older results are shortened (about ${number(estimateTokens(state.messages, state.tools, state.folded))} tokens).`;
    case 'stopped':
      return state.stop?.force
        ? `Stopped at once${place ? `, in ${place}` : ` before the first ${UNITS[config.mode]}`}.`
        : `Stopped on request${place ? ` after ${place}` : ` before the first ${UNITS[config.mode]}`}.`;
    case 'error':
      return error?.message ?? 'The run failed.';
    default:
      return assertNever(reason);
  }
}

/** Sequence numbers of the events that show the reason, in order. */
export function endingEvidence(state: ReadyState, reason: TerminationReason): number[] {
  const seqs = evidenceOf(state, reason).filter((seq) => seq > 0);
  return [...new Set(seqs)].sort((a, b) => a - b);
}

function evidenceOf(state: ReadyState, reason: TerminationReason): number[] {
  switch (reason) {
    case 'final_answer':
    case 'max_iterations':
      return [state.lastReplySeq];
    case 'repetition':
      return [...state.callHistorySeqs.slice(1 - state.config.repetition_threshold), state.lastReplySeq];
    case 'stall':
      return [state.lastWriteSeq, state.lastReplySeq];
    case 'nudge_exhausted':
      return [...state.nudgeSeqs, state.lastReplySeq];
    case 'budget_exceeded':
      return [state.budget?.seq ?? 0];
    case 'timeout':
    case 'error':
    case 'context_full':
      return [state.failedCall?.seq ?? state.lastReplySeq];
    case 'stopped':
      return [state.lastReplySeq];
    default:
      return assertNever(reason);
  }
}

/** What a run is counted in. */
const UNITS: Readonly<Record<ReadyState['config']['mode'], string>> = {
  task: 'iteration',
  session: 'turn',
  explore: 'call',
};

/** Where a run stands, in the words of its mode; an empty text before it began. */
function placeOf({ config, iteration, cycle }: ReadyState): string {
  if (iteration === 0) return '';
  const unit = UNITS[config.mode];
  if (cycle.number === 0) return `${unit} ${iteration}`;
  return `${unit} ${iteration - cycle.iterationsBefore} of cycle ${cycle.number}`;
}

function lastCalls(state: ReadyState): string {
  return (state.callHistory.at(-1) ?? []).map((call) => call.name).join(', ');
}

function spentMessage(state: ReadyState): string {
  const { budget } = state.config;
  const spent = state.budget;
  switch (spent?.exceeded) {
    case 'cost':
      return `The budget of $${budget.max_cost_usd ?? 0} is spent: $${spent.cost_usd.toFixed(4)} used.`;
    case 'seconds':
      return `The time budget of ${count(budget.max_seconds ?? 0, 'second')} is spent: ${spent.seconds_used.toFixed(1)} s used.`;
    default:
      return `The budget of ${number(budget.max_tokens_total ?? 0)} tokens is spent: ${number(spent?.tokens_used ?? 0)} used.`;
  }
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function seconds(ms: number): string {
  return `${number(ms / 1000)} s`;
}
