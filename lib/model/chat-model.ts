import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** One message in the shape of Ollama's `/api/chat`. Immutable once made. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly MessageCall[];
  readonly tool_name?: string;
  /** The call that a tool message answers (S10). */
  readonly tool_call_id?: string;
}

/** A call within an assistant message, with an `id` where calls have one; a reply kept unchanged (X9) may bring more. */
export interface MessageCall {
  readonly function: {
    readonly name: string;
    readonly arguments: JsonObject;
    readonly [field: string]: JsonValue;
  };
  readonly [field: string]: JsonValue;
}

/** Ollama's model options, sent as they are. `num_ctx` and `num_predict` are always present (C7, T20). */
export interface ModelOptions {
  num_ctx: number;
  num_predict: number;
  temperature?: number;
  seed?: number;
  top_p?: number;
  top_k?: number;
  [option: string]: JsonValue | undefined;
}

/** Ollama's `think` field: explicit in every request, since capable models think when it is absent. */
export type ThinkSetting = boolean | 'low' | 'medium' | 'high';

export interface ChatRequest {
  model: string;
  messages: readonly ChatMessage[];
  tools: readonly ToolDefinition[];
  options: ModelOptions;
  think: ThinkSetting;
  /** What goes over the wire. Either way the promise brings one assembled reply. */
  stream: boolean;
  /** Ollama's `keep_alive`: a duration such as `5m`, or seconds. */
  keepAlive: string | number;
}

/** Text as it arrives; only with `stream: true`. */
export interface ChatDelta {
  text?: string;
  thinking?: string;
}

/** What Ollama measured. A missing field stays missing: it is not 0. Times in milliseconds. */
export interface ChatTimings {
  totalMs?: number;
  loadMs?: number;
  promptEvalMs?: number;
  evalMs?: number;
}

/** One complete reply, assembled and checked field by field. `message` is otherwise as the server sent it. */
export interface ChatReply {
  message: { role: string; content: string; thinking?: string; tool_calls?: JsonValue[] };
  /** `stop`, `length`, …; missing when the server does not tell. A reply without its last line is a `cut_off`. */
  doneReason?: string;
  /** `prompt_eval_count` */
  promptTokens?: number;
  /** `eval_count` */
  replyTokens?: number;
  timings: ChatTimings;
}

export interface CallContext {
  /** Stop: the socket is closed within a second, also with `stream: false` and during a load. */
  signal: AbortSignal;
  /** Total limit of the call in milliseconds (T4). */
  timeoutMs: number;
  onDelta?: (delta: ChatDelta) => void;
  /**
   * Called when a call that was broken off has let go of the server, and its slot is asked for: the call returns once that is
   * known, and the slot freed where it was lost. Large windows take seconds.
   */
  onTidying?: () => void;
}

/** What `/api/ps` reports of a loaded model. */
export interface LoadedModel {
  /** Context length in effect: may be lower than the one asked for (OL1, K-19). */
  contextTokens?: number;
  sizeBytes?: number;
  vramBytes?: number;
  /** Time the load took in milliseconds; 0 when the model was already loaded as asked. */
  loadMs: number;
  alreadyLoaded: boolean;
  /** It was in memory, but answered nobody, and was loaded afresh. */
  freedSlot?: boolean;
}

/** What the server says of a model that it is loading; it tells no progress, only what it is loading into. */
export interface LoadProgress {
  sizeBytes?: number;
  vramBytes?: number;
}

/** A model in memory, with the window it was loaded with. */
export interface MemoryModel extends Pick<LoadedModel, 'contextTokens' | 'sizeBytes' | 'vramBytes'> {
  /** RFC 3339 time at which it is unloaded when it stays unused; set anew whenever a request is over. */
  expiresAt?: string;
  /** What the server's own clock said then, in milliseconds since 1970: it may be another machine's. */
  serverTimeMs?: number;
}

/** What `/api/show` reports. */
export interface ModelDetails {
  name: string;
  /** For example `completion`, `tools`, `thinking`. `undefined` on servers that do not tell. */
  capabilities?: readonly string[];
  /** The model's own maximum, from `model_info["*.context_length"]`. */
  maxContextTokens?: number;
  family?: string;
  parameterSize?: string;
  quantization?: string;
  digest?: string;
  sizeBytes?: number;
}

/** The engine's only view of a model server. Errors are `ModelError`s. */
export interface ChatModel {
  chat(request: ChatRequest, context: CallContext): Promise<ChatReply>;
  /** Loads the model: a phase with its own clock, before the first call (K-25). */
  load(
    request: {
      model: string;
      numCtx: number;
      keepAlive: string | number;
      /** The run's other options. Those about loading (`num_gpu`, `num_batch` …) must equal the calls', or the first call loads again. */
      options?: Record<string, unknown>;
    },
    context: {
      signal: AbortSignal;
      timeoutMs: number;
      /** What the server says of the model while it loads. */
      onProgress?: (progress: LoadProgress) => void;
    },
  ): Promise<LoadedModel>;
  /**
   * What the server has of the model in memory at the moment; `undefined`: nothing. Left out where nobody else could
   * have unloaded it.
   */
  inMemory?(model: string, signal: AbortSignal): Promise<MemoryModel | undefined>;
  /** The embeddings of some texts, in their order (X21). Loads the model when it is not in memory. */
  embed(
    request: { model: string; texts: readonly string[]; keepAlive: string | number },
    context: Pick<CallContext, 'signal' | 'timeoutMs'>,
  ): Promise<number[][]>;
  /** S2; throws `model_missing` or `model_check_failed`. */
  show(model: string, signal?: AbortSignal): Promise<ModelDetails>;
  /** S1; throws `ollama_unreachable`. Resolves to the server's version when it tells. */
  ping(signal?: AbortSignal): Promise<{ version?: string }>;
}
