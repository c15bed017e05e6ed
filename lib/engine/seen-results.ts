import { resultMessage } from '../events/conversation.ts';
import { WRITING_TOOLS } from '../events/modes.ts';
import type { EventOf } from '../events/registry.ts';
import type { PendingCall, RunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import { sortedJson } from '../util/sorted-json.ts';

type Call = Pick<PendingCall, 'messageId' | 'name' | 'arguments'>;
type Asked = Pick<Call, 'name' | 'arguments'>;
type Answer = Pick<ChatMessage, 'content' | 'images'>;

/** The duration of a command differs each time and tells the model nothing. Inside a JSON text, quotes are escaped. */
const DURATION = /"duration_ms":\d+/;

/**
 * The results of an attempt that the model has seen, by tool, arguments and result (G11). The arguments matter, because
 * two searches that find nothing are two findings. So does the result, because a file that has changed is worth reading
 * again. Key order and how long a command took do not count. The results are texts of the conversation, not copies.
 *
 * Nothing is stored: a resumed or forked run rebuilds it from the conversation once.
 */
export class SeenResults {
  /** Calls by their result. */
  #seen = new Map<string, Set<string>>();
  #attempt: number | undefined;

  /**
   * Whether a call of the current reply succeeded with a result that is new to the attempt. Records it as seen.
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
      this.#seen = new Map();
      for (const [seen, message] of seenIn(state.messages)) this.#add(seen, message);
    }
    const isNew = this.#add(call, resultMessage(call, result, state.config?.conversation, images));
    return result.success && (WRITING_TOOLS.includes(call.name) || isNew);
  }

  /** @returns whether it is new */
  #add({ name, arguments: args }: Asked, { content, images = [] }: Answer): boolean {
    const said = content.replace(DURATION, '');
    const calls = this.#seen.get(said) ?? new Set();
    this.#seen.set(said, calls);
    const { size } = calls;
    calls.add(JSON.stringify([name, sortedJson(args), ...images.map(({ hash }) => hash)]));
    return calls.size > size;
  }
}

/** The results in a conversation, each with the call that it answers: results follow their calls in order (T13, T14). */
function* seenIn(messages: readonly ChatMessage[]): Generator<[Asked, Answer]> {
  let waiting: Asked[] = [];
  for (const message of messages) {
    const { role, tool_calls } = message;
    if (role === 'assistant') waiting = (tool_calls ?? []).map((call) => call.function);
    const call = role === 'tool' ? waiting.shift() : undefined;
    if (call) yield [call, message];
  }
}
