import { GrowingText } from '../util/growing-text.ts';
import type { JsonValue } from '../util/json.ts';
import { fieldPath } from '../util/schema-problems.ts';
import type {
  CallContext,
  ChatModel,
  ChatReply,
  ChatRequest,
  ChatTimings,
  LoadedModel,
} from './chat-model.ts';
import { loadModel } from './load-model.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { parseError, tooLarge } from './ollama-body.ts';
import { callOllama, cutOff, type OllamaConnection } from './ollama-connection.ts';
import { embed } from './ollama-embed.ts';
import { recentPing, show, showInstalled } from './ollama-models.ts';
import { type ChatChunk, chatChunk } from './ollama-wire.ts';
import { readRemote } from './remote-model.ts';
import { RunnerFinder, refuseRemote } from './residency.ts';
import { freeSlot, releaseSlotAfterAbort } from './slot-release.ts';
import { wireBody } from './wire-request.ts';

/** Failures after which the server may still be generating. */
const BROKEN_OFF: ReadonlySet<ModelErrorKind> = new Set([
  'aborted',
  'timeout',
  'bad_response',
  'malformed_call',
]);

/**
 * The engine's client for an Ollama server. Uses only the native `/api/chat`. Every request states what Ollama would
 * otherwise decide silently: `num_ctx`, `num_predict`, `truncate: false`, `shift: false`, `think`, `stream` and
 * `keep_alive`. Responses are bounded by `limits` and validated field by field. Errors are `ModelError`s; a stop
 * closes the socket at once in every phase, and the call returns once the server has dropped it or failed to report
 * so in time (`ModelError.slotRelease`). Shares the recent answers of its connection.
 */
export function chatModelOn(connection: OllamaConnection): ChatModel {
  return {
    chat: (request, context) => chat(connection, request, context),
    embed: async (request, context) => {
      refuseRemote(connection, request.model, (await show(connection, request.model, context.signal)).remote);
      return embed(connection, request, context);
    },
    load: (request, context) => load(connection, request, context),
    inMemory: (model, signal) => new RunnerFinder(connection, model).find(signal),
    show: async (model, signal) => {
      refuseRemote(connection, model, readRemote(model, {})); // recognized by name, without a request
      const details = await showInstalled(connection, model, signal);
      refuseRemote(connection, model, details.remote);
      return details;
    },
    ping: (signal) => recentPing(connection, signal),
  };
}

/** A loaded model may have leaked its slot to another client's aborted call; then it is reloaded. */
async function load(
  connection: OllamaConnection,
  request: Parameters<ChatModel['load']>[0],
  context: Parameters<ChatModel['load']>[1],
): Promise<LoadedModel> {
  const { model, keepAlive, numCtx, options } = request;
  const { loaded, runner } = await loadModel(connection, request, context);
  if (!loaded.alreadyLoaded) return loaded;
  const slot = { model, keepAlive, options: { ...options, num_ctx: numCtx, num_predict: 1 } };
  if ((await freeSlot(connection, slot, context.signal, runner)) !== 'unloaded') return loaded;
  return { ...(await loadModel(connection, request, context)).loaded, freedSlot: true };
}

