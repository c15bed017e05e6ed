import type { EventOf, NewEvent } from '../events/registry.ts';
import type { ChatDelta, ChatReply, ChatRequest } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { GrowingText } from '../util/growing-text.ts';
import { buildRequest } from './build-request.ts';
import { callFailed, cleanupFacts } from './call-failed.ts';
import type { LoopContext } from './loop-context.ts';
import { type RunImages, withImageBytes } from './run-images.ts';
import { ABANDONED } from './stop-signals.ts';

/** When thinking and text began, in milliseconds since the call was made. */
type Heard = NonNullable<EventOf<'model-call.ended'>['heard']>;

/** A reply with its request, or the events of a call that failed. */
type CallOutcome =
  | { reply: ChatReply; request: ChatRequest; durationMs: number; heard: Heard }
  | { failed: readonly NewEvent[] };

/** Calls the run's model for the agent. */
export class ModelCalls {
  readonly #context: LoopContext;
  readonly #images: RunImages | undefined;
  /** Images of the last request, in base64. */
  readonly #sentImages = new Map<string, string>();
  /** Whether the last call failed and the model was unloaded to free its slot. */
  #slotFreed = false;

  constructor(context: LoopContext, images: RunImages | undefined) {
    this.#context = context;
    this.#images = images;
  }

  get slotFreed(): boolean {
    return this.#slotFreed;
  }

  /** Makes the call whose start is in the log. */
  async call(): Promise<CallOutcome> {
    const { mode } = this.#context;
    const state = this.#context.ready();
    const request = await this.#withImages(buildRequest(state, mode));
    const startedAt = performance.now();
    const heard: Heard = {};
    const streamed: Streamed = { text: new GrowingText(), thinking: new GrowingText() };
    let tidying = false;
    try {
      const reply = await this.#context.withinGrace(
        this.#context.model.chat(request, {
          signal: this.#context.abort,
          timeoutMs: state.config.call_timeout_ms,
          onDelta: this.#showText(state.calls, streamed, (type) => {
            heard[type === 'text' ? 'text_ms' : 'thinking_ms'] = performance.now() - startedAt;
          }),
          onTidying: () => {
            tidying = true;
          },
        }),
        // If the slot were freed after the run's end, it would go unlogged and could disturb the next run. A shutdown
        // does not wait, because the resuming worker checks the slot before it calls.
        () => tidying && !this.#context.isSuspended,
      );
      const durationMs = performance.now() - startedAt;
      if (reply === ABANDONED) return { failed: [callFailed(state, abandonedCall(streamed), durationMs)] };
      return { reply, request, durationMs, heard };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const failure = mode.failure?.(error) ?? error;
      this.#slotFreed = error.slotRelease?.unloaded ?? false;
      const durationMs = performance.now() - startedAt - (error.cleanupMs ?? 0);
      return { failed: [{ ...callFailed(state, failure, durationMs), ...cleanupFacts(error) }] };
    }
  }

  /** The request with the bytes of its images, or the request itself in a run without images. */
  async #withImages(request: ChatRequest): Promise<ChatRequest> {
    if (this.#context.log.state.images.kept.size === 0) return request;
    const load = this.#images?.load ?? (async () => undefined);
    return withImageBytes(request, load, this.#sentImages);
  }

  /**
   * Streams text and thinking to viewers with their offsets, collects them in `streamed`, and reports when each
   * begins.
   */
  #showText(
    call: number,
    streamed: Streamed,
    onBegin: (type: 'text' | 'thinking') => void,
  ): (delta: ChatDelta) => void {
    const since: { text?: number; thinking?: number } = {};
    const show = (type: 'text' | 'thinking', text: string | undefined) => {
      if (!text || this.#context.log.state.openCall?.call !== call) return;
      if (since[type] === undefined) onBegin(type);
      since[type] ??= this.#context.now();
      this.#context.log.delta({ type, call, offset: streamed[type].length, text, since: since[type] });
      streamed[type].add(text);
    };
    return ({ thinking, text }) => {
      show('thinking', thinking);
      show('text', text);
    };
  }
}

/** The streamed part of a reply. */
interface Streamed {
  readonly text: GrowingText;
  readonly thinking: GrowingText;
}

function abandonedCall({ text, thinking }: Streamed): ModelError {
  return new ModelError({
    kind: 'aborted',
    code: 'model_call_abandoned',
    partialText: `${text}` || undefined,
    partialThinking: `${thinking}` || undefined,
    message: 'The model call was stopped and did not end in time.',
    hint: 'Ollama may still be working on it. Check its log, or restart it.',
  });
}
