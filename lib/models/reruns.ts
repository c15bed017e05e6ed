import type { RerunPlan, RerunResult, RerunUpdate } from '../api/rerun-call.ts';
import { callFailed, cleanupFacts } from '../engine/call-failed.ts';
import { readReply } from '../engine/read-reply.ts';
import { withImageBytes } from '../engine/run-images.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { NewEvent } from '../events/registry.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import type { ReadyState } from '../policies/rule.ts';
import type { ModelAccess } from '../queue/model-access.ts';
import { SLOT_POLL_MS } from '../queue/run-slot.ts';
import { rerunRequestOf } from '../runs/rerun-request.ts';
import type { SentRequest } from '../runs/sent-request.ts';
import { shownError } from '../runs/shown-error.ts';
import { GroupedText } from './grouped-text.ts';

/** Max concurrent reruns, including waiting ones; each holds a request and a reply in memory. */
const MAX_RERUNS = 8;

export interface RerunsOptions extends ModelAccess {
  stored: {
    sentRequest(runId: string, call: number): Promise<SentRequest>;
    get(runId: string): Promise<{ config: RunConfig }>;
    /** An image of a run in base64. */
    imageBytes(runId: string, hash: string): Promise<string | undefined>;
  };
}

/** A call that can be sent: everything that is known without the model server has been checked. */
interface Prepared {
  request: ChatRequest;
  state: ReadyState;
  config: RunConfig;
}

/** Sends updates to the person who waits for the reply. */
type Send = (update: RerunUpdate) => void;

/**
 * Sends single model calls of runs again, with changes, in a slot of their model server like any model call. The calls in
 * the reply are read and not made, and the run's log stays as it is (docs/decisions/0052).
 */
export class Reruns {
  readonly #options: RerunsOptions;
  #count = 0;
  #underWay = 0;

  constructor(options: RerunsOptions) {
    this.#options = options;
  }

  /**
   * Checks a request and prepares its call.
   *
   * @returns sends it: resolves after the last update, which is `result` or `error`; never rejects
   * @throws {AppError} `run_not_found`, `call_not_found`, `invalid_request`, `remote_model`, `model_no_completion`,
   *   `too_many_reruns`
   */
  async prepare(
    runId: string,
    call: number,
    changes: RerunPlan,
  ): Promise<(send: Send, signal: AbortSignal) => Promise<void>> {
    const { stored, admit } = this.#options;
    const { config } = await stored.get(runId);
    const asked = rerunRequestOf(await stored.sentRequest(runId, call), changes);
    const request = await withImageBytes(asked.request, (hash) => stored.imageBytes(runId, hash));
    const prepared = { config, ...asked, request };
    await admit({ model: prepared.request.model });
    if (this.#underWay >= MAX_RERUNS) throw tooManyReruns();
    return (send, signal) => this.#send(prepared, send, signal);
  }

  async #send(prepared: Prepared, send: Send, signal: AbortSignal): Promise<void> {
    const { slots } = this.#options;
    const { model } = prepared.request;
    this.#count += 1;
    const id = `rerun-${process.pid}-${this.#count}`;
    this.#underWay += 1;
    const stopWaiting = this.#tellPosition(id, send);
    try {
      const result = await slots.withSlot({ id, purpose: 'rerun', model, signal }, async (within) => {
        stopWaiting();
        return this.#call(prepared, send, within);
      });
      send({ type: 'result', result });
    } catch (error) {
      if (signal.aborted) return; // nobody waits for it
      send({ type: 'error', error: shownError(error, { step: 'the call was being sent' }) });
    } finally {
      stopWaiting();
      this.#underWay -= 1;
    }
  }

  /** Sends the position in the queue whenever it changes, until the returned function is called. */
  #tellPosition(id: string, send: Send): () => void {
    let last: number | undefined;
    const tell = () => {
      const position = this.#options.slots.queuePosition(id);
      if (position === undefined || position === last) return;
      last = position;
      send({ type: 'waiting', position });
    };
    const timer = setInterval(tell, SLOT_POLL_MS);
    send({ type: 'waiting' });
    return () => clearInterval(timer);
  }

  /** @throws {ModelError} if the request could not be sent */
  async #call({ request, state, config }: Prepared, send: Send, signal: AbortSignal): Promise<RerunResult> {
    const model = await this.#options.modelFor(request.model);
    await model.ping(signal);
    const { maxContextTokens = request.options.num_ctx } = await model.show(request.model, signal);
    // As in a run, never requests a larger window than the model's own.
    const options = { ...request.options, num_ctx: Math.min(request.options.num_ctx, maxContextTokens) };
    const { num_ctx: numCtx, num_predict: _, ...others } = options;
    send({ type: 'loading' });
    const loaded = await model.load(
      { model: request.model, numCtx, keepAlive: request.keepAlive, options: others },
      { signal, timeoutMs: config.load_timeout_ms },
    );
    send({ type: 'sent' });
    const events = await exchange(
      { model, state, timeoutMs: config.call_timeout_ms, request: { ...request, options } },
      send,
      signal,
    );
    return {
      window_tokens: loaded.contextTokens ?? numCtx,
      load_ms: loaded.alreadyLoaded ? 0 : loaded.loadMs,
      ...events,
    };
  }
}

/** Sends a request and reads the reply as a run does, or the failure. @throws the signal's reason when it is cancelled */
async function exchange(
  {
    model,
    state,
    timeoutMs,
    request,
  }: { model: ChatModel; state: ReadyState; timeoutMs: number; request: ChatRequest },
  send: Send,
  signal: AbortSignal,
): Promise<Pick<RerunResult, 'ended' | 'parsed' | 'failed'>> {
  const startedAt = performance.now();
  const heard: { thinking_ms?: number; text_ms?: number } = {};
  const shown = new GroupedText(send);
  let reply: ChatReply;
  try {
    reply = await model.chat(request, {
      signal,
      timeoutMs,
      onDelta: (delta) => {
        for (const type of ['thinking', 'text'] as const) {
          const text = delta[type];
          if (!text) continue;
          heard[`${type}_ms`] ??= performance.now() - startedAt;
          shown.add(type, text);
        }
      },
    });
  } catch (error) {
    if (!(error instanceof ModelError) || signal.aborted) throw error;
    const durationMs = performance.now() - startedAt - (error.cleanupMs ?? 0);
    return { failed: { ...callFailed(state, error, durationMs), ...cleanupFacts(error) } };
  } finally {
    shown.flush();
  }
  const events = readReply(state, reply, performance.now() - startedAt, heard);
  return { ended: eventOf(events, 'model-call.ended'), parsed: eventOf(events, 'reply.parsed') };
}

function eventOf<Type extends NewEvent['type']>(
  events: readonly NewEvent[],
  type: Type,
): Extract<NewEvent, { type: Type }> | undefined {
  return events.find((event): event is Extract<NewEvent, { type: Type }> => event.type === type);
}

function tooManyReruns(): AppError {
  return new AppError({
    code: 'too_many_reruns',
    message: `${MAX_RERUNS} calls are already being sent again.`,
    hint: 'Wait until one of them has its reply, or cancel one.',
  });
}
