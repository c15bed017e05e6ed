import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** An image of a message. Its bytes are kept elsewhere, under their hash. */
export interface MessageImage {
  readonly hash: string;
  readonly type: 'png' | 'jpeg';
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly name: string;
}

/** One message in the shape of Ollama's `/api/chat`. Immutable once made. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Sent as base64, which `ChatRequest.images` holds. */
  readonly images?: readonly MessageImage[];
  readonly thinking?: string;
  readonly tool_calls?: readonly MessageCall[];
  readonly tool_name?: string;
  /** The call that a tool message answers (S10). */
  readonly tool_call_id?: string;
}

/** A call in an assistant message, with an `id` if calls have one; an unchanged reply (X9) may have more fields. */
export interface MessageCall {
  readonly function: {
    readonly name: string;
    readonly arguments: JsonObject;
    readonly [field: string]: JsonValue;
  };
  readonly [field: string]: JsonValue;
}

/** Ollama's model options, sent unchanged. `num_ctx` and `num_predict` are always present (C7, T20). */
export interface ModelOptions {
  num_ctx: number;
  num_predict: number;
  temperature?: number;
  seed?: number;
  top_p?: number;
  top_k?: number;
  [option: string]: JsonValue | undefined;
}

/** Ollama's `think` field. Always sent, because capable models think if it is absent. */
type ThinkSetting = boolean | 'low' | 'medium' | 'high' | 'max';

export interface ChatRequest {
  model: string;
  messages: readonly ChatMessage[];
  tools: readonly ToolDefinition[];
  options: ModelOptions;
  think: ThinkSetting;
  /** Ollama's `format`: a JSON schema that the reply must fit. The server only lets the model choose tokens that do. */
  format?: JsonObject;
  /** Whether to stream over the wire. Either way the promise resolves to one complete reply. */
  stream: boolean;
  /** The images of the messages in base64, by hash. Missing where none has an image, or a request is only shown. */
  images?: ReadonlyMap<string, string>;
  /** Ollama's `keep_alive`: a duration such as `5m`, or seconds. */
  keepAlive: string | number;
}

/** Text as it arrives; only with `stream: true`. */
export interface ChatDelta {
  text?: string;
  thinking?: string;
}

/** Ollama's measurements in milliseconds. Missing fields stay missing instead of becoming 0. */
export interface ChatTimings {
  totalMs?: number;
  loadMs?: number;
  promptEvalMs?: number;
  evalMs?: number;
}

/** One complete reply, assembled and checked field by field. `message` is otherwise as the server sent it. */
export interface ChatReply {
  message: { role: string; content: string; thinking?: string; tool_calls?: JsonValue[] };
  /** `stop`, `length`, …; missing if not reported. A reply without its last line is a `cut_off`. */
  doneReason?: string;
  /** `prompt_eval_count`: the whole prompt, including cached tokens (OL17). */
  promptTokens?: number;
  /** `prompt_eval_cached_count`: how many of them were cached and not evaluated again, if reported. */
  cachedTokens?: number;
  /** `eval_count` */
  replyTokens?: number;
  timings: ChatTimings;
}

export interface CallContext {
  /** Stops the call: closes the socket within a second, even with `stream: false` and during a load. */
  signal: AbortSignal;
  /** Total limit of the call in milliseconds (T4). */
  timeoutMs: number;
  onDelta?: (delta: ChatDelta) => void;
  /**
   * Called when the server has dropped an aborted call and Loupe starts to check its slot. The call returns once the
   * slot is known to be free, or was recovered. Large windows take seconds.
   */
  onTidying?: () => void;
}

