import type { RerunPlan } from '../api/rerun-call.ts';
import { AppError } from '../errors/app-error.ts';
import type { ChatMessage, ChatRequest, ModelOptions } from '../model/chat-model.ts';
import type { ReadyState } from '../policies/rule.ts';
import type { JsonValue } from '../util/json.ts';
import type { SentRequest } from './sent-request.ts';

/**
 * The request of a call with a person's changes, and the state for reading its reply like the run's own: with the same
 * layers and the offered tools. Pure.
 *
 * @throws {AppError} `invalid_request` for a message that the call did not send
 */
export function rerunRequestOf(
  { request, state }: Pick<SentRequest, 'request' | 'state'>,
  changes: RerunPlan,
): { request: ChatRequest; state: ReadyState } {
  const options = mergedOptions(request.options, changes.options);
  const tools = changes.tools ?? request.tools;
  const think = changes.think ?? request.think;
  const stream = changes.stream ?? request.stream;
  const { openCall } = state;
  return {
    request: {
      ...request,
      ...(changes.model === undefined ? {} : { model: changes.model }),
      messages: messagesOf(request.messages, changes.messages),
      tools,
      options,
      think,
      stream,
    },
    state: {
      ...state,
      tools,
      ...(openCall && { openCall: { ...openCall, options: definedOptions(options), think, stream } }),
    },
  };
}

function messagesOf(sent: readonly ChatMessage[], asked: RerunPlan['messages']): readonly ChatMessage[] {
  if (!asked) return sent;
  const used = new Set<number>();
  return asked.map((message) => {
    if (!('as_sent' in message)) return message;
    const { as_sent: index } = message;
    const found = sent[index];
    if (!found) {
      throw new AppError({
        code: 'invalid_request',
        message: `messages: message ${index} does not exist; the call sent ${sent.length} messages, numbered from 0.`,
        hint: 'GET …/request lists them.',
      });
    }
    if (used.has(index)) {
      throw new AppError({
        code: 'invalid_request',
        message: `messages: message ${index} is used twice.`,
        hint: 'Write the second one out: {"role": …, "content": …}.',
      });
    }
    used.add(index);
    return found;
  });
}

function mergedOptions(options: ModelOptions, changes: RerunPlan['options'] = {}): ModelOptions {
  const merged: Record<string, JsonValue | undefined> = { ...options, ...changes };
  for (const [name, value] of Object.entries(changes)) if (value === null) delete merged[name];
  return { ...merged, num_ctx: Number(merged.num_ctx), num_predict: Number(merged.num_predict) };
}

function definedOptions(options: ModelOptions): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
