import { readableMessages } from '../events/message-images.ts';
import { imageTokensOfRun } from '../events/message-size.ts';
import type { NewEvent } from '../events/registry.ts';
import type { PendingCall, PendingReply, RunState } from '../events/run-state.ts';
import { compactionLimit, requestedWindow } from '../events/window.ts';
import type { Mode } from '../modes/mode.ts';
import { approvalChoice, deniedResult, refusedByPolicy } from '../policies/approval.ts';
import { checkBudget } from '../policies/budget.ts';
import { surplusCall } from '../policies/calls-per-reply.ts';
import { planCompaction } from '../policies/compaction.ts';
import { brokenReplyWarnings, isMalformed, retryCut, retryMalformed } from '../policies/discarded-reply.ts';
import { estimateTokens } from '../policies/estimate.ts';
import { afterFailedCall } from '../policies/failure.ts';
import { finishHandover, isHandingOver } from '../policies/handover.ts';
import { operatorStep } from '../policies/operator-policy.ts';
import { type Ending, isReady, type ReadyState, type Rule, type Verdict } from '../policies/rule.ts';
import { serverStayedAway } from '../policies/server-wait.ts';
import { fitAnswer, mustBeData } from '../policies/structured-answer.ts';
import { thinkToSend } from '../policies/thinking.ts';
import { mayTryAgain } from '../policies/verification.ts';
import type { Action } from './action.ts';
import { conclude } from './conclude.ts';
import { interruptedCall } from './interrupted-call.ts';
import { isOnlyCalls } from './read-calls.ts';
import { runEnded } from './result-of.ts';

/**
 * Decides the next step of a run. Pure: the same log gives the same action, so a resumed run continues where it was.
 * Checks run in a fixed order and the first that fires determines the reason (G18): stop, budget, context, model call
 * with retries, answer or nudge, repetition, execution, stall, limit.
 *
 * @param now milliseconds since 1970; default: the time of the last event
 * @throws {RangeError} for an empty log, which has no configuration
 */
export function nextAction(state: RunState, mode: Mode, now: number = state.updatedAt): Action {
  if (state.ended) return { type: 'none' };
  if (!isReady(state)) throw new RangeError(`Run ${state.runId} has no configuration yet`);
  if (state.stop?.force) return conclude(state, { reason: 'stopped' });
  if (state.awaiting) return { type: 'await-message' };
  if (state.phase === 'verifying') return afterVerification(state);
  if (state.serverWait) return duringServerWait(state, state.serverWait, now);
  if (state.failedCall) return afterFailure(state, mode, now);
  if (state.reply) return unlessStopped(state, afterReply(state, state.reply, mode, now));
  return beforeCall(state, mode, now);
}

/** The steps before a model call: stop, preparation, budget and context. */
function beforeCall(state: ReadyState, mode: Mode, now: number): Action {
  const betweenIterations = state.attempt > 0 && !state.awaitingReply;
  // While the model writes the summary for a handover, nothing else happens.
  const handingOver = isHandingOver(state);
  if (betweenIterations && !handingOver) {
    const verdict = firstVerdict(mode.betweenIterations, state);
    if (verdict) return act(state, verdict);
  }
  if (state.stop) return conclude(state, { reason: 'stopped' });
  if (!state.preflight) return { type: 'check-model' };
  const refusal = toolsRefused(state, mode);
  if (refusal) return conclude(state, refusal);
  if (!state.loaded) return { type: 'load-model', numCtx: requestedWindow(state) };
  if (state.attempt === 0) return { type: 'open-attempt', attempt: 1 };
  if (!betweenIterations) return callModel(state, mode, state.iteration, []);

  if (state.budget?.exceeded) return conclude(state, { reason: 'budget_exceeded' });
  const iteration = state.iteration + 1;
  const budget = checkBudget(state, iteration, now);
  if (budget.exceeded) return { type: 'append', events: [budget] };
  const opening = handingOver ? undefined : firstVerdict(mode.beforeIteration, state);
  if (opening) return act(state, opening);
  return callModel(state, mode, iteration, [
    budget,
    { type: 'iteration.started', attempt: state.attempt, iteration },
  ]);
}

