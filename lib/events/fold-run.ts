import type { ChatMessage } from '../model/chat-model.ts';
import { assertNever } from '../util/assert-never.ts';
import { keptReply, readReplyMessage, resultMessage } from './conversation.ts';
import type { ForkEdit } from './fork.ts';
import type { EventOf, RunEvent } from './registry.ts';
import type { PendingCall, PendingReply, RunPhase, RunState } from './run-state.ts';
import { workedMs } from './worked-ms.ts';

/**
 * Takes one event into the state. Pure, and the only reading of a log there is: the loop, the dashboard, exports and
 * tests all use it (DESIGN 1). Costs the same for the first event and the ten-thousandth, apart from copying lists of
 * references.
 *
 * @throws {RangeError} when the event is not the next one of this run: a gap must never pass unseen
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
    seq: event.seq,
    updatedAt: event.at,
    phaseSince: state.seq === 0 ? event.at : phaseSince,
  };
}

/** Folds a whole log, or its continuation. */
export function foldAll(state: RunState, events: Iterable<RunEvent>): RunState {
  let folded = state;
  for (const event of events) folded = foldRun(folded, event);
  return folded;
}

const noRetries = { length: 0, malformed: 0, transient: 0, overflow: 0, thinking: 0 };

function apply(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'run.created':
      return { ...state, config: event.config, parent: event.parent, createdAt: event.at };
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
      return { ...state, loaded: event, phase: preparing(state), transientSince: undefined };
    case 'attempt.started':
      return {
        ...state,
        phase: 'between',
        attempt: event.attempt,
        messages: event.messages,
        tools: event.tools as RunState['tools'],
        logPath: event.log_path,
        folded: {},
        iteration: 0,
        awaitingReply: false,
        callHistory: [],
        callHistorySeqs: [],
        lastWriteIteration: 0,
        lastWriteSeq: 0,
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
        transientSince: undefined,
        tokensIn: state.tokensIn + (event.prompt_tokens ?? 0),
        tokensOut: state.tokensOut + (event.reply_tokens ?? 0),
        context: { ...state.context, promptTokens: event.prompt_tokens },
        messages: withKeptReply(state, event),
        ...withModelTime(state, event, { tokens: event.reply_tokens, writingMs: event.timings.evalMs }),
      };
    case 'model-call.failed':
      return failed(state, event);
    case 'reply.parsed':
      return parsed(state, event);
    case 'approval.requested':
      return {
        ...accepted(state, event),
        phase: 'awaiting-approval',
        approvals: {
          ...state.approvals,
          [event.call_id]: { tool: event.tool, requested: event, decided: undefined },
        },
      };
    case 'approval.decided':
      return {
        ...accepted(state, event),
        phase: 'executing',
        approvals: {
          ...state.approvals,
          [event.call_id]: {
            tool: event.tool,
            requested: state.approvals[event.call_id]?.requested,
            decided: event,
          },
        },
      };
    case 'tool-call.started':
      return toolStarted(state, event);
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return toolEnded(state, event);
    case 'policy.nudged':
      return nudged(state, event);
    case 'policy.retried':
      return {
        ...state,
        phase: preparing(state),
        reply: undefined,
        failedCall: undefined,
        retries: { ...state.retries, [event.cause]: state.retries[event.cause] + 1 },
        transientSince:
          event.cause === 'transient' ? (state.transientSince ?? event.at) : state.transientSince,
        thinkingRefused: state.thinkingRefused || event.cause === 'thinking',
      };
    case 'policy.compacted': {
      const folded = { ...state.folded };
      for (const entry of event.folded) folded[entry.message] = entry.content;
      return { ...state, folded };
    }
    case 'policy.warned':
      return state;
    case 'budget.checked':
      return { ...state, costUsd: event.cost_usd, budget: event };
    case 'verification.started':
      return {
        ...state,
        phase: 'verifying',
        reply: undefined,
        attempts: [
          ...state.attempts,
          { attempt: event.attempt, reason: event.reason, output: event.output, checks: [] },
        ],
      };
    case 'verification.checked':
      return {
        ...state,
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
    case 'cycle.started':
      return cycleStarted(state, event);
    case 'cycle.reflected':
      return cycleReflected(state, event);
    case 'diversity.advised':
      return { ...state, diversity: event };
    case 'memory.changed':
      return { ...state, memory: changedMemory(state, event) };
    case 'operator.messaged':
      return {
        ...state,
        operatorMessages: [
          ...state.operatorMessages,
          { id: event.message_id, text: event.text, at: event.at, seq: event.seq, status: 'queued' },
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
        ...state,
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
        ended: event,
        costUsd: event.cost_usd,
        openCall: undefined,
        operatorMessages: state.operatorMessages.map((message) =>
          message.status === 'queued' ? { ...message, status: 'returned' as const } : message,
        ),
      };
    default:
      return assertNever(event);
  }
}

/** The time of a call that is over. How fast the model wrote counts only where its server told both tokens and their time. */
function withModelTime(
  { spent, longestCall }: RunState,
  { call, seq, duration_ms: ms }: EventOf<'model-call.ended'> | EventOf<'model-call.failed'>,
  { tokens = 0, writingMs = 0 }: { tokens?: number; writingMs?: number } = {},
): Pick<RunState, 'spent' | 'longestCall'> {
  const told = tokens > 0 && writingMs > 0;
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

/** A request that was out when the worker was lost may be sent again; a tool call that was running may not. */
function resumed(state: RunState, event: EventOf<'run.resumed'>): RunState {
  const phase = state.phase === 'calling' || state.phase === 'loading' ? preparing(state) : state.phase;
  return {
    ...state,
    worker: event.worker,
    epoch: event.epoch,
    resumes: state.resumes + 1,
    resumedAt: event.at,
    lostMs: Math.max(0, event.at - (state.startedAt ?? event.at) - workedMs(state, state.updatedAt)),
    openCall: undefined,
    // The model may have been unloaded in the meantime: its window is looked up again.
    loaded: undefined,
    phase,
  };
}

/**
 * The copied part ends. What was said and done there stands, with the edits; worker, clock, server and model are those of
 * this run, which nobody has begun yet. A stop, a failed call or a spent budget of the other run does not hold here.
 */
function forked(state: RunState, event: EventOf<'run.forked'>): RunState {
  const answer = event.answered ? state.reply : undefined;
  const replayed = event.edits.reduce((now, edit) => withEdit(now, edit, event), state);
  const edited = event.continues ? countedAnew(replayed, event) : replayed;
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
    preflight: undefined,
    loaded: undefined,
    logPath: event.log_path,
    openCall: undefined,
    failedCall: undefined,
    retries: noRetries,
    thinkingRefused: false,
    transientSince: undefined,
    budget: undefined,
    stop: undefined,
    // Decisions were made about that run, and in one that came as a file, not by who forks it.
    approvals: {},
    ...(answer ? { reply: undefined, awaitingReply: false } : {}),
    messages: standing ? [...edited.messages, { role: 'assistant', content: standing }] : edited.messages,
  };
}

/**
 * What ended the other run does not end this one at once. A reply whose calls a guard refused, or that was empty, is let go
 * of, and the next iteration begins; one that is part of the conversation already stays.
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
    lastWriteIteration: state.iteration,
    lastWriteSeq: event.seq,
    nudges: 0,
    nudgeSeqs: [],
    turns: { ...state.turns, empty: 0 },
    cycle: { ...state.cycle, empty: 0 },
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
      // Where replies are kept unchanged, this one stands in the conversation already (X9).
      const kept = state.config?.conversation?.replies === 'unchanged' && last?.role === 'assistant';
      return {
        ...state,
        lastText: edit.after,
        reply: reply && { ...reply, text: edit.after, outcome: outcomeOf(reply, edit.after) },
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

/** The call as if the model had asked for it so, wherever the conversation holds it. */
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

/** Where a reply is kept as it came, it may hold entries that are no calls to us: then it stays as it is. */
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

/** Between two steps: of the preparation before the first attempt, of an iteration after it. */
function preparing(state: RunState): RunPhase {
  return state.attempt === 0 ? 'starting' : 'between';
}

function failed(state: RunState, event: EventOf<'model-call.failed'>): RunState {
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
    transientSince: state.transientSince ?? event.at,
    lastText: event.partial_text?.trim() ? event.partial_text : state.lastText,
    ...withModelTime(state, event),
  };
}

