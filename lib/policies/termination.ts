import { modeFacts } from '../events/modes.ts';
import { failedChecks } from '../events/outcome.ts';
import type { RunStatus } from '../events/run.ts';
import { stepOf } from '../events/step-of.ts';
import { swallowedWords } from '../events/swallowed-reply.ts';
import type { Outcome, OutcomeKind, TerminationReason } from '../events/termination.ts';
import { effectiveWindow } from '../events/window.ts';
import { assertNever } from '../util/assert-never.ts';
import { secondsWords } from '../util/durations.ts';
import { formatUsd } from '../util/format-usd.ts';
import { formatCount, plural } from '../util/numbers.ts';
import { cutWords } from './cut-reply.ts';
import { isHandingOver } from './handover.ts';
import type { ErrorShape, ReadyState } from './rule.ts';
import { noNewsWords } from './stall.ts';

/** Maps outcome to status (T19). An answer is completed unless it was cut off or merely announces work. */
export const STATUS_OF: Readonly<Record<OutcomeKind, RunStatus>> = {
  answered: 'completed',
  answered_checks_failed: 'completed',
  answered_cut_off: 'partial',
  answered_off_schema: 'partial',
  announced_work_did_none: 'partial',
  cycles_done: 'completed',
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

/** The reason in one sentence, with the figures behind it. */
export function endingMessage(
  state: ReadyState,
  { reason, error, outcome }: { reason: TerminationReason; error?: ErrorShape; outcome: Outcome },
): string {
  const { config } = state;
  switch (reason) {
    case 'final_answer':
      return answerMessage(state, outcome);
    case 'max_iterations':
      return config.max_iterations === 1
        ? 'The only iteration was used without an answer.'
        : `All ${config.max_iterations} iterations were used without an answer.`;
    case 'repetition':
      return `The model asked for the same calls ${config.repetition_threshold} times in a row (${lastCalls(state)}). They were not run again.`;
    case 'stall':
      return `${noNewsWords(state)}: no file was written, and nothing was read that had not been read before.`;
    case 'nudge_exhausted':
      return silentMessage(state);
    case 'budget_exceeded':
      return spentMessage(state);
    case 'timeout':
      return error?.message ?? `The model did not answer within ${secondsWords(config.call_timeout_ms)}.`;
    case 'context_full':
      return `Ollama refused the conversation as too long for its window of ${formatCount(effectiveWindow(state))} tokens, and nothing is left to shorten.`;
    case 'stopped':
      return stopMessage(state);
    case 'error':
      return error?.message ?? 'The run failed.';
    default:
      return assertNever(reason);
  }
}

/** Describes the answer (complete, cut off, or a mere announcement) and its failed checks. */
function answerMessage(state: ReadyState, { kind, checks }: Outcome): string {
  const failed = checks && checks.failed > 0 ? failedChecks(checks) : undefined;
  const also = failed === undefined ? '' : ` ${failed}.`;
  switch (kind) {
    case 'answered_cut_off':
      return `The answer was ${cutWords(state)}.${also}`;
    case 'answered_off_schema':
      return `The answer does not fit the schema that was asked for${state.answer.asked > 0 ? `, ${plural(state.answer.asked + 1, 'time')} in a row` : ''}.${also}`;
    case 'announced_work_did_none':
      return `${announcedMessage(state)}${also}`;
    default: {
      const when = state.iteration > 1 ? `in iteration ${state.iteration}` : 'immediately';
      return `The model answered ${when}${failed === undefined ? '' : `, but ${failed}`}.`;
    }
  }
}

function announcedMessage({ lastReplyLoss, nudges }: ReadyState): string {
  const what = lastReplyLoss.malformed
    ? 'The last reply was a tool call that could not be read'
    : 'The model announced work and did none of it';
  return `${what}: no tool call succeeded${nudges > 0 ? ` after ${plural(nudges, 'nudge')}` : ''}.`;
}

/** Sequence numbers of the events that led to the ending, in order. */
export function endingEvidence(
  state: ReadyState,
  { reason, outcome }: { reason: TerminationReason; outcome: Outcome },
): number[] {
  const nudges = outcome.kind === 'announced_work_did_none' ? state.nudgeSeqs : [];
  const seqs = [...nudges, ...evidenceOf(state, reason)].filter((seq) => seq > 0);
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
      return [state.lastNewsSeq, state.lastReplySeq];
    case 'nudge_exhausted':
      return [...state.nudgeSeqs, state.failedCall?.seq ?? state.lastReplySeq];
    case 'budget_exceeded':
      return [state.budget?.seq ?? 0];
    case 'timeout':
    case 'error':
    case 'context_full':
      return [state.failedCall?.seq ?? state.serverWait?.seq ?? state.lastReplySeq];
    case 'stopped':
      return [state.lastReplySeq];
    default:
      return assertNever(reason);
  }
}