/** What `/api/ps` reports of a loaded model. */
export interface LoadedModel {
  /** Effective context length; may be lower than requested (OL1, K-19). */
  contextTokens?: number;
  sizeBytes?: number;
  vramBytes?: number;
  /** Load time in milliseconds; 0 if the model was already loaded as requested. */
  loadMs: number;
  alreadyLoaded: boolean;
  /** The server does not list what is in memory, so whether the model was already loaded is unknown. */
  unlisted?: true;
  /** Whether the model was loaded but did not respond, and was reloaded. */
  freedSlot?: boolean;
  /** Of the manifest that its name had when the load began. */
  digest?: string;
  /** The model runs on this host, so nothing was loaded. */
  remoteHost?: string;
}

/** The server's report on a loading model; it gives no progress, only the target memory. */
export interface LoadProgress {
  sizeBytes?: number;
  vramBytes?: number;
}

/** A model in memory, with the window it was loaded with. */
export interface MemoryModel extends Pick<LoadedModel, 'contextTokens' | 'sizeBytes' | 'vramBytes'> {
  /** RFC 3339 time at which it is unloaded if unused; updated after each request. */
  expiresAt?: string;
  /** The server's clock at that time, in milliseconds since 1970; it may be another machine's. */
  serverTimeMs?: number;
}

/**
 * Whether the server has a model in memory. `unknown`: a runner is loaded, but the server does not report whether
 * this model shares it. A model not in memory does not imply that an aborted call has ended.
 */
export type Residency<T extends MemoryModel = MemoryModel> =
  | { state: 'loaded'; model: T }
  | { state: 'not_loaded' }
  /** `unlisted`: the server does not list what is in memory. */
  | { state: 'unknown'; unlisted?: true };

/** The location of a model to which Ollama forwards requests, such as `gpt-oss:120b-cloud`. */
export interface RemoteModel {
  /** Host name and port; `an unknown host` if the server reports none that is valid. */
  host: string;
  /** Its name there. */
  model?: string;
}

/** What `/api/show` reports. */
export interface ModelDetails {
  name: string;
  /** For example `completion`, `tools`, `thinking`. `undefined` on servers that do not report them. */
  capabilities?: readonly string[];
  /** The model's own maximum, from `model_info["*.context_length"]`. */
  maxContextTokens?: number;
  family?: string;
  parameterSize?: string;
  quantization?: string;
  digest?: string;
  sizeBytes?: number;
  /** Set if the server forwards requests for this model to another machine. */
  remote?: RemoteModel;
  /** SHA-256 of the prompt template, in hexadecimal digits. */
  templateHash?: string;
  /** The server's runner key: models with the same key share a runner. */
  runnerKey?: string;
}

/** The engine's only interface to a model server. Errors are `ModelError`s. */
export interface ChatModel {
  chat(request: ChatRequest, context: CallContext): Promise<ChatReply>;
  /** Loads the model, before the first call and timed separately (K-25). */
  load(
    request: {
      model: string;
      numCtx: number;
      keepAlive: string | number;
      /**
       * The run's other options. Load options (`num_gpu`, `num_batch` …) must equal those of the calls, or the first
       * call reloads the model.
       */
      options?: Record<string, unknown>;
    },
    context: {
      signal: AbortSignal;
      timeoutMs: number;
      /** Reports on the model while it loads. */
      onProgress?: (progress: LoadProgress) => void;
    },
  ): Promise<LoadedModel>;
  /** Whether the server currently has the model in memory. Omitted if no one else can unload it. */
  inMemory?(model: string, signal: AbortSignal): Promise<Residency>;
  /** The embeddings of the texts, in order (X21). Loads the model if needed. */
  embed(
    request: { model: string; texts: readonly string[]; keepAlive: string | number },
    context: Pick<CallContext, 'signal' | 'timeoutMs'>,
  ): Promise<number[][]>;
  /** S2; throws `model_missing`, `model_check_failed`, and `remote_model` if remote models are not allowed. */
  show(model: string, signal?: AbortSignal): Promise<ModelDetails>;
  /** S1; throws `ollama_unreachable` or `ollama_not_responding`. Resolves to the server's version, if reported. */
  ping(signal?: AbortSignal): Promise<{ version?: string }>;
}
