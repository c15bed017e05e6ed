import type { NewEvent } from '../events/registry.ts';
import { RETRY_LIMITS } from '../events/retry-limits.ts';
import { swallowedWords } from '../events/swallowed-reply.ts';
import { formatCount, plural } from '../util/numbers.ts';
import { compactNow, retried } from './failure.ts';
import type { ReadyState } from './rule.ts';
import { swallowedOf } from './swallowed-tokens.ts';

/** Whether a reply is a malformed call: call-like text that could not be parsed, or a call that never arrived. */
export function isMalformed({ reply }: ReadyState): boolean {
  return reply !== undefined && reply.calls.length === 0 && reply.malformed;
}

/**
 * The single silent retry of a malformed call in an iteration (T22), whether Loupe failed to parse it or Ollama
 * refused to return it.
 */
export function retryMalformed(state: ReadyState): NewEvent | undefined {
  if (state.retries.malformed >= RETRY_LIMITS.malformed) return undefined;
  const swallowed = swallowedOf(state);
  const message =
    swallowed > 0 ? swallowedWords(swallowed) : 'The reply contained a tool call that could not be read.';
  return retried(state, 'malformed', message);
}

/**
 * The single retry of a truncated reply, with the higher reply limit (T21). If the context window was full, the
 * request is also shortened.
 */
export function retryCut(state: ReadyState, options: { shortens: boolean }): NewEvent[] | undefined {
  if (!state.reply?.cut || state.retries.length >= RETRY_LIMITS.length) return undefined;
  const [first, second] = state.config.num_predict;
  const limit = state.lastCallLimit ?? first;
  const written = state.reply.replyTokens;
  const windowFull = written !== undefined && written < limit;
  const stopped = windowFull
    ? `The reply stopped after ${plural(written, 'token')} because the window was full.`
    : `The reply was cut off at ${plural(limit, 'token')}.`;
  const compacted = windowFull && options.shortens ? compactNow(state) : undefined;
  return [
    ...(compacted ? [compacted] : []),
    retried(state, 'length', `${stopped} It is requested again with up to ${formatCount(second)}.`),
  ];
}

/** Warnings for a reply that is used although it is truncated or malformed. */
export function brokenReplyWarnings(state: ReadyState): NewEvent[] {
  const { reply, iteration } = state;
  if (reply?.cut) {
    const which = state.retries.length > 0 ? 'The second reply was cut off as well' : 'The reply was cut off';
    const written =
      reply.replyTokens === undefined ? 'an unknown number of tokens' : plural(reply.replyTokens, 'token');
    const use =
      reply.calls.length > 0 ? 'Only its complete calls are run.' : 'The part that arrived is used.';
    return [
      {
        type: 'policy.warned',
        code: 'reply_cut',
        iteration,
        message: `${which}, at ${written}. ${use}`,
      },
    ];
  }
  if (reply?.malformed && reply.calls.length === 0) {
    return [
      {
        type: 'policy.warned',
        code: 'malformed_call_as_answer',
        iteration,
        message:
          state.retries.malformed > 0
            ? 'The reply contained a tool call that could not be read, twice. Its text is taken as the answer.'
            : 'The reply contained a tool call that could not be read. It is taken as text.',
      },
    ];
  }
  return [];
}