/** The unit in which messages count progress; the steps of a cycle are its calls. */
function unitOf({ config }: ReadyState): string {
  const { step, hasCycles } = modeFacts(config.mode);
  return hasCycles ? 'call' : step.toLowerCase();
}

function stopMessage(state: ReadyState): string {
  const how = state.stop?.force ? 'Stopped immediately' : 'Stopped on request';
  if (isHandingOver(state)) return `${how}, during the handover${placeOf(state, ' after')}.`;
  const after = state.stop?.force ? ', after' : ' after';
  return `${how}${placeOf(state, isInStep(state) ? ', in' : after)}.`;
}

/** Whether the last step is unfinished: its reply has not come, or not all of its calls are over. */
function isInStep({ awaitingReply, reply }: ReadyState): boolean {
  return awaitingReply || (reply?.calls.some(({ status }) => status !== 'done') ?? false);
}

/** Where a run was stopped, in its mode's units. @param relation to its last step */
function placeOf(state: ReadyState, relation: string): string {
  const { iteration, cycle } = state;
  const isCycle = cycle.number > 0 && iteration > 0;
  const step = isCycle ? iteration - cycle.iterationsBefore : stepOf(state);
  const of = isCycle ? ` of cycle ${cycle.number}` : '';
  return step > 0 ? `${relation} ${unitOf(state)} ${step}${of}` : ` before the first ${unitOf(state)}${of}`;
}

/** Describes the end of a run whose last reply had neither text nor call, depending on what happened to that reply. */
function silentMessage(state: ReadyState): string {
  const { nudges, answer } = state;
  const lost = lossMessage(state);
  const asked =
    nudges === 0
      ? undefined
      : `asked ${plural(nudges, 'time')} to ${answer.asked > 0 ? 'answer' : 'use the tools'}`;
  if (lost) return asked ? `${lost} It had been ${asked}.` : lost;
  return `The model gave an empty reply${asked ? ` although it was ${asked}` : ''}.`;
}

/** Why nothing of the last reply can be used; `undefined` if it was empty. */
function lossMessage(state: ReadyState): string | undefined {
  const { failedCall, lastReplyCut, lastReplyLoss } = state;
  if (failedCall) return "Ollama could not read the model's last tool call and passed nothing on.";
  // Ollama also drops a call that is cut off, but the limit is the cause.
  if (lastReplyCut)
    return `The model's last reply was ${cutWords(state)}, before a text or a whole call arrived.`;
  if (lastReplyLoss.swallowedTokens > 0) {
    return swallowedWords(lastReplyLoss.swallowedTokens, 'In its last reply the model');
  }
  return lastReplyLoss.malformed
    ? "The model's last reply was a tool call that could not be read."
    : undefined;
}

function lastCalls(state: ReadyState): string {
  return (state.callHistory.at(-1) ?? []).map((call) => call.name).join(', ');
}

function spentMessage(state: ReadyState): string {
  const { budget } = state.config;
  const spent = state.budget;
  switch (spent?.exceeded) {
    case 'cost':
      return `The cost budget of ${formatUsd(budget.max_cost_usd ?? 0)} is spent: ${formatUsd(spent.cost_usd ?? 0)} used.`;
    case 'seconds':
      return `The time budget of ${plural(budget.max_seconds ?? 0, 'second')} is spent: ${spent.seconds_used.toFixed(1)} s used.`;
    default:
      return `The budget of ${plural(budget.max_tokens_total ?? 0, 'token')} is spent: ${spent?.tokens_estimated ? '≈' : ''}${formatCount(spent?.tokens_used ?? 0)} used.`;
  }
}
