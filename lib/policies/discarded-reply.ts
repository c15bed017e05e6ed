import type { NewEvent } from '../events/registry.ts';
import { RETRY_LIMITS } from '../events/retry-limits.ts';
import { isSwallowedCall } from '../parser/swallowed-call.ts';
import { compactNow, retried } from './failure.ts';
import type { ReadyState } from './rule.ts';

/** Whether a reply is a broken call: call-like text that could not be read, or a call that never arrived. */
export function isMalformed(state: ReadyState): boolean {
  const { reply } = state;
  if (!reply || reply.calls.length > 0) return false;
  return reply.malformed || (state.tools.length > 0 && isSwallowedCall(reply));
}

/**
 * The one silent retry of a broken call in an iteration (T22), of a reply that was read or of one that Ollama refused to
 * pass on.
 */
export function retryMalformed(state: ReadyState): NewEvent | undefined {
  if (state.retries.malformed >= RETRY_LIMITS.malformed) return undefined;
  return retried(state, 'malformed', 'The reply held a tool call that could not be read.');
}

/**
 * The one retry of a reply that was cut off, with the higher limit (T21). A reply that the window ended and not the limit
 * needs a shorter request as well.
 */
export function retryCut(state: ReadyState, options: { shortens: boolean }): NewEvent[] | undefined {
  if (!state.reply?.cut || state.retries.length >= RETRY_LIMITS.length) return undefined;
  const [first, second] = state.config.num_predict;
  const written = state.reply.replyTokens;
  const windowFull = written !== undefined && written < first;
  const stopped = windowFull
    ? `The reply stopped after ${written} tokens because the window was full.`
    : `The reply was cut off at ${first} tokens.`;
  const compacted = windowFull && options.shortens ? compactNow(state) : undefined;
  return [
    ...(compacted ? [compacted] : []),
    retried(state, 'length', `${stopped} It is asked for again with up to ${second}.`),
  ];
}

/** What a reader should know about a reply that is used although it is broken. */
export function brokenReplyWarnings(state: ReadyState): NewEvent[] {
  const { reply, iteration } = state;
  if (reply?.cut) {
    const which = state.retries.length > 0 ? 'The second reply was cut off as well' : 'The reply was cut off';
    const use = reply.calls.length > 0 ? 'Only its whole calls are run.' : 'What there is of it is used.';
    return [
      {
        type: 'policy.warned',
        code: 'reply_cut',
        iteration,
        message: `${which}, at ${reply.replyTokens ?? 'an unknown number of'} tokens. ${use}`,
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
            ? 'The reply held a tool call that could not be read, twice. Its text is taken as the answer.'
            : 'The reply held a tool call that could not be read. It is taken as text.',
      },
    ];
  }
  return [];
}
