import type { ChatMessage } from '../model/chat-model.ts';
import { assertNever } from '../util/assert-never.ts';
import { appended, Pass } from './appended.ts';
import { withAutoRunFiles } from './auto-run-files.ts';
import { keptReply, readReplyMessage, resultMessage } from './conversation.ts';
import { calculateCost } from './cost.ts';
import type { ForkEdit } from './fork.ts';
import type { ImageRef } from './image.ts';
import { measuredFactor } from './message-images.ts';
import { readableChars } from './message-size.ts';
import { WRITING_TOOLS } from './modes.ts';
import { outcomeAt } from './outcome-at.ts';
import type { EventOf, RunEvent } from './registry.ts';
import { retriesBefore } from './retry-limits.ts';
import type { RunPhase } from './run-phase.ts';
import {
  type Approval,
  emptyRunState,
  type PendingCall,
  type PendingReply,
  type RunState,
} from './run-state.ts';
import { isTimed } from './speed.ts';
import { lossOf } from './swallowed-reply.ts';
import { addUsage } from './token-usage.ts';
import { waitAfter, waitedMs, workedMs } from './worked-ms.ts';

/**
 * Folds one event into the state. Pure, and the only interpretation of a log: the loop, dashboard, exports and tests
 * all use it. Cost does not depend on the length of the log, except for copying lists of references, which `foldAll`
 * avoids.
 *
 * @throws {RangeError} if the event is not the run's next one, so that gaps are never missed
 */
export function foldRun(state: RunState, event: RunEvent): RunState {
  if (event.seq !== state.seq + 1) {
    throw new RangeError(`Run ${state.runId}: event ${event.seq} cannot follow event ${state.seq}`);
  }
  const next = apply(state, event);
  const phaseSince =
    next.phase === state.phase && next.iteration === state.iteration ? state.phaseSince : event.at;
  return {
    ...next,
    costUsd: costAfter(state, next),
    ...waitAfter(next, event.at),
    seq: event.seq,
    updatedAt: event.at,
    phaseSince: state.seq === 0 ? event.at : phaseSince,
  };
}

/**
 * Folds a complete log, or its continuation, in linear time.
 *
 * @param afterEach called with the state after each event, which it must not keep
 */
export function foldAll(
  state: RunState,
  events: Iterable<RunEvent>,
  afterEach?: (state: RunState, event: RunEvent) => void,
): RunState {
  const fold = new RunFold(state);
  for (const event of events) {
    fold.add(event);
    afterEach?.(fold.state, event);
  }
  return fold.state;
}

/** A fold that only keeps the newest state; earlier states must not be used any more. */
export class RunFold {
  state: RunState;
  readonly #pass = new Pass();

  /** @param state is not modified */
  constructor(state: RunState) {
    this.state = state;
  }

  /** @throws {RangeError} as `foldRun` does; the fold cannot be used afterwards */
  add(event: RunEvent): void {
    this.state = this.#pass.step(() => foldRun(this.state, event));
  }
}

/** The run's cost so far, from its tokens and model time. */
function costAfter(before: RunState, { config, costUsd, tokensIn, tokensOut, spent }: RunState) {
  const usage = {
    tokensIn: tokensIn - before.tokensIn,
    tokensOut: tokensOut - before.tokensOut,
    modelMs: spent.modelMs - before.spent.modelMs,
  };
  const cost = calculateCost(usage, config?.price);
  return cost === undefined ? costUsd : (costUsd ?? 0) + cost;
}

const noRetries = { length: 0, malformed: 0, transient: 0, overflow: 0, thinking: 0 };