/** The next request, compacted if it is too long (C2), with the events that announce it. */
function callModel(state: ReadyState, mode: Mode, iteration: number, opening: readonly NewEvent[]): Action {
  const { folded, config } = state;
  const messages = readableMessages(state);
  const isData = mustBeData(state, mode);
  const tools = isData || isHandingOver(state) ? [] : state.tools;
  const compaction = mode.shortens
    ? planCompaction({
        messages,
        hasImages: state.images.kept.size > 0,
        imageFactor: state.images.factor,
        folded,
        tools,
        limitTokens: compactionLimit(state),
        keepRounds: config.keep_rounds,
        resultChars: config.result_chars,
      })
    : undefined;
  const estimate =
    compaction?.after_tokens ??
    (mode.prompt
      ? estimateTokens(mode.prompt(state), tools)
      : estimateTokens(messages, tools, folded) + imageTokensOfRun(state, messages, folded));
  // Send it regardless of the estimate, which can be off by half; Ollama refuses what does not fit (OL3, decision
  // 10). Retries belong to the current iteration: a new one starts with the first limit.
  const secondTry = opening.length === 0 && state.retries.length > 0;
  return {
    type: 'call-model',
    events: [
      ...opening,
      ...(compaction ? [{ type: 'policy.compacted' as const, iteration, ...compaction }] : []),
      {
        type: 'model-call.started',
        call: state.calls + 1,
        iteration,
        message_count: messages.length,
        tool_count: tools.length,
        options: {
          ...config.model_options,
          num_ctx: requestedWindow(state),
          num_predict: config.num_predict[secondTry ? 1 : 0],
        },
        think: thinkToSend(state),
        stream: mode.streams(state),
        ...(isData && { format: true as const }),
        estimated_tokens: estimate,
      },
    ],
  };
}

/** Waits for a server that is down. A stop ends the wait. */
function duringServerWait(state: ReadyState, wait: NonNullable<RunState['serverWait']>, now: number): Action {
  if (state.stop) return conclude(state, { reason: 'stopped' });
  if (wait.gaveUp) return act(state, serverStayedAway(state, wait));
  return { type: 'await-server', limitMs: Math.max(0, wait.since + wait.limitMs - now) };
}

function afterFailure(state: ReadyState, mode: Mode, now: number): Action {
  const failure = state.failedCall;
  if (state.stop || !failure) return conclude(state, { reason: 'stopped' });
  const { shortens, whenFull } = mode;
  const verdict = afterFailedCall(state, failure, { now, shortens, whenFull });
  if (verdict) return act(state, verdict);
  const retry = retryMalformed(state);
  if (retry) return { type: 'append', events: [retry] };
  if (isHandingOver(state)) return finishHandover(state, undefined);
  return act(state, mode.onSilence(state, 'malformed'));
}

function afterReply(state: ReadyState, reply: PendingReply, mode: Mode, now: number): Action {
  if (isHandingOver(state)) {
    // No tools were offered, so a call was read as text.
    const isCall = isOnlyCalls(reply.text, { tools: state.tools, layers: state.config.parser_layers });
    return finishHandover(state, isCall ? undefined : reply);
  }
  if (reply.accepted) return continueRound(state, reply, mode, now);
  const setsAside = mode.setsAside(reply);
  const cut = setsAside ? retryCut(state, mode) : undefined;
  if (cut) return { type: 'append', events: cut };
  if (reply.calls.length > 0) {
    const verdict = firstVerdict(mode.beforeRound, state);
    return verdict ? act(state, verdict) : continueRound(state, reply, mode, now);
  }
  const malformed = isMalformed(state);
  const retry = setsAside && malformed && !reply.cut ? retryMalformed(state) : undefined;
  if (retry) return { type: 'append', events: [retry] };
  if (reply.outcome === 'empty') return act(state, mode.onSilence(state, malformed ? 'malformed' : 'empty'));
  const verdict = fitAnswer(state, mode.onText(state, brokenReplyWarnings(state)));
  return verdict.type === 'check-answer' ? verdict : act(state, verdict);
}

