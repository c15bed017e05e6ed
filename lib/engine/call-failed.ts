import { AppError, errorParts } from '../errors/app-error.ts';
import { CHARS_PER_TOKEN } from '../events/message-size.ts';
import type { NewEvent } from '../events/registry.ts';
import type { ModelError } from '../model/model-error.ts';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ErrorShape, ReadyState } from '../policies/rule.ts';
import { errorMessage } from '../util/error-message.ts';

/**
 * Converts the error of a model call to the event that logs it. Pure.
 *
 * @param state the state in which the call is open
 * @param durationMs time since the request was sent, without the cleanup after it
 */
export function callFailed(
  state: ReadyState,
  error: ModelError,
  durationMs: number,
): Extract<NewEvent, { type: 'model-call.failed' }> {
  const { kind, transient, status, promptTokens, contextTokens, raw } = error;
  return {
    type: 'model-call.failed',
    call: state.calls,
    kind,
    error: errorShape(error),
    transient,
    ...(status === undefined ? {} : { status }),
    ...(promptTokens === undefined ? {} : { prompt_tokens: promptTokens }),
    ...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
    ...partialReply(state, error),
    ...(raw === undefined ? {} : { raw }),
    duration_ms: durationMs,
  };
}

/**
 * The part of a reply streamed before the call failed, with estimated tokens, since Ollama reports counts only at the
 * end.
 */
function partialReply(state: ReadyState, { partialText = '', partialThinking = '' }: ModelError) {
  if (partialText === '' && partialThinking === '') return {};
  const visible = parseToolCalls(
    { content: partialText },
    { tools: state.tools, layers: state.config.parser_layers },
  ).visibleText;
  return {
    ...(partialText !== '' && { partial_text: partialText }),
    ...(partialThinking !== '' && { partial_thinking: partialThinking }),
    ...(visible !== partialText.trim() && { visible_text: visible }),
    estimated_prompt_tokens: state.openCall?.estimated_tokens ?? 0,
    estimated_reply_tokens: Math.ceil((partialText.length + partialThinking.length) / CHARS_PER_TOKEN),
  };
}

/** Facts about the cleanup after a failed call. Omits a cleanup of less than a millisecond. */
export function cleanupFacts({ kind, slotRelease, cleanupMs = 0 }: ModelError) {
  return {
    ...(cleanupMs >= 1 && { cleanup_ms: cleanupMs }),
    ...(kind === 'aborted' && slotRelease && { server_idle_ms: slotRelease.afterMs }),
    ...(slotRelease?.unloaded && { freed_slot: true }),
  };
}

/** An error as events have it. One that is no `AppError` is a bug. */
export function errorShape(error: unknown): ErrorShape {
  if (error instanceof AppError) return errorParts(error);
  return {
    code: 'internal_error',
    message: `Unexpected error: ${errorMessage(error)}`,
    hint: 'This is a bug in Loupe, not in the task. Start the run again. If it fails again, report the error.',
  };
}
