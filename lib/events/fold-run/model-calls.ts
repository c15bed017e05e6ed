import { appended } from '../appended.ts';
import { keptReply } from '../conversation.ts';
import { measuredFactor } from '../message-images.ts';
import { readableChars } from '../message-size.ts';
import type { EventOf } from '../registry.ts';
import type { Reducers, RunState } from '../run-state.ts';
import { isTimed } from '../speed.ts';
import { lossOf } from '../swallowed-reply.ts';
import { addUsage } from '../token-usage.ts';

/** Calls of the model, and its replies. */
export const modelCalls = {
  'model-call.started': (state, event): RunState => ({
    ...state,
    phase: 'calling',
    calls: event.call,
    openCall: event,
    failedCall: undefined,
    context: { estimatedTokens: event.estimated_tokens, promptTokens: undefined },
  }),
  'model-call.ended': (state, event): RunState => ({
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
  }),
  'model-call.failed': failed,
  'reply.parsed': parsed,
} satisfies Partial<Reducers>;

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
  const counts = isTimed(tokens, writingMs);
  return {
    spent: {
      ...spent,
      modelMs: spent.modelMs + ms,
      writingMs: spent.writingMs + (counts ? writingMs : 0),
      writtenTokens: spent.writtenTokens + (counts ? tokens : 0),
    },
    longestCall: longestCall && longestCall.ms >= ms ? longestCall : { call, seq, ms },
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
  const contained = event.attempts.reduce(
    // The entry of a layer counts the calls of all its formats.
    (sum, { format, found }) => sum + (format === undefined ? found : 0),
    0,
  );
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
      ...(contained > event.calls.length && { containedCalls: contained }),
      accepted: false,
    },
  };
}

/** If replies are kept unchanged, they join the conversation on arrival, before they are parsed (X9). */
function withKeptReply(state: RunState, event: EventOf<'model-call.ended'>): RunState['messages'] {
  if (state.config?.conversation?.replies !== 'unchanged') return state.messages;
  return appended(state.messages, keptReply(event.message));
}

/** The server's token count of the prompt and its images. */
function withMeasurements(
  state: RunState,
  event: EventOf<'model-call.ended'>,
): Pick<RunState, 'images' | 'measured'> {
  const images = withMeasuredTokens(state, event);
  return { images, measured: measuredBy({ ...state, images }, event) };
}

/** The server's count shows how many tokens an image really takes for this model. */
function withMeasuredTokens(state: RunState, event: EventOf<'model-call.ended'>): RunState['images'] {
  const estimated = state.context.estimatedTokens;
  const factor = measuredFactor(state, { estimated, measured: event.prompt_tokens });
  return factor === undefined ? state.images : { ...state.images, factor };
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
