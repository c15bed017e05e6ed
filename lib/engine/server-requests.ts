import { errorParts } from '../errors/app-error.ts';
import type { AskedRequest, AskedSample } from '../events/mcp-request.ts';
import type { EventOf } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';
import { requestedWindow } from '../events/window.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';
import type { AskOperator, OperatorAnswer } from '../tools/tool.ts';
import { readCalls } from './read-calls.ts';
import type { RunLog } from './run-log.ts';

export interface ServerRequestsOptions {
  log: RunLog;
  model: Pick<ChatModel, 'chat'>;
  /** Aborted by a forced stop, a shutdown or a broken log. */
  abort: AbortSignal;
  /** Waits without holding a slot at the model server. */
  withoutSlot(wait: () => Promise<void>): Promise<void>;
  /** Waits for a slot at the model server. @returns whether the run has one now @throws the reason of the signal */
  takeSlot(until: AbortSignal): Promise<boolean>;
}

/** The result of a sample when the run stopped before the model was asked. */
const STOPPED = { code: 'run_stopped', message: 'The run stops, so the model was not asked.' };
/** The result of a sample when the server withdrew its request, or its call ended, while the model was generating. */
const WITHDRAWN = { code: 'request_withdrawn', message: 'The server no longer waited for a text.' };

/**
 * Requests of MCP servers during a call, one at a time: logged, answered by the operator, and for samples by the run's
 * model after the operator allowed it. Intent is on disk before the model is asked.
 */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  #last: Promise<unknown> = Promise.resolve();
  #pausedMs = 0;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** Time that calls waited for the operator or the model, in milliseconds. It does not count as the tool's time. */
  get pausedMs(): number {
    return this.#pausedMs;
  }

  /** For the tool of one call. @throws the reason of the signal, or of a forced stop */
  askFor(call: PendingCall): AskOperator {
    return (asked, signal) => {
      const turn = this.#last.then(() =>
        this.#ask(call, asked, AbortSignal.any([signal, this.#options.abort])),
      );
      this.#last = turn.catch(() => {});
      return turn;
    };
  }

  async #ask(
    call: PendingCall,
    { server, request }: { server: string; request: AskedRequest },
    signal: AbortSignal,
  ): Promise<OperatorAnswer> {
    signal.throwIfAborted();
    const { log } = this.#options;
    // After a stop the call may finish, but the operator is no longer asked.
    if (log.state.stop) return { action: 'cancel' };
    const startedAt = performance.now();
    try {
      const id = `q${log.state.mcpRequests.count + 1}`;
      const place = { request_id: id, call_id: call.callId };
      log.append([{ type: 'mcp-request.received', ...place, server, request }]);
      const answered = await this.#awaitAnswer(place, signal);
      if (request.kind !== 'sampling' || answered.action !== 'accept') return answered;
      return { action: 'accept', sample: await this.#sample(place, request, signal) };
    } finally {
      this.#pausedMs += performance.now() - startedAt;
    }
  }

  /** Waits for the operator for as long as it takes. A stop is an answer: the request is cancelled. */
  async #awaitAnswer(
    place: { request_id: string; call_id: string },
    signal: AbortSignal,
  ): Promise<Pick<EventOf<'mcp-request.answered'>, 'action' | 'content'>> {
    const { log, withoutSlot, abort } = this.#options;
    const isOpen = () => log.state.mcpRequests.open?.request_id === place.request_id;
    await withoutSlot(async () => {
      while (!signal.aborted && isOpen() && !log.state.stop) await log.changed(log.state.seq, signal);
    });
    // After a forced stop or at shutdown, the call is reported as interrupted.
    abort.throwIfAborted();
    if (isOpen()) {
      const by = signal.aborted ? 'server' : 'stop';
      log.append([{ type: 'mcp-request.answered', ...place, action: 'cancel', by }]);
    }
    signal.throwIfAborted();
    const { answered } = log.state.mcpRequests;
    const { action = 'cancel', content } = answered?.request_id === place.request_id ? answered : {};
    return { action, ...(content && { content }) };
  }

  async #sample(
    place: { request_id: string; call_id: string },
    asked: AskedSample,
    signal: AbortSignal,
  ): Promise<NonNullable<OperatorAnswer['sample']>> {
    const { log, model, abort, takeSlot } = this.#options;
    const askedAt = performance.now();
    const hasSlot = await takeSlot(signal);
    const waited_ms = performance.now() - askedAt;
    signal.throwIfAborted();
    const { state } = log;
    if (!hasSlot || !isReady(state)) return { error: STOPPED.message };
    const request = sampleRequest(state, asked);
    log.append([{ type: 'mcp-sampling.started', ...place, options: definedOptions(request), waited_ms }]);
    let startedAt = performance.now();
    const end = (outcome: Pick<EventOf<'mcp-sampling.ended'>, 'text' | 'error'>, reply?: ChatReply) =>
      log.append([
        {
          type: 'mcp-sampling.ended',
          ...place,
          ...outcome,
          ...(reply?.doneReason === undefined ? {} : { done_reason: reply.doneReason }),
          ...(reply?.promptTokens === undefined ? {} : { prompt_tokens: reply.promptTokens }),
          ...(reply?.replyTokens === undefined ? {} : { reply_tokens: reply.replyTokens }),
          duration_ms: performance.now() - startedAt,
        },
      ]);
    // Immediately, before the end of the call is logged. After a forced stop or at shutdown, the call is
    // reported as interrupted.
    const onWithdrawn = () => {
      if (!abort.aborted) end({ error: WITHDRAWN });
    };
    signal.addEventListener('abort', onWithdrawn, { once: true });
    try {
      await log.durable();
      signal.throwIfAborted();
      startedAt = performance.now();
      const reply = await model.chat(request, { signal, timeoutMs: state.config.call_timeout_ms });
      signal.throwIfAborted();
      // Thinking in the text is not meant for the server.
      const { parsed } = readCalls(reply, {
        tools: [],
        layers: state.config.parser_layers,
        numPredict: request.options.num_predict,
      });
      const text = parsed.visibleText;
      end({ text }, reply);
      return { text, model: request.model, isCut: reply.doneReason === 'length' };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      signal.throwIfAborted();
      end({ error: errorParts(error) });
      return { error: error.message };
    } finally {
      signal.removeEventListener('abort', onWithdrawn);
    }
  }
}

/** The model call for a server's request, with the run's model, window and options, and without tools and thinking. */
function sampleRequest({ config, ...state }: ReadyState, asked: AskedSample): ChatRequest {
  const { system, messages, max_tokens: maxTokens, temperature, stop } = asked;
  return {
    model: config.model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.map(({ role, text }) => ({ role, content: text })),
    ],
    tools: [],
    options: {
      ...config.model_options,
      num_ctx: requestedWindow({ config, ...state }),
      num_predict: Math.min(maxTokens, config.num_predict[0]),
      ...(temperature === undefined ? {} : { temperature }),
      ...(stop && { stop }),
    },
    think: false,
    stream: false,
    keepAlive: config.keep_alive,
  };
}

function definedOptions({ options }: ChatRequest): EventOf<'mcp-sampling.started'>['options'] {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