function apply(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'run.created':
      return {
        ...withImages(state, event.config.images),
        config: event.config,
        parent: event.parent,
        createdAt: event.at,
        // Logs from before sessions waited for messages have no such setting: those sessions continued on
        // their own.
        autopilot: { ...state.autopilot, on: event.config.autopilot ?? true },
      };
    case 'run.forked':
      return forked(state, event);
    case 'run.started':
      return { ...state, worker: event.worker, epoch: event.epoch, startedAt: event.at, phase: 'starting' };
    case 'run.resumed':
      return resumed(state, event);
    case 'preflight.checked':
      return { ...state, preflight: event, transientSince: undefined };
    case 'model.load-started':
      return { ...state, phase: 'loading', lostMs: state.lostMs + (event.waited_ms ?? 0) };
    case 'model.loaded':
      return {
        ...state,
        loaded: event,
        phase: preparing(state),
        transientSince: undefined,
      };
    case 'server-wait.started':
      return {
        ...state,
        phase: 'awaiting-server',
        serverWait: {
          seq: event.seq,
          since: event.at,
          limitMs: event.limit_ms,
          error: event.error,
          gaveUp: false,
        },
        serverDown: {
          since: state.serverDown?.since ?? event.at,
          waits: (state.serverDown?.waits ?? 0) + 1,
        },
      };
    case 'server-wait.ended':
      return serverWaited(state, event);
    case 'attempt.started':
      return {
        ...state,
        phase: 'between',
        attempt: event.attempt,
        messages: event.messages,
        tools: event.tools as RunState['tools'],
        logPath: event.log_path,
        folded: {},
        measured: undefined,
        handover: emptyRunState('').handover,
        iteration: 0,
        awaitingReply: false,
        answer: { checked: undefined, asked: 0 },
        turns: { ...state.turns, prompted: event.messages.at(-1)?.role !== 'system' },
        callHistory: [],
        callHistorySeqs: [],
        lastNewsIteration: 0,
        lastNewsSeq: 0,
        nudges: 0,
        nudgeSeqs: [],
        retries: noRetries,
        reply: undefined,
        failedCall: undefined,
      };
    case 'iteration.started':
      return {
        ...state,
        phase: 'between',
        iteration: event.iteration,
        iterationsUsed: state.iterationsUsed + 1,
        // The summary call does not count towards the cycle.
        cycle:
          state.handover.kept === undefined
            ? state.cycle
            : { ...state.cycle, iterationsBefore: state.cycle.iterationsBefore + 1 },
        awaitingReply: true,
        retries: noRetries,
        transientSince: undefined,
        reply: undefined,
        failedCall: undefined,
      };
    case 'model-call.started':
      return {
        ...state,
        phase: 'calling',
        calls: event.call,
        openCall: event,
        failedCall: undefined,
        context: { estimatedTokens: event.estimated_tokens, promptTokens: undefined },
      };
    case 'model-call.ended':
      return {
        ...state,
        phase: 'deciding',
        openCall: undefined,
        lastCall: event,
        lastCallOffered: (state.openCall?.tool_count ?? state.tools.length) > 0,
        lastCallLimit: replyLimit(state.openCall),
        transientSince: undefined,
        serverDown: undefined,
        ...addUsage(state, event),
        context: { ...state.context, promptTokens: event.prompt_tokens },
        ...withMeasurements(state, event),
        messages: withKeptReply(state, event),
        ...withModelTime(state, event, { tokens: event.reply_tokens, writingMs: event.timings.evalMs }),
      };
    case 'model-call.failed':
      return failed(state, event);
    case 'reply.parsed':
      return parsed(state, event);
    case 'approval.requested':
      return withApproval(accepted(state, event).state, event, { requested: event, decided: undefined });
    case 'approval.decided': {
      const requested = state.approvals[event.call_id]?.requested;
      const next = withApproval(accepted(state, event).state, event, { requested, decided: event });
      const { tool, seq } = event;
      return event.scope === 'run'
        ? { ...next, approvedTools: { ...next.approvedTools, [tool]: seq } }
        : next;
    }
    case 'tool-call.started':
      return toolStarted(state, event);
    case 'mcp-request.received':
      return {
        ...state,
        phase: 'awaiting-approval',
        mcpRequests: { ...state.mcpRequests, count: state.mcpRequests.count + 1, open: event },
      };
    case 'mcp-request.answered':
      return withoutRequest({ ...state, mcpRequests: { ...state.mcpRequests, answered: event } });
    case 'mcp-sampling.started':
      return { ...state, waitedMs: state.waitedMs + (event.waited_ms ?? 0) };
    case 'mcp-messages.logged':
      return state;
    case 'mcp-sampling.ended':
      return sampled(state, event);
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return toolEnded(state, event);
    case 'answer.checked':
      return { ...state, answer: { ...state.answer, checked: event } };
    case 'policy.nudged':
      return nudged(state, event);
    case 'policy.retried':
      return {
        ...state,
        phase: preparing(state),
        // A call failed, or a load while the calls of a reply wait, which must still be made.
        reply: event.cause === 'transient' ? state.reply : undefined,
        failedCall: undefined,
        retries: { ...state.retries, [event.cause]: retriesBefore(state, event.cause) + 1 },
        transientSince:
          event.cause === 'transient' ? (state.transientSince ?? event.at) : state.transientSince,
        acceptedThink: event.cause === 'thinking' ? (event.think ?? false) : state.acceptedThink,
      };
    case 'policy.compacted': {
      const folded = { ...state.folded };
      for (const entry of event.folded) folded[entry.message] = entry.content;
      return { ...state, folded };
    }
    case 'policy.warned':
      return warned(state, event);
    case 'budget.checked':
      return { ...state, budget: event, waitedAtCheck: state.waitedMs };
    case 'verification.started':
      return {
        ...state,
        phase: 'verifying',
        reply: undefined,
        attempts: [
          ...state.attempts,
          {
            attempt: event.attempt,
            reason: event.reason,
            output: event.output,
            ...(event.error && { error: event.error }),
            checks: [],
          },
        ],
      };
    case 'verification.checked':
      return {
        ...state,
        waitedMs: state.waitedMs + (event.waited_ms ?? 0),
        attempts: state.attempts.map((attempt) =>
          attempt.attempt === event.attempt
            ? { ...attempt, outcome: event.outcome, checks: event.checks }
            : attempt,
        ),
      };
    case 'turn.ended':
      return turnEnded(state, event);
    case 'turn.paused':
      return { ...state, turns: { ...state.turns, pausedAfter: event.iteration } };
    case 'harness.prompted':
      return said(state, event.text);
    case 'handover.started': {
      const { messages, turns, handover } = state;
      // The list may be the one that the request joins.
      const kept = messages.length;
      return {
        ...said(state, event.text),
        phase: 'between',
        // Its calls are done; the next reply is the summary.
        reply: undefined,
        handover: { ...handover, kept, prompted: turns.prompted },
      };
    }
    case 'handover.ended':
      return handedOver(state, event);
    case 'operator-call.started':
      return state;
    case 'operator-call.ended':
      return { ...state, operatorAsked: event.call_id };
    case 'cycle.started':
      return cycleStarted(state, event);
    case 'cycle.reflected':
      return cycleReflected(state, event);
    case 'diversity.advised':
      return { ...state, diversity: event, reflections: withVectors(state.reflections, event) };
    case 'memory.changed':
      return { ...state, memory: changedMemory(state, event) };
    case 'message.awaited':
      return awaited(state, event);
    case 'autopilot.switched': {
      const next = event.on ? woken(state) : state;
      return { ...next, autopilot: { on: event.on, ...limitsFrom(next, event.at) } };
    }
    case 'operator.messaged':
      return {
        ...withImages(woken(state), event.images),
        operatorMessages: [
          ...state.operatorMessages,
          {
            ...{
              id: event.message_id,
              text: event.text,
              at: event.at,
              seq: event.seq,
              status: 'queued' as const,
            },
            ...(event.images && { images: event.images }),
            ...(event.by && { by: event.by }),
          },
        ],
      };
    case 'operator.delivered':
      return delivered(state, event);
    case 'agent.messaged':
      return {
        ...state,
        agentMessages: [
          ...state.agentMessages,
          { text: event.text, at: event.at, seq: event.seq, callId: event.call_id, cycle: event.cycle },
        ],
      };
    case 'stop.requested':
      return {
        ...woken(state),
        stop: {
          force: event.force || (state.stop?.force ?? false),
          at: state.stop?.at ?? event.at,
          requests: (state.stop?.requests ?? 0) + 1,
        },
      };
    case 'run.ended':
      return {
        ...state,
        phase: 'ended',
        result: event.result,
        mcpRequests: { ...state.mcpRequests, open: undefined },
        ended: event,
        outcome: event.outcome ?? outcomeAt(state, event.result.termination_reason),
        openCall: undefined,
        serverWait: undefined,
        operatorMessages: state.operatorMessages.map((message) =>
          message.status === 'queued' ? { ...message, status: 'returned' as const } : message,
        ),
      };
    default:
      return assertNever(event);
  }
}

