import type { JsonValue } from '../util/json.ts';
import type {
  CallContext,
  ChatModel,
  ChatReply,
  ChatRequest,
  ChatTimings,
  LoadedModel,
} from './chat-model.ts';
import { freeSlot, seeLetGo } from './let-go.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { parseError } from './ollama-body.ts';
import {
  callOllama,
  connectOllama,
  cutOff,
  type OllamaConnection,
  type OllamaLimits,
} from './ollama-connection.ts';
import { embed } from './ollama-embed.ts';
import type { OllamaHost } from './ollama-host.ts';
import { findRunning, loadModel, ping, showInstalled } from './ollama-models.ts';
import { type ChatChunk, chatChunk } from './ollama-wire.ts';
import { wireRequest } from './wire-request.ts';

/** Arguments nested deeper than this are no tool call, and would overflow the stack of whoever writes them as JSON. */
const MAX_DEPTH = 200;

/** The ends of a call at which the server may still be writing. */
const BROKEN_OFF: ReadonlySet<ModelErrorKind> = new Set([
  'aborted',
  'timeout',
  'bad_response',
  'malformed_call',
]);

/**
 * The engine's way to an Ollama server: the native `/api/chat`, nothing else (DESIGN 4).
 *
 * Every request states what Ollama would otherwise decide in silence: `num_ctx`, `num_predict`, `truncate: false`,
 * `shift: false`, `think`, `stream` and `keep_alive`. An answer is taken in within `limits` and checked field by field.
 * Errors are `ModelError`s; a stop closes the socket at once, in every phase, and the call returns once the server is seen
 * to have let go, or does not say so in time (`ModelError.letGo`).
 */
export function createOllamaChatModel(options: { host: OllamaHost } & Partial<OllamaLimits>): ChatModel {
  const { host, ...limits } = options;
  const connection = connectOllama(host, limits);
  return {
    chat: (request, context) => chat(connection, request, context),
    embed: (request, context) => embed(connection, request, context),
    load: (request, context) => load(connection, request, context),
    inMemory: (model, signal) => findRunning(connection, model, signal),
    show: (model, signal) => showInstalled(connection, model, signal),
    ping: (signal) => ping(connection, signal),
  };
}

/** A model that is in memory may have lost its slot to a call that somebody else broke off: then it is loaded afresh. */
async function load(
  connection: OllamaConnection,
  request: Parameters<ChatModel['load']>[0],
  context: Parameters<ChatModel['load']>[1],
): Promise<LoadedModel> {
  const loaded = await loadModel(connection, request, context);
  if (!loaded.alreadyLoaded) return loaded;
  const { model, keepAlive, numCtx, options } = request;
  const slot = { model, keepAlive, options: { ...options, num_ctx: numCtx, num_predict: 1 } };
  if ((await freeSlot(connection, slot, context.signal)) !== 'unloaded') return loaded;
  return { ...(await loadModel(connection, request, context)), freedSlot: true };
}

async function chat(
  connection: OllamaConnection,
  request: ChatRequest,
  context: CallContext,
): Promise<ChatReply> {
  const isSent = !context.signal.aborted;
  const reply = new ReplyBuilder();
  const body = wireRequest(request);
  const asked = { model: request.model, toolsOffered: request.tools.length > 0 };
  const onTimeout = () => callTimeout(context.timeoutMs);
  try {
    return await callOllama(
      connection,
      { ...context, onTimeout, asked, streamed: request.stream },
      async ({ client }) => {
        if (!request.stream)
          return reply.add(readChunk(await client.chat({ ...body, stream: false }))).finish();

        for await (const line of await client.chat({ ...body, stream: true })) {
          const chunk = readChunk(line);
          reply.add(chunk);
          const text = chunk.message?.content;
          const thinking = chunk.message?.thinking;
          if (text || thinking) context.onDelta?.({ ...(text && { text }), ...(thinking && { thinking }) });
        }
        return reply.finish();
      },
    );
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const letGo =
      isSent && BROKEN_OFF.has(error.kind)
        ? await seeLetGo(connection, request, context.onTidying)
        : undefined;
    throw error.after({ letGo, partialText: reply.content || undefined });
  }
}

function readChunk(line: unknown): ChatChunk {
  const result = chatChunk.safeParse(line);
  if (!result.success) {
    const issue = result.error.issues[0];
    const why = issue ? `${issue.path.join('.')}: ${issue.message}` : 'unexpected shape';
    throw parseError(why, JSON.stringify(line), result.error);
  }
  if (!(result.data.message?.tool_calls ?? []).every((call) => isShallow(call, MAX_DEPTH))) {
    throw parseError(`a tool call is nested deeper than ${MAX_DEPTH}`, '');
  }
  return result.data;
}

function isShallow(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** Puts a reply together from one piece or many. Calls may come in any of them (S7), thinking stays apart (S8). */
class ReplyBuilder {
  content = '';
  #role = 'assistant';
  #thinking = '';
  #toolCalls: JsonValue[] = [];
  #last: ChatChunk | undefined;

  add(chunk: ChatChunk): this {
    const { message } = chunk;
    this.content += message?.content ?? '';
    this.#role = message?.role || this.#role;
    this.#thinking += message?.thinking ?? '';
    this.#toolCalls.push(...(message?.tool_calls ?? []));
    this.#last = chunk;
    return this;
  }

  /** @throws {ModelError} `cut_off` when the server itself says that the reply is not complete */
  finish(): ChatReply {
    const last = this.#last;
    if (last?.done === false) throw cutOff('before it was complete');
    return {
      message: {
        role: this.#role,
        content: this.content,
        ...(this.#thinking !== '' && { thinking: this.#thinking }),
        ...(this.#toolCalls.length > 0 && { tool_calls: this.#toolCalls }),
      },
      doneReason: last?.done_reason,
      promptTokens: last?.prompt_eval_count,
      replyTokens: last?.eval_count,
      timings: timings(last),
    };
  }
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

/** T4: the message names the limit. */
function callTimeout(timeoutMs: number): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `Ollama per-call timeout: no complete reply within ${timeoutMs} ms.`,
    hint: 'The model is too slow for this limit, or it writes without end. Raise the call timeout or choose a smaller model.',
  });
}
