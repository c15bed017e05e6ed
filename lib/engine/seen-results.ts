import { hash } from 'node:crypto';
import { resultMessage } from '../events/conversation.ts';
import { WRITING_TOOLS } from '../events/modes.ts';
import type { EventOf } from '../events/registry.ts';
import type { PendingCall, RunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { JsonObject } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

type Call = Pick<PendingCall, 'messageId' | 'name' | 'arguments'>;

/** How long a command took differs each time, and tells the model nothing. Inside a JSON text, quotes are escaped. */
const DURATION = /"duration_ms":\d+/;

/**
 * The results of an attempt that the model has seen, as hashes of tool, arguments and result (G11). The arguments belong
 * to it: two searches that find nothing tell two things. So does the result: a file that has changed since is worth
 * reading again. Key order and how long a command took do not count.
 *
 * None of this is stored: a resumed or forked run rebuilds it from the conversation, once.
 */
export class SeenResults {
  #seen = new Set<string>();
  #attempt: number | undefined;

  /**
   * Whether a call of the current reply succeeded with a result that the attempt has not seen. From then on, it has.
   *
   * @param state before the result is part of the conversation
   */
  isNew(
    state: RunState,
    call: Call,
    result: EventOf<'tool-call.ended'>['result'],
    images?: ChatMessage['images'],
  ): boolean {
    if (this.#attempt !== state.attempt) {
      this.#attempt = state.attempt;
      this.#seen = new Set(seenIn(state.messages));
    }
    const key = keyOf(call, resultMessage(call, result, state.config?.conversation, images));
    const known = this.#seen.has(key);
    this.#seen.add(key);
    return result.success && (WRITING_TOOLS.includes(call.name) || !known);
  }
}

/** The results in a conversation, each with the call that it answers: results follow their calls in order (T13, T14). */
function* seenIn(messages: readonly ChatMessage[]): Generator<string> {
  let waiting: { name: string; arguments: JsonObject }[] = [];
  for (const message of messages) {
    const { role, tool_calls } = message;
    if (role === 'assistant') waiting = (tool_calls ?? []).map((call) => call.function);
    const call = role === 'tool' ? waiting.shift() : undefined;
    if (call) yield keyOf(call, message);
  }
}

function keyOf(
  call: { name: string; arguments: JsonObject },
  { content, images = [] }: Pick<ChatMessage, 'content' | 'images'>,
): string {
  const said = [call.name, sortedJson(call.arguments), content.replace(DURATION, '')];
  const text = JSON.stringify([...said, ...images.map(({ hash: seen }) => seen)]);
  return hash('sha256', text, 'base64url');
}