function replyLimit(call: RunState['openCall']): number | undefined {
  const limit = call?.options.num_predict;
  return typeof limit === 'number' ? limit : undefined;
}

/** Adds the duration of a finished call. It only counts towards speed if enough tokens were generated to measure it. */
function withModelTime(
  { spent, longestCall }: RunState,
  { call, seq, duration_ms: ms }: EventOf<'model-call.ended'> | EventOf<'model-call.failed'>,
  { tokens = 0, writingMs = 0 }: { tokens?: number; writingMs?: number } = {},
): Pick<RunState, 'spent' | 'longestCall'> {
  const told = isTimed(tokens, writingMs);
  return {
    spent: {
      ...spent,
      modelMs: spent.modelMs + ms,
      writingMs: spent.writingMs + (told ? writingMs : 0),
      writtenTokens: spent.writtenTokens + (told ? tokens : 0),
    },
    longestCall: longestCall && longestCall.ms >= ms ? longestCall : { call, seq, ms },
  };
}

/** Another process may have appended a message, a stop or a switch first: then there is nothing to wait for. */
function awaited(before: RunState, { seq, cause, call_id: callId }: EventOf<'message.awaited'>): RunState {
  const state = callId === undefined ? before : { ...before, operatorAsked: callId };
  const { stop, autopilot, operatorMessages } = state;
  const goesOn = autopilot.on && (cause === 'start' || cause === 'text' || cause === 'empty');
  if (stop || goesOn || operatorMessages.some(({ status }) => status === 'queued')) return state;
  return { ...state, phase: 'awaiting-message', awaiting: { seq, cause } };
}

function withImages(state: RunState, images: readonly ImageRef[] | undefined): RunState {
  if (!images || images.length === 0) return state;
  const kept = new Map(state.images.kept);
  for (const { hash, bytes } of images) kept.set(hash, bytes);
  return { ...state, images: { ...state.images, kept } };
}

