import type { ChatMessage, ChatReply, MessageCall } from '../model/chat-model.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { memoized } from '../util/memoized.ts';
import type { RunConfig } from './config.ts';
import type { EventOf } from './registry.ts';

type Style = RunConfig['conversation'];
type ToolResult = EventOf<'tool-call.ended'>['result'];

/** A call, with its ID in messages. */
interface AskedCall {
  readonly messageId: string;
  readonly name: string;
  readonly arguments: MessageCall['function']['arguments'];
}

/**
 * The assistant message of a reply with calls, built from the parsed reply: text without thinking and call text, and
 * all calls in API format, whichever parser layer found them (T12, K-9). `undefined` if replies are kept unchanged,
 * because the message already exists.
 */
export function readReplyMessage(
  reply: { text: string; calls: readonly AskedCall[] },
  style: Style,
): ChatMessage | undefined {
  if (style?.replies === 'unchanged') return undefined;
  const tool_calls = reply.calls.map(({ messageId, name, arguments: args }) => ({
    ...(style?.call_ids ? { id: messageId } : {}),
    function: { name, arguments: args },
  }));
  return { role: 'assistant', content: reply.text, tool_calls };
}

/**
 * A reply as the server sent it, with thinking (X9). Omits invalid call entries, since the server would reject every
 * later request that contains them; the log keeps them.
 */
export function keptReply(message: ChatReply['message']): ChatMessage {
  const calls = message.tool_calls?.filter(isMessageCall);
  return {
    role: 'assistant',
    content: message.content,
    ...(message.thinking === undefined ? {} : { thinking: message.thinking }),
    ...(calls === undefined || calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** The tool message with a result (T14, X10). @param images images that the tool returned with it */
export function resultMessage(
  call: Pick<AskedCall, 'messageId' | 'name'>,
  result: ToolResult,
  style: Style,
  images?: ChatMessage['images'],
): ChatMessage {
  return {
    role: 'tool',
    tool_name: call.name,
    ...(style?.call_ids ? { tool_call_id: call.messageId } : {}),
    content: style?.results === 'text' ? resultText(result) : resultJson(result),
    ...(images && { images }),
  };
}

/** Serialized once, so that everything that keeps the text shares one string. */
const resultJson = memoized((result: ToolResult) => JSON.stringify(result));

/** A result as plain text; failures start with `Error:` (O15). */
export function resultText(result: ToolResult): string {
  const note = result.note === undefined ? '' : `\n\n${result.note}`;
  if (!result.success) return `Error: ${result.output.error}${note}`;
  return `${typeof result.output === 'string' ? result.output : JSON.stringify(result.output)}${note}`;
}

function isMessageCall(entry: JsonValue): entry is JsonValue & MessageCall {
  if (!isRecord(entry) || !isRecord(entry.function)) return false;
  return typeof entry.function.name === 'string' && isRecord(entry.function.arguments);
}