async function chat(
  connection: OllamaConnection,
  request: ChatRequest,
  context: CallContext,
): Promise<ChatReply> {
  const isSent = !context.signal.aborted;
  const reply = new ReplyBuilder(connection.limits.maxResponseBytes);
  const body = wireBody(request);
  const asked = { model: request.model, toolsOffered: request.tools.length > 0 };
  let endedAt: number | undefined;
  const onTimeout = () => {
    endedAt = performance.now();
    return callTimeout(context.timeoutMs, { nothingStreamed: request.stream && reply.isEmpty });
  };
  try {
    return await callOllama(connection, { ...context, onTimeout, asked }, async (call) => {
      if (!request.stream)
        return reply.add(readOwn(connection, request, await call.post('/api/chat', body))).finish();

      await call.postForLines('/api/chat', body, (line) => {
        const chunk = readOwn(connection, request, line);
        reply.add(chunk);
        const text = chunk.message?.content;
        const thinking = chunk.message?.thinking;
        if (text || thinking) context.onDelta?.({ ...(text && { text }), ...(thinking && { thinking }) });
        return line.done === true ? 'last' : 'more';
      });
      return reply.finish();
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    endedAt ??= performance.now();
    const slotRelease =
      isSent && BROKEN_OFF.has(error.kind)
        ? await releaseSlotAfterAbort(connection, request, context.onTidying)
        : undefined;
    const cleanupMs = performance.now() - endedAt;
    throw error.after({
      slotRelease,
      cleanupMs,
      partialText: `${reply.content}` || undefined,
      partialThinking: `${reply.thinking}` || undefined,
    });
  }
}

/**
 * Parses a piece of a reply and checks that the model is allowed: since the run began, its name may have been given
 * to a remote model.
 */
function readOwn(
  connection: OllamaConnection,
  { model }: ChatRequest,
  line: Record<string, unknown>,
): ChatChunk {
  const chunk = readChunk(line);
  const remote = chunk.remote_host === undefined ? undefined : readRemote(model, chunk);
  refuseRemote(connection, model, remote);
  return chunk;
}

function readChunk(line: Record<string, unknown>): ChatChunk {
  // Without a message, it would be an empty reply.
  if (Array.isArray(line.choices))
    throw parseError('the reply has the format of the OpenAI API', JSON.stringify(line));
  const result = chatChunk.safeParse(line);
  if (!result.success) {
    const issue = result.error.issues[0];
    const why = issue ? `${fieldPath(issue.path)}: ${issue.message}` : 'unexpected shape';
    throw parseError(why, JSON.stringify(line), result.error);
  }
  return result.data;
}

/** Assembles a reply from one or more pieces. Calls may come in any of them (S7); thinking is kept separate (S8). */
class ReplyBuilder {
  readonly content = new GrowingText();
  readonly thinking = new GrowingText();
  readonly #maxBytes: number;
  #bytes = 0;
  #role = 'assistant';
  #toolCalls: JsonValue[] = [];
  #last: ChatChunk | undefined;

  /** @param maxBytes of text, thinking and calls, without the JSON around the pieces */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /** @throws {ModelError} `bad_response` if the reply is too large */
  add(chunk: ChatChunk): this {
    const { content, thinking, role, tool_calls: calls } = chunk.message ?? {};
    this.#bytes += Buffer.byteLength(content ?? '') + Buffer.byteLength(thinking ?? '');
    if (calls && calls.length > 0) this.#bytes += Buffer.byteLength(JSON.stringify(calls));
    if (this.#bytes > this.#maxBytes) throw tooLarge('reply', this.#maxBytes);
    if (content) this.content.add(content);
    if (thinking) this.thinking.add(thinking);
    // Not spread: a list of 100,000 arguments would overflow the stack.
    for (const call of calls ?? []) this.#toolCalls.push(call);
    this.#role = role || this.#role;
    this.#last = chunk;
    return this;
  }

  /**
   * @throws {ModelError} `cut_off` if the server reports that the reply is incomplete; `http` if the reason of its end is
   *   an error, as LocalAI reports one
   */
  finish(): ChatReply {
    const last = this.#last;
    if (last?.done === false) throw cutOff('before it was complete');
    if (last?.done_reason === 'error') throw serverFailed();
    return {
      message: {
        role: this.#role,
        content: `${this.content}`,
        ...(this.thinking.length > 0 && { thinking: `${this.thinking}` }),
        ...(this.#toolCalls.length > 0 && { tool_calls: this.#toolCalls }),
      },
      doneReason: last?.done_reason,
      promptTokens: last?.prompt_eval_count,
      cachedTokens: last?.prompt_eval_cached_count,
      replyTokens: last?.eval_count,
      timings: timings(last),
    };
  }
}

function serverFailed(): ModelError {
  return new ModelError({
    kind: 'http',
    message: 'The server ended the reply with an error that it does not name.',
    hint: 'Look at its log.',
  });
}

function timings(chunk: ChatChunk | undefined): ChatTimings {
  return {
    totalMs: milliseconds(chunk?.total_duration),
    loadMs: milliseconds(chunk?.load_duration),
    promptEvalMs: milliseconds(chunk?.prompt_eval_duration),
    evalMs: milliseconds(chunk?.eval_duration),
  };
}

function milliseconds(nanoseconds: number | undefined): number | undefined {
  return nanoseconds === undefined ? undefined : nanoseconds / 1_000_000;
}

/**
 * T4: the message names the limit.
 *
 * @param nothingStreamed the reply was to be streamed, and had not begun
 */
function callTimeout(timeoutMs: number, { nothingStreamed }: { nothingStreamed: boolean }): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `Ollama per-call timeout: no complete reply within ${timeoutMs / 1000} s.`,
    hint: nothingStreamed
      ? 'Nothing had arrived yet: reading the prompt takes longer than this limit, or Ollama is still reading the prompt of an aborted request, which unloading the model ends. Raise the call timeout or choose a smaller model.'
      : 'The model is too slow for this limit, or it writes without end. Raise the call timeout or choose a smaller model.',
  });
}