/** The server's count shows how many tokens an image really takes for this model. */
function withMeasuredTokens(state: RunState, event: EventOf<'model-call.ended'>): RunState['images'] {
  const estimated = state.context.estimatedTokens;
  const factor = measuredFactor(state, { estimated, measured: event.prompt_tokens });
  return factor === undefined ? state.images : { ...state.images, factor };
}

/** Ends the wait for a message. */
function woken(state: RunState): RunState {
  return state.awaiting ? { ...state, phase: 'between', awaiting: undefined, woken: true } : state;
}

/** The start from which the limits of autopilot count. */
function limitsFrom(state: RunState, at: number): Pick<RunState['autopilot'], 'fromTurn' | 'fromMs'> {
  return { fromTurn: state.turns.completed, fromMs: workedMs(state, at) };
}

/** Once the server is back, it has no model loaded and may be another version. */
function serverWaited(state: RunState, event: EventOf<'server-wait.ended'>): RunState {
  const { serverWait } = state;
  switch (event.outcome) {
    case 'back':
      return {
        ...state,
        phase: preparing(state),
        serverWait: undefined,
        loaded: undefined,
        failedCall: undefined,
        transientSince: undefined,
      };
    case 'gave_up':
      return { ...state, serverWait: serverWait && { ...serverWait, gaveUp: true } };
    case 'stopped':
      return { ...state, serverWait: undefined };
  }
}

/** A request that was open when the worker was lost may be sent again; a running tool call may not. */
function resumed(state: RunState, event: EventOf<'run.resumed'>): RunState {
  const { after_wait: afterWait } = event;
  const phase = state.phase === 'calling' || state.phase === 'loading' ? preparing(state) : state.phase;
  return {
    ...state,
    worker: event.worker,
    epoch: event.epoch,
    resumes: state.resumes + (afterWait ? 0 : 1),
    woken: false,
    resumedAt: event.at,
    lostMs: Math.max(
      0,
      event.at - (state.startedAt ?? event.at) - waitedMs(state, event.at) - workedMs(state, state.updatedAt),
    ),
    openCall: undefined,
    // The model may have been unloaded meanwhile, so its window must be read again. After a wait, the check before the
    // next call does that.
    loaded: afterWait ? state.loaded : undefined,
    // A restart of Loupe often comes with a restart of Ollama, so the wait starts over.
    serverWait: state.serverWait && { ...state.serverWait, since: event.at },
    serverDown: state.serverDown && { ...state.serverDown, since: event.at },
    phase,
  };
}

/**
 * Ends the copied part. The conversation is kept, with the edits; worker, clock, server and model are reset, because
 * no worker has started this run yet. A stop, failed call or spent budget of the source run does not apply.
 */
function forked(state: RunState, event: EventOf<'run.forked'>): RunState {
  const answer = event.answered ? state.reply : undefined;
  const replayed = event.edits.reduce((now, edit) => withEdit(now, edit, event), state);
  const edited = withoutUnwantedHandover(event.continues ? countedAnew(replayed, event) : replayed);
  const text = answer && edited.reply?.text;
  const standing =
    text === undefined || edited.config?.conversation?.replies === 'unchanged' ? undefined : text;
  return {
    ...edited,
    phase: 'queued',
    forked: event,
    createdAt: event.at,
    startedAt: undefined,
    worker: undefined,
    epoch: 0,
    resumes: 0,
    lostMs: 0,
    serverWait: undefined,
    serverDown: undefined,
    waitedMs: 0,
    waitingSince: undefined,
    waitedAtCheck: 0,
    awaiting: undefined,
    woken: false,
    autopilot: { on: edited.config?.autopilot ?? true, fromTurn: edited.turns.completed, fromMs: 0 },
    preflight: undefined,
    images: { ...edited.images, factor: undefined },
    loaded: undefined,
    logPath: event.log_path,
    ...(event.tools ? { tools: event.tools as RunState['tools'] } : {}),
    openCall: undefined,
    failedCall: undefined,
    retries: noRetries,
    // The answer may have been edited, and the schema changed.
    answer: { ...edited.answer, checked: undefined },
    acceptedThink: undefined,
    promptAlarms: {},
    measured: undefined,
    transientSince: undefined,
    budget: undefined,
    costUsd: edited.config?.price ? event.cost_usd : undefined,
    stop: undefined,
    // Decisions apply to the source run only, and in an imported one they were made by someone else.
    approvals: {},
    approvedTools: {},
    mcpRequests: { ...edited.mcpRequests, open: undefined, answered: undefined },
    // The reply of a person or model has not come yet: one that has is a message.
    operatorAsked: undefined,
    ...(answer ? { reply: undefined, awaitingReply: false } : {}),
    messages: standing ? [...edited.messages, { role: 'assistant', content: standing }] : edited.messages,
  };
}

/**
 * Resets what ended the source run. A reply that was empty or whose calls a guard refused is discarded and the next
 * iteration starts; one already in the conversation is kept.
 */
