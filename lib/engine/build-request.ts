import type { ChatMessage, ChatRequest } from '../model/chat-model.ts';
import type { Mode } from '../modes/mode.ts';
import type { ReadyState } from '../policies/rule.ts';

/**
 * The request that the open model call announces: the conversation as the mode sends it, else the whole of it with older
 * results in their folded form (C5, T15). Pure, so that a viewer can see again what was sent.
 *
 * @throws {RangeError} when no call is open
 */
export function buildRequest(state: ReadyState, mode: Pick<Mode, 'prompt'>): ChatRequest {
  const { config, openCall } = state;
  if (!openCall) throw new RangeError(`Run ${state.runId} has no open model call`);
  return {
    model: config.model,
    messages: mode.prompt?.(state) ?? sentMessages(state),
    tools: state.tools,
    options: {
      ...openCall.options,
      num_ctx: Number(openCall.options.num_ctx),
      num_predict: Number(openCall.options.num_predict),
    },
    think: openCall.think,
    stream: openCall.stream,
    keepAlive: config.keep_alive,
  };
}

/** The conversation as it is sent: contents replaced where a shorter form exists. */
function sentMessages({ messages, folded }: ReadyState): readonly ChatMessage[] {
  return messages.map((message, index) => {
    const content = folded[index];
    return content === undefined ? message : { ...message, content };
  });
}
