import type { ParsedReply } from './types.ts';

/** A reply that ends immediately still counts its end token. */
const END_MARK_TOKENS = 1;

/** The parts of a reply that show whether some of it was lost. */
interface ArrivedReply {
  /** How the reply was parsed. */
  outcome: ParsedReply['type'];
  /** Whether the model thought, since thinking also takes tokens. */
  thinking: boolean;
  /** As the server sent it. */
  message: { content: string; tool_calls?: readonly unknown[] };
  replyTokens?: number;
}

/**
 * Tokens that the model generated but that never arrived: Ollama drops calls that its own parser cannot read (T22,
 * docs/ollama.md). 0 when the received text accounts for the tokens, at one character per token or more.
 */
export function swallowedTokens({ outcome, thinking, message, replyTokens = 0 }: ArrivedReply): number {
  if (outcome !== 'empty' || thinking || (message.tool_calls ?? []).length > 0) return 0;
  return replyTokens > END_MARK_TOKENS + message.content.length ? replyTokens : 0;
}

/**
 * Whether an empty reply was meant as a call: its tokens were swallowed, or its calls arrived without a name. Never true
 * when no tools were offered.
 */
export function isLostCall(reply: ArrivedReply & { toolsOffered: boolean }): boolean {
  if (!reply.toolsOffered || reply.outcome !== 'empty') return false;
  return swallowedTokens(reply) > 0 || (reply.message.tool_calls ?? []).length > 0;
}