function countedAnew(state: RunState, event: EventOf<'run.forked'>): RunState {
  const { reply, config } = state;
  const kept = config?.conversation?.replies === 'unchanged';
  const refused = reply && !reply.accepted && !kept && reply.outcome !== 'final_answer';
  return {
    ...state,
    ...(reply && !refused ? {} : { reply: undefined, awaitingReply: false }),
    callHistory: [],
    callHistorySeqs: [],
    lastNewsIteration: state.iteration,
    lastNewsSeq: event.seq,
    nudges: 0,
    nudgeSeqs: [],
    callsSucceeded: 0,
    turns: { ...state.turns, empty: 0 },
    cycle: { ...state.cycle, empty: 0 },
  };
}

/** Takes back the request for a summary if the settings of the fork turn handovers off. */
function withoutUnwantedHandover(state: RunState): RunState {
  const { kept, prompted } = state.handover;
  if (kept === undefined || typeof state.config?.handover_at === 'number') return state;
  return {
    ...state,
    reply: undefined,
    awaitingReply: false,
    messages: state.messages.slice(0, kept),
    turns: { ...state.turns, prompted },
    handover: { ...state.handover, kept: undefined, prompted: true },
  };
}

function withEdit(state: RunState, edit: ForkEdit, event: EventOf<'run.forked'>): RunState {
  switch (edit.target) {
    case 'message': {
      const { [edit.index]: _, ...folded } = state.folded;
      const messages = state.messages.map((message, index) =>
        index === edit.index ? { ...message, content: edit.after } : message,
      );
      return { ...state, messages, folded };
    }
    case 'reply': {
      const { reply, messages } = state;
      const last = messages.at(-1);
      // If replies are kept unchanged, this one is already in the conversation (X9).
      const kept = state.config?.conversation?.replies === 'unchanged' && last?.role === 'assistant';
      return {
        ...state,
        lastText: edit.after,
        // A text edited by the operator is complete even if the model's was cut off or lost a call.
        lastReplyCut: false,
        lastReplyLoss: { swallowedTokens: 0, malformed: false },
        reply: reply && {
          ...reply,
          text: edit.after,
          cut: false,
          malformed: false,
          outcome: outcomeOf(reply, edit.after),
        },
        messages: kept ? [...messages.slice(0, -1), { ...last, content: edit.after }] : messages,
      };
    }
    case 'call':
      return withArguments(state, edit.call_id, edit.after);
    case 'memory': {
      const memory = new Map(state.memory);
      if (edit.after === undefined) memory.delete(edit.key);
      else memory.set(edit.key, { value: edit.after, seq: event.seq, cycle: state.cycle.number });
      return { ...state, memory };
    }
    default:
      return assertNever(edit);
  }
}

/** Replaces a call's arguments wherever the conversation contains it, as if the model had written them. */
function withArguments(state: RunState, callId: string, args: PendingCall['arguments']): RunState {
  const { reply, callHistory, messages } = state;
  const index = reply?.calls.findIndex((call) => call.callId === callId) ?? -1;
  if (!reply || index < 0) return state;
  const calls = reply.calls.map((call, at) => (at === index ? { ...call, arguments: args } : call));
  const asked = messages.findLastIndex(({ role }) => role === 'assistant');
  const kept = state.config?.conversation?.replies === 'unchanged';
  const stands = reply.accepted || kept;
  return {
    ...state,
    reply: { ...reply, calls },
    callHistory: reply.accepted
      ? [...callHistory.slice(0, -1), calls.map(({ name, arguments: given }) => ({ name, arguments: given }))]
      : callHistory,
    messages: stands
      ? messages.map((message, at) => (at === asked ? withCallArguments(message, calls, index) : message))
      : messages,
  };
}

/** An unchanged reply may contain entries that are not valid calls; then it is left as is. */
function withCallArguments(message: ChatMessage, calls: readonly PendingCall[], index: number): ChatMessage {
  const { tool_calls: asked } = message;
  if (asked?.length !== calls.length) return message;
  return {
    ...message,
    tool_calls: asked.map((call, at) => {
      const args = at === index ? calls[at]?.arguments : undefined;
      return args ? { ...call, function: { ...call.function, arguments: args } } : call;
    }),
  };
}

function outcomeOf({ calls }: PendingReply, text: string): PendingReply['outcome'] {
  if (calls.length > 0) return 'tool_calls';
  return text.trim() === '' ? 'empty' : 'final_answer';
}

/** The phase between steps: of the preparation before the first attempt, of an iteration after it. */
function preparing(state: RunState): RunPhase {
  return state.attempt === 0 ? 'starting' : 'between';
}

function warned(state: RunState, { code, detail }: EventOf<'policy.warned'>): RunState {
  if (code !== 'prompt_cut' && code !== 'prompt_unread') return state;
  const window = detail?.window_tokens;
  return {
    ...state,
    promptAlarms: { ...state.promptAlarms, [code]: typeof window === 'number' ? window : 0 },
    measured: code === 'prompt_cut' ? undefined : state.measured,
  };
}

