import type { ChatReply } from '../model/chat-model.ts';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ParsedReply, ParseOptions } from '../parser/types.ts';
import { dropCutCall } from './drop-cut-call.ts';

/**
 * Parses a reply the way all parts of Loupe do, and drops a call that the token limit may have cut off (T21). Pure.
 *
 * @param numPredict the reply limit in tokens sent with the request
 * @returns `cut`: whether the limit ended the reply
 */
export function readCalls(
  reply: ChatReply,
  { numPredict, ...options }: ParseOptions & { numPredict: number },
): { parsed: ParsedReply; cut: boolean } {
  const cut = reply.doneReason === 'length' || reply.replyTokens === numPredict;
  const read = parseToolCalls(reply.message, options);
  return {
    parsed: cut && reply.doneReason !== 'stop' ? dropCutCall(read, reply.message.content) : read,
    cut,
  };
}

/** Whether a text is calls and nothing else. Pure. */
export function isOnlyCalls(content: string, options: ParseOptions): boolean {
  const { type, visibleText } = parseToolCalls({ content }, options);
  return type === 'tool_calls' && visibleText.trim() === '';
}
