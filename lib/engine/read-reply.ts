import { keptReply } from '../events/conversation.ts';
import { messageChars } from '../events/message-size.ts';
import type { NewEvent } from '../events/registry.ts';
import type { ChatReply } from '../model/chat-model.ts';
import { originOf } from '../parser/call-origin.ts';
import { totalCalls } from '../parser/layers.ts';
import { isLostCall, swallowedTokens } from '../parser/swallowed-call.ts';
import type { ParsedReply } from '../parser/types.ts';
import { tokensOf } from '../policies/estimate.ts';
import type { ReadyState } from '../policies/rule.ts';
import { isRecord } from '../util/json.ts';
import { readCalls } from './read-calls.ts';

type Heard = NonNullable<Extract<NewEvent, { type: 'model-call.ended' }>['heard']>;

/**
 * Converts a reply to the two events that log it: as received, and as parsed. Pure.
 *
 * @param durationMs time since the request was sent
 * @param heard arrival times of the first thinking and text, if streamed
 */
export function readReply(
  state: ReadyState,
  reply: ChatReply,
  durationMs: number,
  heard: Heard = {},
): NewEvent[] {
  const call = state.calls;
  // If no tools were offered, as for data or a summary, the reply is not a call even if it looks like one.
  const tools = state.openCall?.tool_count === 0 ? [] : state.tools;
  const { parsed, cut } = readCalls(reply, {
    tools,
    layers: tools.length === 0 ? [] : state.config.parser_layers,
    numPredict: Number(state.openCall?.options.num_predict),
  });
  const arrived = {
    outcome: parsed.type,
    thinking: parsed.thinking.trim() !== '',
    message: reply.message,
    replyTokens: reply.replyTokens,
  };
  const swallowed = swallowedTokens(arrived);
  return [
    {
      type: 'model-call.ended',
      call,
      message: reply.message,
      ...(reply.doneReason === undefined ? {} : { done_reason: reply.doneReason }),
      ...(reply.promptTokens === undefined ? {} : { prompt_tokens: reply.promptTokens }),
      ...(reply.cachedTokens === undefined ? {} : { cached_tokens: reply.cachedTokens }),
      ...(reply.replyTokens === undefined ? {} : { reply_tokens: reply.replyTokens }),
      ...estimatedTokens(state, reply),
      duration_ms: durationMs,
      timings: reply.timings,
      ...(Object.keys(heard).length === 0 ? {} : { heard }),
    },
    {
      type: 'reply.parsed',
      call,
      iteration: state.iteration,
      outcome: parsed.type,
      layer: parsed.layer,
      ...(parsed.format === undefined ? {} : { format: parsed.format }),
      calls: numberedCalls(state, parsed, reply.message),
      text: parsed.visibleText,
      thinking: parsed.thinking,
      coercions: parsed.coercions,
      repairs: parsed.repairs,
      refusals: parsed.refusals,
      attempts: parsed.attempts,
      malformed: parsed.malformed ?? isLostCall({ ...arrived, toolsOffered: tools.length > 0 }),
      ...(swallowed > 0 && { swallowed_tokens: swallowed }),
      cut,
    },
  ];
}

/**
 * Estimates where the server reported neither count, so that a budget can be spent. A single missing count means 0: Ollama
 * leaves it out.
 */
function estimatedTokens(state: ReadyState, { message, promptTokens, replyTokens }: ChatReply) {
  if (promptTokens !== undefined || replyTokens !== undefined) return {};
  return {
    estimated_prompt_tokens: state.openCall?.estimated_tokens ?? 0,
    estimated_reply_tokens: tokensOf(messageChars(keptReply(message))),
  };
}

/** Numbers calls within the run: `c1`, `c2`, … over all replies, including discarded ones. */
function numberedCalls(
  { config, parsed: counts }: ReadyState,
  parsed: ParsedReply,
  message: ChatReply['message'],
): Extract<NewEvent, { type: 'reply.parsed' }>['calls'] {
  if (parsed.type !== 'tool_calls') return [];
  const before = totalCalls(counts);
  const givenIds = config.conversation?.call_ids ? identifiers(message, parsed.calls.length) : [];
  return parsed.calls.map((call, index) => {
    const { layer, format, span } = originOf(parsed, index);
    const given = givenIds[index];
    return {
      call_id: `c${before + index + 1}`,
      ...(given === undefined ? {} : { given_id: given }),
      name: call.name,
      arguments: call.arguments,
      layer,
      format,
      ...(span === undefined ? {} : { span }),
    };
  });
}

/** The call IDs assigned by the server (S10), if every call has a unique one. */
function identifiers(message: ChatReply['message'], calls: number): string[] {
  const ids = (message.tool_calls ?? []).flatMap((entry) =>
    isRecord(entry) && typeof entry.id === 'string' ? [entry.id] : [],
  );
  const whole = ids.length === calls && ids.length === message.tool_calls?.length;
  return whole && new Set(ids).size === calls && !ids.includes('') ? ids : [];
}