function failed(state: RunState, event: EventOf<'model-call.failed'>): RunState {
  const said = event.visible_text ?? event.partial_text ?? '';
  return {
    ...state,
    phase: 'deciding',
    openCall: undefined,
    failedCall: {
      call: event.call,
      seq: event.seq,
      kind: event.kind,
      transient: event.transient ?? false,
      code: event.error.code,
      message: event.error.message,
      hint: event.error.hint,
    },
    // Other failures, such as a call that Ollama could not read, start no series of retries.
    transientSince: state.transientSince ?? (event.transient ? event.at : undefined),
    parsed:
      event.kind === 'malformed_call'
        ? { ...state.parsed, malformed: state.parsed.malformed + 1 }
        : state.parsed,
    lastText: said.trim() === '' ? state.lastText : said,
    ...addUsage(state, event),
    context: { ...state.context, promptTokens: event.prompt_tokens },
    ...withModelTime(state, event),
  };
}

function parsed(state: RunState, event: EventOf<'reply.parsed'>): RunState {
  const counts = { ...state.parsed };
  for (const call of event.calls) counts[call.layer] += 1;
  if (event.repairs.length > 0) counts.repaired += 1;
  const ended = state.lastCall?.call === event.call ? state.lastCall : undefined;
  const loss = lossOf(event, ended, state.lastCallOffered);
  if (loss.malformed) counts.malformed += 1;
  counts.refused += event.refusals.length;
  return {
    ...state,
    phase: 'deciding',
    parsed: counts,
    lastText: event.text.trim() === '' ? state.lastText : event.text,
    lastReplySeq: event.seq,
    lastReplyCut: event.cut,
    answer: { ...state.answer, checked: undefined },
    lastReplyLoss: { ...loss, malformed: loss.malformed && event.calls.length === 0 },
    turns: { ...state.turns, swallowedTokens: state.turns.swallowedTokens + loss.swallowedTokens },
    cycle: { ...state.cycle, swallowedTokens: state.cycle.swallowedTokens + loss.swallowedTokens },
    reply: {
      call: event.call,
      seq: event.seq,
      outcome: event.outcome,
      text: event.text,
      malformed: loss.malformed,
      cut: event.cut,
      replyTokens: ended?.reply_tokens,
      calls: event.calls.map((call) => ({
        callId: call.call_id,
        messageId: call.given_id ?? call.call_id,
        name: call.name,
        arguments: call.arguments,
        status: 'waiting',
      })),
      accepted: false,
    },
  };
}

function toolStarted(before: RunState, event: EventOf<'tool-call.started'>): RunState {
  const { reply, state } = accepted(before, event);
  const running: PendingReply = {
    ...reply,
    calls: reply.calls.map((call) =>
      call.callId === event.call_id ? { ...call, status: 'running', startedSeq: event.seq } : call,
    ),
  };
  return { ...state, phase: 'executing', reply: running, toolCalls: state.toolCalls + 1 };
}

/**
 * The first call that starts, needs approval or is not run adds the reply to the conversation: one assistant message
 * with all calls as the model wrote them (T12).
 */
function accepted(state: RunState, event: RunEvent): { state: RunState; reply: PendingReply } {
  if (!state.reply)
    throw new RangeError(`Run ${state.runId}: event ${event.seq} refers to a call that is in no reply`);
  if (state.reply.accepted) return { state, reply: state.reply };
  const reply = { ...state.reply, accepted: true };
  const calls = reply.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  const message = readReplyMessage(reply, state.config?.conversation);
  const after = {
    ...state,
    reply,
    awaitingReply: false,
    callHistory: appended<RunState['callHistory'][number]>(state.callHistory, calls),
    callHistorySeqs: appended(state.callHistorySeqs, reply.seq),
    messages: message ? appended(state.messages, message) : state.messages,
  };
  return { state: after, reply };
}

function withApproval(
  state: RunState,
  { call_id, tool }: EventOf<'approval.requested'> | EventOf<'approval.decided'>,
  approval: Pick<Approval, 'requested' | 'decided'>,
): RunState {
  const next = { ...state, approvals: { ...state.approvals, [call_id]: { tool, ...approval } } };
  return { ...next, phase: phaseOfCalls(next) };
}

/** Whether the next call of the reply waits for the operator. Later ones may be decided first. */
function phaseOfCalls({ phase, awaiting, serverWait, mcpRequests, reply, approvals }: RunState): RunPhase {
  // Deciding a later call does not end a wait.
  if (awaiting || serverWait) return phase;
  if (mcpRequests.open) return 'awaiting-approval';
  if (reply?.calls.some(({ status }) => status === 'running')) return 'executing';
  const next = reply?.calls.find(({ status }) => status === 'waiting');
  const approval = next && Object.hasOwn(approvals, next.callId) ? approvals[next.callId] : undefined;
  return approval?.requested && !approval.decided ? 'awaiting-approval' : 'executing';
}

