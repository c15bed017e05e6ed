import type { ChatReply } from '../model/chat-model.ts';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ParsedReply, ParseOptions } from '../parser/types.ts';
import { dropCutCall } from './drop-cut-call.ts';

/**
 * What a reply says, read as every part of the program reads it: by the parser, and without a call that the token limit
 * may have ended (T21). Pure.
 *
 * @param numPredict the limit of the reply in tokens that was sent with the request
 * @returns `cut`: the limit ended the reply
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
