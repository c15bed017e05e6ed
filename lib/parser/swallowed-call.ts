import type { ParsedReply } from './types.ts';

/** A model that ends at once still counts its end mark as one token: more than that was written, and swallowed. */
const END_MARK_TOKENS = 1;

/**
 * Whether a reply was a call that never arrived: it says nothing although the model wrote tokens, as Ollama drops calls
 * that its own parser cannot read (T22, docs/ollama.md). Where no tool was on offer it is no call.
 */
export function isSwallowedCall(reply: {
  outcome: ParsedReply['type'];
  /** Whether the model thought: its thoughts took tokens too. */
  thinking: boolean;
  /** Whether the token limit ended it. */
  cut: boolean;
  replyTokens?: number;
}): boolean {
  const { outcome, thinking, cut, replyTokens = 0 } = reply;
  return outcome === 'empty' && !thinking && !cut && replyTokens > END_MARK_TOKENS;
}