function toolEnded(
  before: RunState,
  event: EventOf<'tool-call.ended'> | EventOf<'tool-call.interrupted'>,
): RunState {
  const { reply, state } = accepted(before, event);
  const call = reply.calls.find((pending) => pending.callId === event.call_id);
  if (!call) throw new RangeError(`Run ${state.runId}: event ${event.seq} ends a call that never started`);
  const decided = state.approvals[call.callId]?.decided;
  const wrote = event.result.success && WRITING_TOOLS.includes(call.name);
  // Older logs do not say what was new; for them, only written files count.
  const news = wrote || (event.type === 'tool-call.ended' && event.new_information === true);
  const path = (decided?.arguments ?? call.arguments).path;
  const answered: PendingReply = {
    ...reply,
    calls: reply.calls.map((pending) => (pending === call ? { ...pending, status: 'done' } : pending)),
  };
  const images = event.type === 'tool-call.ended' ? event.images : undefined;
  // A request that a server left open is void with the call.
  const mcpRequests = { ...state.mcpRequests, open: undefined };
  return {
    ...withImages(state, images),
    // A queued fork records results for calls that are not run.
    phase: state.phase === 'queued' ? state.phase : phaseOfCalls({ ...state, mcpRequests, reply: answered }),
    mcpRequests,
    reply: answered,
    messages: appended(state.messages, resultMessage(call, event.result, state.config?.conversation, images)),
    callsSucceeded: state.callsSucceeded + (event.result.success ? 1 : 0),
    // A denied call never ran, so it does not count as failed.
    failedToolCalls: state.failedToolCalls + (event.result.success || decided?.decision === 'denied' ? 0 : 1),
    // The duration of a call lost with its server is unknown.
    spent:
      event.type === 'tool-call.ended'
        ? { ...state.spent, toolMs: state.spent.toolMs + event.duration_ms }
        : state.spent,
    lastNewsIteration: news ? state.iteration : state.lastNewsIteration,
    lastNewsSeq: news ? event.seq : state.lastNewsSeq,
    filesWritten:
      wrote && typeof path === 'string' && !state.filesWritten.includes(path)
        ? appended(state.filesWritten, path)
        : state.filesWritten,
    autoRunFiles: withAutoRunFiles(state.autoRunFiles, event),
  };
}

/** No server waits for the operator any more. */
function withoutRequest(state: RunState): RunState {
  const next = { ...state, mcpRequests: { ...state.mcpRequests, open: undefined } };
  return { ...next, phase: phaseOfCalls(next) };
}

/** Text that the model wrote for a server uses the run's tokens and time, but is not part of its conversation. */
function sampled(state: RunState, event: EventOf<'mcp-sampling.ended'>): RunState {
  return {
    ...state,
    phase: phaseOfCalls(state),
    ...addUsage(state, event),
    spent: { ...state.spent, modelMs: state.spent.modelMs + event.duration_ms },
  };
}

function nudged(state: RunState, event: EventOf<'policy.nudged'>): RunState {
  if (event.cause === 'schema') return askedForData(state, event);
  const plan = event.cause === 'plan' ? state.reply?.text : undefined;
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    nudges: event.count,
    callsSucceeded: 0,
    nudgeSeqs: appended(state.nudgeSeqs, event.seq),
    reply: undefined,
    failedCall: undefined,
    messages: appended(
      state.messages,
      ...(plan === undefined ? [] : [{ role: 'assistant' as const, content: plan }]),
      { role: 'user' as const, content: event.text },
    ),
  };
}

/** The same iteration continues: the model has done the work, and only gives its answer in another form. */
function askedForData(state: RunState, event: EventOf<'policy.nudged'>): RunState {
  const { reply } = state;
  return {
    ...state,
    phase: preparing(state),
    awaitingReply: true,
    answer: { checked: undefined, asked: event.count },
    reply: undefined,
    messages: appended(
      state.messages,
      ...(reply ? [{ role: 'assistant' as const, content: reply.text }] : []),
      { role: 'user' as const, content: event.text },
    ),
  };
}

/** If replies are kept unchanged, they join the conversation on arrival, before they are parsed (X9). */
function withKeptReply(state: RunState, event: EventOf<'model-call.ended'>): RunState['messages'] {
  if (state.config?.conversation?.replies !== 'unchanged') return state.messages;
  return appended(state.messages, keptReply(event.message));
}

/** Adds a message from Loupe or the operator, which the model must answer. */
function said(state: RunState, text: string, images: readonly ImageRef[] = []): RunState {
  return {
    ...state,
    messages: appended(state.messages, {
      role: 'user',
      content: text,
      ...(images.length > 0 && { images }),
    }),
    turns: { ...state.turns, prompted: true },
  };
}

