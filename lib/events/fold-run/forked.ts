import type { ChatMessage } from '../../model/chat-model.ts';
import type { ForkEdit } from '../fork.ts';
import type { EventOf } from '../registry.ts';
import { NO_RETRIES } from '../retry-limits.ts';
import type { PendingCall, PendingReply, RunState } from '../run-state.ts';

/**
 * Ends the copied part. The conversation is kept, with the edits; worker, clock, server and model are reset, because
 * no worker has started this run yet. A stop, failed call or spent budget of the source run does not apply.
 */
export function forked(state: RunState, event: EventOf<'run.forked'>): RunState {
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
    retries: NO_RETRIES,
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
    // A key names a message to the source run. The same key can send another one to the fork.
    operatorMessages: edited.operatorMessages.map(({ idempotencyKey: _key, ...message }) => message),
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
      // An edit of a later version, whose runs the terminal client may follow.
      edit satisfies never;
      return state;
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
