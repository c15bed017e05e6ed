import type { EventOf } from './registry.ts';

/** Token usage of a model call. */
export interface TokenUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many of both are estimates, from a call without counts. */
  readonly tokensEstimated: number;
}

/**
 * Tokens of a finished call, or of a text that the model wrote for an MCP server: as reported by Ollama (T8), or estimated
 * if it reported none, as for a call that failed.
 */
export function usageOf(
  event: EventOf<'model-call.ended' | 'model-call.failed' | 'mcp-sampling.ended'>,
): TokenUsage {
  const isCounted =
    event.type === 'mcp-sampling.ended' ||
    (event.type === 'model-call.ended' && event.estimated_prompt_tokens === undefined);
  if (isCounted) {
    return { tokensIn: event.prompt_tokens ?? 0, tokensOut: event.reply_tokens ?? 0, tokensEstimated: 0 };
  }
  const { estimated_prompt_tokens: tokensIn = 0, estimated_reply_tokens: tokensOut = 0 } = event;
  return { tokensIn, tokensOut, tokensEstimated: tokensIn + tokensOut };
}

/** Adds a call's usage to the total. */
export function addUsage(before: TokenUsage, event: Parameters<typeof usageOf>[0]): TokenUsage {
  const used = usageOf(event);
  return {
    tokensIn: before.tokensIn + used.tokensIn,
    tokensOut: before.tokensOut + used.tokensOut,
    tokensEstimated: before.tokensEstimated + used.tokensEstimated,
  };
}