function turnEnded(state: RunState, event: EventOf<'turn.ended'>): RunState {
  const text = event.outcome === 'text' ? state.reply?.text : undefined;
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    reply: undefined,
    failedCall: undefined,
    messages:
      text === undefined ? state.messages : appended(state.messages, { role: 'assistant', content: text }),
    turns: {
      ...state.turns,
      completed: state.turns.completed + 1,
      empty: event.outcome === 'empty' ? state.turns.empty + 1 : 0,
      swallowedTokens: event.outcome === 'empty' ? state.turns.swallowedTokens : 0,
      prompted: event.outcome === 'calls',
    },
  };
}

function cycleStarted(state: RunState, event: EventOf<'cycle.started'>): RunState {
  const begun: RunState = {
    ...state,
    cycle: { ...state.cycle, number: event.cycle, open: true, iterationsBefore: state.iteration },
  };
  return event.line === undefined ? begun : said(begun, event.line);
}

function cycleReflected(state: RunState, event: EventOf<'cycle.reflected'>): RunState {
  // A cycle that reached its call limit made calls, even if the limit is one.
  const silent =
    event.ended_by === 'reflection' &&
    event.text.trim() === '' &&
    state.iteration - state.cycle.iterationsBefore <= 1;
  const reflection = { cycle: event.cycle, text: event.text, seq: event.seq };
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    reply: undefined,
    failedCall: undefined,
    cycle: {
      ...state.cycle,
      open: false,
      empty: silent ? state.cycle.empty + 1 : 0,
      swallowedTokens: silent ? state.cycle.swallowedTokens : 0,
    },
    reflections:
      event.ended_by === 'reflection' ? appended(state.reflections, reflection) : state.reflections,
  };
}

/** The server's token count of the prompt and its images. */
function withMeasurements(
  state: RunState,
  event: EventOf<'model-call.ended'>,
): Pick<RunState, 'images' | 'measured'> {
  const images = withMeasuredTokens(state, event);
  return { images, measured: measuredBy({ ...state, images }, event) };
}

/**
 * The server's token count of the prompt. A truncated prompt says nothing about the conversation, and a request for a
 * summary has no tools.
 */
function measuredBy(state: RunState, event: EventOf<'model-call.ended'>): RunState['measured'] {
  if (state.promptAlarms.prompt_cut !== undefined) return undefined;
  if (state.handover.kept !== undefined) return state.measured;
  if (event.prompt_tokens === undefined || event.prompt_tokens === 0) return state.measured;
  return { tokens: event.prompt_tokens, chars: readableChars(state) };
}

/** The fresh context: the system prompt and the summary. Without a summary, the messages before the request for one. */
function handedOver(state: RunState, event: EventOf<'handover.ended'>): RunState {
  const { kept, prompted, count } = state.handover;
  const [system] = state.messages;
  const fresh: ChatMessage | undefined =
    event.outcome === 'done' && event.text !== undefined ? { role: 'user', content: event.text } : undefined;
  const messages = fresh ? [...(system ? [system] : []), fresh] : state.messages.slice(0, kept);
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    reply: undefined,
    failedCall: undefined,
    messages,
    folded: fresh ? {} : state.folded,
    measured: fresh ? undefined : state.measured,
    turns: { ...state.turns, prompted },
    handover: {
      kept: undefined,
      prompted: true,
      count: count + (fresh ? 1 : 0),
      fromChars: readableChars({ ...state, messages }),
    },
  };
}

/** Adds the embeddings that a comparison recorded. */
function withVectors(
  reflections: RunState['reflections'],
  { vectors }: EventOf<'diversity.advised'>,
): RunState['reflections'] {
  if (!vectors) return reflections;
  const byCycle = new Map(vectors.map(({ cycle, vector }) => [cycle, vector]));
  return reflections.map((reflection) => {
    const vector = byCycle.get(reflection.cycle);
    return vector ? { ...reflection, vector } : reflection;
  });
}

function changedMemory(state: RunState, event: EventOf<'memory.changed'>): RunState['memory'] {
  const memory = new Map(state.memory);
  if (event.operation === 'delete' || event.value === undefined) memory.delete(event.key);
  else memory.set(event.key, { value: event.value, seq: event.seq, cycle: event.cycle });
  return memory;
}

function delivered(state: RunState, event: EventOf<'operator.delivered'>): RunState {
  const brought = state.operatorMessages.filter((message) => event.message_ids.includes(message.id));
  const marked: RunState = {
    ...state,
    operatorMessages: state.operatorMessages.map((message) =>
      brought.includes(message) ? { ...message, status: 'delivered', deliveredSeq: event.seq } : message,
    ),
  };
  if (event.as === 'tool-result') return marked;
  const heard = {
    ...marked,
    autopilot: { ...marked.autopilot, ...limitsFrom(marked, event.at) },
    // A person's message can need tools again, which a request for data does not offer.
    answer: emptyRunState('').answer,
  };
  return said(
    heard,
    brought.map(({ text }) => text).join('\n\n'),
    brought.flatMap(({ images = [] }) => images),
  );
}
