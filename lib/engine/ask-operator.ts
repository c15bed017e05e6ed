import type { NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';
import { requestedWindow } from '../events/window.ts';
import type { ChatReply, ChatRequest } from '../model/chat-model.ts';
import type { ModelError } from '../model/model-error.ts';
import { OPERATOR_NUM_PREDICT, operatorReply, operatorTalk } from '../policies/operator-policy.ts';
import type { ReadyState } from '../policies/rule.ts';
import { readCalls } from './read-calls.ts';

/** Max length of a replying model's error in the log. */
const MAX_ERROR_CHARS = 1000;

/** The request to the model that answers in place of the operator, and the event that logs it. */
export function operatorRequest(
  state: ReadyState,
  call: PendingCall,
): { started: NewEvent; request: ChatRequest } {
  const model = state.config.operator_model ?? state.config.model;
  const messages = operatorTalk(state, call);
  // The run's own window: if both models are the same, another one would reload it for each message.
  const options = { num_ctx: requestedWindow(state), num_predict: OPERATOR_NUM_PREDICT };
  return {
    started: { type: 'operator-call.started', call_id: call.callId, model, messages, ...options },
    request: {
      ...{ model, messages, tools: [], options, think: false, stream: false },
      keepAlive: state.config.keep_alive,
    },
  };
}

/** The replying model's answer, and the message that the agent gets; no message if the answer is empty. */
export function operatorAnswered(
  state: ReadyState,
  call: PendingCall,
  { model, reply, durationMs }: { model: string; reply: ChatReply; durationMs: number },
): NewEvent[] {
  const { parsed } = readCalls(reply, {
    tools: [],
    layers: state.config.parser_layers,
    numPredict: OPERATOR_NUM_PREDICT,
  });
  const text = parsed.visibleText.trim();
  return [
    {
      type: 'operator-call.ended',
      ...{ call_id: call.callId, model, text, duration_ms: durationMs },
      ...(parsed.thinking.trim() === '' ? {} : { thinking: parsed.thinking }),
      ...(reply.promptTokens === undefined ? {} : { prompt_tokens: reply.promptTokens }),
      ...(reply.replyTokens === undefined ? {} : { reply_tokens: reply.replyTokens }),
    },
    ...(text === '' ? [] : [operatorReply(state, call, { by: 'model' as const, text })]),
  ];
}

/** The replying model failed: the agent gets no answer, and the run continues. */
export function operatorFailed(
  call: PendingCall,
  { model, error, durationMs }: { model: string; error: ModelError; durationMs: number },
): NewEvent[] {
  return [
    {
      type: 'operator-call.ended',
      ...{ call_id: call.callId, model, text: '', duration_ms: durationMs },
      error: error.message.slice(0, MAX_ERROR_CHARS),
    },
  ];
}