/** After a stop, no request is repeated. */
function unlessStopped(state: ReadyState, action: Action): Action {
  const asksAgain =
    action.type === 'append' &&
    action.events.some(({ type }) => type === 'policy.retried' || type === 'policy.nudged');
  return state.stop && asksAgain ? conclude(state, { reason: 'stopped' }) : action;
}

/**
 * Runs the calls of a reply in order (T13). A call that was running when the server was lost is not
 * repeated.
 */
function continueRound(state: ReadyState, reply: PendingReply, mode: Mode, now: number): Action {
  const interrupted = interruptedCall(state);
  if (interrupted) return { type: 'append', events: [interrupted] };
  const call = reply.calls.find((pending) => pending.status === 'waiting');
  if (call) return nextCall(state, reply, call);
  const verdict = firstVerdict(mode.afterRound, state);
  return verdict ? act(state, verdict) : beforeCall(state, mode, now);
}

/** Starts a waiting call, requests approval or denies it, depending on the run's policy. */
function nextCall(state: ReadyState, reply: PendingReply, call: PendingCall): Action {
  const warnings = reply.accepted ? [] : brokenReplyWarnings(state);
  const surplus = surplusCall(reply, call);
  if (surplus) return { type: 'append', events: [...warnings, surplus] };
  const approval = state.approvals[call.callId];
  if (approval && !approval.decided) return awaitApproval(state, call);
  if (approval?.decided?.decision === 'denied') {
    return { type: 'append', events: [deniedResult(call, approval.decided)] };
  }
  const choice = approval ? 'auto' : approvalChoice(state.config.approval, call.name);
  if (choice === 'deny') return { type: 'append', events: [...warnings, refusedByPolicy(call)] };
  if (choice === 'ask') return { type: 'ask-approval', call, events: warnings };
  const answer = operatorStep(state, call);
  if (answer) return answer;
  const events: NewEvent[] = [
    ...warnings,
    { type: 'tool-call.started', call_id: call.callId, iteration: state.iteration, tool: call.name },
  ];
  return { type: 'execute-call', call, events };
}

/** Waits for the operator's decision, for as long as it takes: the wait uses no budget (V1). A stop ends it. */
function awaitApproval(state: ReadyState, call: PendingCall): Action {
  if (state.stop) return conclude(state, { reason: 'stopped' });
  return { type: 'await-approval', callId: call.callId };
}

function afterVerification(state: ReadyState): Action {
  const last = state.attempts.at(-1);
  if (!last?.outcome) return { type: 'verify', attempt: state.attempt };
  if (mayTryAgain(state)) return { type: 'open-attempt', attempt: state.attempt + 1 };
  const { reason, error } = last;
  return { type: 'append', events: [runEnded(state, { reason, ...(error && { error }) })] };
}

/** Reports a model without tool support before it is loaded, if its server says so (S2). */
function toolsRefused(state: ReadyState, mode: Mode): Ending | undefined {
  const capabilities = state.preflight?.capabilities;
  if (!mode.usesTools || !capabilities || capabilities.includes('tools')) return undefined;
  return {
    reason: 'error',
    error: {
      code: 'model_no_tool_support',
      message: `Model "${state.config.model}" cannot call tools.`,
      hint: 'Choose a model with the capability "tools", or a quick prompt, which uses no tools.',
    },
  };
}

function firstVerdict(rules: readonly Rule[], state: ReadyState): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(state);
    if (verdict) return verdict;
  }
  return undefined;
}

function act(state: ReadyState, verdict: Verdict): Action {
  return verdict.type === 'end' ? conclude(state, verdict.ending) : verdict;
}