function parsed(state: RunState, event: EventOf<'reply.parsed'>): RunState {
  const counts = { ...state.parsed };
  for (const call of event.calls) counts[call.layer] += 1;
  if (event.repairs.length > 0) counts.repaired += 1;
  if (event.malformed) counts.malformed += 1;
  counts.refused += event.refusals.length;
  return {
    ...state,
    phase: 'deciding',
    parsed: counts,
    lastText: event.text.trim() === '' ? state.lastText : event.text,
    lastReplySeq: event.seq,
    reply: {
      call: event.call,
      seq: event.seq,
      outcome: event.outcome,
      text: event.text,
      malformed: event.malformed,
      cut: event.cut,
      thinking: event.thinking.trim() !== '',
      replyTokens: state.lastCall?.call === event.call ? state.lastCall.reply_tokens : undefined,
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
  const { reply, ...state } = accepted(before, event);
  const running: PendingReply = {
    ...reply,
    calls: reply.calls.map((call) =>
      call.callId === event.call_id ? { ...call, status: 'running', startedSeq: event.seq } : call,
    ),
  };
  return { ...state, phase: 'executing', reply: running, toolCalls: state.toolCalls + 1 };
}

/**
 * The first call that begins, or is asked about, makes the reply part of the conversation: one assistant message with
 * all its calls as the model wrote them (T12).
 */
function accepted(state: RunState, event: RunEvent): RunState & { readonly reply: PendingReply } {
  const { reply } = state;
  if (!reply) throw new RangeError(`Run ${state.runId}: event ${event.seq} is about a call of no reply`);
  if (reply.accepted) return { ...state, reply };
  const calls = reply.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  const message = readReplyMessage(reply, state.config?.conversation);
  return {
    ...state,
    reply: { ...reply, accepted: true },
    awaitingReply: false,
    callHistory: [...state.callHistory, calls],
    callHistorySeqs: [...state.callHistorySeqs, reply.seq],
    messages: message ? [...state.messages, message] : state.messages,
  };
}

function toolEnded(
  state: RunState,
  event: EventOf<'tool-call.ended'> | EventOf<'tool-call.interrupted'>,
): RunState {
  const { reply } = state;
  const call = reply?.calls.find((pending) => pending.callId === event.call_id);
  if (!reply || !call)
    throw new RangeError(`Run ${state.runId}: event ${event.seq} ends a call that never started`);
  const decided = state.approvals[call.callId]?.decided;
  const wrote = event.result.success && call.name === 'write_file';
  const path = (decided?.arguments ?? call.arguments).path;
  return {
    ...state,
    reply: {
      ...reply,
      calls: reply.calls.map((pending) => (pending === call ? { ...pending, status: 'done' } : pending)),
    },
    messages: [...state.messages, resultMessage(call, event.result, state.config?.conversation)],
    // A call that was denied was never made.
    failedToolCalls: state.failedToolCalls + (event.result.success || decided?.decision === 'denied' ? 0 : 1),
    // How long a call ran that was lost with its server is not known.
    spent:
      event.type === 'tool-call.ended'
        ? { ...state.spent, toolMs: state.spent.toolMs + event.duration_ms }
        : state.spent,
    lastWriteIteration: wrote ? state.iteration : state.lastWriteIteration,
    lastWriteSeq: wrote ? event.seq : state.lastWriteSeq,
    filesWritten:
      wrote && typeof path === 'string' && !state.filesWritten.includes(path)
        ? [...state.filesWritten, path]
        : state.filesWritten,
  };
}

function nudged(state: RunState, event: EventOf<'policy.nudged'>): RunState {
  const plan = event.cause === 'plan' ? state.reply?.text : undefined;
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    nudges: event.count,
    nudgeSeqs: [...state.nudgeSeqs, event.seq],
    reply: undefined,
    failedCall: undefined,
    messages: [
      ...state.messages,
      ...(plan === undefined ? [] : [{ role: 'assistant' as const, content: plan }]),
      { role: 'user' as const, content: event.text },
    ],
  };
}

/** Where replies are kept unchanged, one joins the conversation as it comes, before it is read (X9). */
function withKeptReply(state: RunState, event: EventOf<'model-call.ended'>): RunState['messages'] {
  if (state.config?.conversation?.replies !== 'unchanged') return state.messages;
  return [...state.messages, keptReply(event.message)];
}

/** A message of the harness or of a person, which the model is to answer. */
function said(state: RunState, text: string): RunState {
  return {
    ...state,
    messages: [...state.messages, { role: 'user', content: text }],
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
    messages: text === undefined ? state.messages : [...state.messages, { role: 'assistant', content: text }],
    turns: {
      ...state.turns,
      completed: state.turns.completed + 1,
      empty: event.outcome === 'empty' ? state.turns.empty + 1 : 0,
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
  const silent = event.text.trim() === '' && state.iteration - state.cycle.iterationsBefore <= 1;
  const reflection = { cycle: event.cycle, text: event.text, seq: event.seq };
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    reply: undefined,
    failedCall: undefined,
    cycle: { ...state.cycle, open: false, empty: silent ? state.cycle.empty + 1 : 0 },
    reflections: event.ended_by === 'reflection' ? [...state.reflections, reflection] : state.reflections,
  };
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
  return said(marked, brought.map(({ text }) => text).join('\n\n'));
}
