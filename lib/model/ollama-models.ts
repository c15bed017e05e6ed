import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { LoadedModel, LoadProgress, ModelDetails } from './chat-model.ts';
import { ModelError, ModelNotAvailableError, OllamaUnavailableError } from './model-error.ts';
import { parseError } from './ollama-body.ts';
import { callOllama, type OllamaConnection } from './ollama-connection.ts';
import { psReply, showReply, tagsReply, versionReply } from './ollama-wire.ts';

/** Limits of S1 and S2, and of the small questions around them. */
const PING_TIMEOUT_MS = 5_000;
const SHOW_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 10_000;
const UNLOAD_TIMEOUT_MS = 30_000;
/** How often a load is looked at. */
const WATCH_MS = 500;

/** A model that is installed on the server. */
export interface InstalledModel {
  /** As Ollama lists it, with its tag: `qwen3:8b`. */
  name: string;
  digest?: string;
  sizeBytes?: number;
  modifiedAt?: string;
  family?: string;
  parameterSize?: string;
  quantization?: string;
}

/** A model that is loaded at the moment (`/api/ps`). */
export interface RunningModel {
  name: string;
  digest?: string;
  sizeBytes?: number;
  /** Part of `sizeBytes` in graphics memory; the rest is computed by the CPU. */
  vramBytes?: number;
  contextTokens?: number;
  /** RFC 3339 time at which Ollama unloads it when it stays unused. */
  expiresAt?: string;
  /** What the server's own clock said then, in milliseconds since 1970. */
  serverTimeMs?: number;
  /** What its files are, and so which runner has it: `gguf`, `safetensors`. */
  format?: string;
}

/**
 * Asks whether an Ollama server answers: GET `/`, at most 5 s (S1).
 *
 * @throws {OllamaUnavailableError} closed port, silence, or something that is not Ollama
 */
export async function ping(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<{ version?: string }> {
  const { url } = connection.host;
  const timeout = () =>
    new OllamaUnavailableError({ url, detail: `no answer within ${PING_TIMEOUT_MS / 1000} s` });
  try {
    return await callOllama(
      connection,
      { signal, timeoutMs: PING_TIMEOUT_MS, onTimeout: timeout },
      async (call) => {
        const greeting = await call.getText('/');
        const version = await askVersion(() => call.client.version());
        connection.known.version = version;
        if (version === undefined && !greeting.includes('Ollama is running')) {
          throw new OllamaUnavailableError({
            url,
            detail: 'something else answers there',
            hint: 'Check OLLAMA_HOST: another program uses this address.',
          });
        }
        return { version };
      },
    );
  } catch (cause) {
    if (!(cause instanceof ModelError) || cause.kind === 'aborted') throw cause;
    if (cause instanceof OllamaUnavailableError) throw cause;
    throw new OllamaUnavailableError({ url, detail: causeOf(cause), cause });
  }
}

/** The version is a courtesy: a server that does not tell it is still an Ollama when its greeting says so. */
async function askVersion(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    return versionReply.parse(await ask()).version;
  } catch (cause) {
    if (cause instanceof ModelError && (cause.kind === 'http' || cause.kind === 'bad_response'))
      return undefined;
    if (cause instanceof ModelError && cause.kind === 'model_missing') return undefined; // 404 as JSON
    throw cause;
  }
}

function causeOf(error: ModelError): string {
  return error.status === undefined ? error.kind.replaceAll('_', ' ') : `HTTP ${error.status}`;
}

/**
 * Asks for one model: POST `/api/show`, at most 10 s (S2).
 *
 * @throws {ModelNotAvailableError} `model_missing` with `ollama pull`, or `model_check_failed` naming the status (K-34)
 * @throws {ModelError} `unreachable`, `aborted`
 */
export async function show(
  connection: OllamaConnection,
  model: string,
  signal?: AbortSignal,
): Promise<ModelDetails> {
  const timeout = () =>
    new ModelNotAvailableError({ model, detail: `no answer within ${SHOW_TIMEOUT_MS / 1000} s` });
  try {
    const reply = await callOllama(
      connection,
      { signal, timeoutMs: SHOW_TIMEOUT_MS, onTimeout: timeout, asked: { model } },
      (call) => call.client.show({ model }),
    );
    const { capabilities, details, model_info } = checked(showReply, reply, '/api/show');
    return {
      name: model,
      capabilities,
      maxContextTokens: contextLength(model_info ?? {}),
      family: details?.family,
      parameterSize: details?.parameter_size,
      quantization: details?.quantization_level,
    };
  } catch (cause) {
    if (!(cause instanceof ModelError) || cause instanceof ModelNotAvailableError) throw cause;
    if (cause.status === undefined) throw cause;
    throw new ModelNotAvailableError({ model, status: cause.status, detail: cause.message, cause });
  }
}

/**
 * `show`, with size and digest, which only the list of models tells. A list that does not come leaves them out.
 *
 * @throws what `show` throws
 */
export async function showInstalled(
  connection: OllamaConnection,
  model: string,
  signal?: AbortSignal,
): Promise<ModelDetails> {
  const details = await show(connection, model, signal);
  try {
    const name = fullName(model);
    const installed = (await listInstalled(connection, signal)).find((each) => fullName(each.name) === name);
    return { ...details, digest: installed?.digest, sizeBytes: installed?.sizeBytes };
  } catch (error) {
    if (error instanceof ModelError && error.kind !== 'aborted') return details;
    throw error;
  }
}

/** `model_info` names it after the architecture: `llama.context_length`. */
function contextLength(info: Record<string, unknown>): number | undefined {
  const architecture = info['general.architecture'];
  const own = typeof architecture === 'string' ? info[`${architecture}.context_length`] : undefined;
  const value = own ?? Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** The installed models, as `/api/tags` lists them (newest first). */
export async function listInstalled(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<InstalledModel[]> {
  const reply = await callOllama(
    connection,
    { signal, timeoutMs: LIST_TIMEOUT_MS, onTimeout: () => late('/api/tags') },
    (call) => call.client.list(),
  );
  return (checked(tagsReply, reply, '/api/tags').models ?? []).map((model) => ({
    name: model.name,
    digest: model.digest,
    sizeBytes: model.size,
    modifiedAt: model.modified_at,
    family: model.details?.family,
    parameterSize: model.details?.parameter_size,
    quantization: model.details?.quantization_level,
  }));
}

/** The models in memory, with the context length in effect (OL6). */
export async function listRunning(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<RunningModel[]> {
  const { reply, serverTimeMs } = await callOllama(
    connection,
    { signal, timeoutMs: LIST_TIMEOUT_MS, onTimeout: () => late('/api/ps') },
    async (call) => ({ reply: await call.client.ps(), serverTimeMs: call.serverTimeMs() }),
  );
  return (checked(psReply, reply, '/api/ps').models ?? []).map((model) => ({
    name: model.name,
    digest: model.digest,
    sizeBytes: model.size,
    vramBytes: model.size_vram,
    contextTokens: model.context_length,
    expiresAt: model.expires_at,
    serverTimeMs,
    format: model.details?.format,
  }));
}

/**
 * Loads a model and says what is in effect afterwards: empty `messages` load (OL9), closing the connection ends a load
 * (OL10).
 *
 * @param request.options the run's other options: those that belong to loading (`num_gpu`, `num_batch` …) have to be the
 *   same here and in the calls, or the first call loads again (OL14)
 */
export async function loadModel(
  connection: OllamaConnection,
  request: { model: string; numCtx: number; keepAlive: string | number; options?: Record<string, unknown> },
  context: { signal: AbortSignal; timeoutMs: number; onProgress?: (progress: LoadProgress) => void },
): Promise<LoadedModel> {
  const { model } = request;
  const before = await findRunning(connection, model, context.signal);
  // Whoever starts again has no model in memory, and may have been upgraded.
  if (!before) connection.known.version = undefined;
  const startedAt = performance.now();
  const body = {
    model,
    messages: [],
    options: { ...request.options, num_ctx: request.numCtx },
    truncate: false,
    shift: false,
    keep_alive: keepAliveForLoad(request.keepAlive),
  };
  const over = new AbortController();
  if (context.onProgress) void watchLoad(connection, model, context.onProgress, over.signal);
  try {
    await callOllama(
      connection,
      { ...context, onTimeout: () => loadTimeout(model, context.timeoutMs), asked: { model } },
      (call) => call.client.chat({ ...body, stream: false }),
    );
  } finally {
    over.abort();
  }
  const loadMs = performance.now() - startedAt;
  const after = await findRunning(connection, model, context.signal);
  const alreadyLoaded = before !== undefined && after !== undefined && isSameLoad(before, after);
  return {
    contextTokens: after?.contextTokens,
    sizeBytes: after?.sizeBytes,
    vramBytes: after?.vramBytes,
    loadMs: alreadyLoaded ? 0 : Math.round(loadMs),
    alreadyLoaded,
  };
}

/**
 * Takes a model out of memory: empty `messages` with `keep_alive: 0` (OL9). A reply that it is writing is finished first.
 *
 * @throws {ModelError} `model_missing`, `unreachable`, `timeout`
 */
export async function unloadModel(
  connection: OllamaConnection,
  model: string,
  signal?: AbortSignal,
): Promise<void> {
  const onTimeout = () =>
    new ModelError({
      kind: 'timeout',
      message: `Ollama did not unload "${model}" within ${UNLOAD_TIMEOUT_MS / 1000} s.`,
      hint: 'Another program may be using it.',
    });
  await callOllama(
    connection,
    { signal, timeoutMs: UNLOAD_TIMEOUT_MS, onTimeout, asked: { model } },
    (call) => call.client.chat({ model, messages: [], keep_alive: 0, stream: false }),
  );
}

/** The model in memory, as `/api/ps` has it; `undefined` when it is not there. */
export async function findRunning(
  connection: OllamaConnection,
  model: string,
  signal: AbortSignal,
): Promise<RunningModel | undefined> {
  const name = fullName(model);
  return (await listRunning(connection, signal)).find((running) => fullName(running.name) === name);
}

/** Asks what the server says of the model while it loads. A question that fails is asked again: the load tells the rest. */
async function watchLoad(
  connection: OllamaConnection,
  model: string,
  onProgress: (progress: LoadProgress) => void,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    try {
      await delay(WATCH_MS, undefined, { signal: over });
      const seen = await findRunning(connection, model, over);
      if (seen && !over.aborted) onProgress({ sizeBytes: seen.sizeBytes, vramBytes: seen.vramBytes });
    } catch (error) {
      const passing = error instanceof ModelError || over.aborted;
      if (!passing) throw error;
    }
  }
}

function isSameLoad(before: RunningModel, after: RunningModel): boolean {
  return (
    before.digest === after.digest &&
    before.contextTokens === after.contextTokens &&
    before.sizeBytes === after.sizeBytes &&
    before.vramBytes === after.vramBytes
  );
}

/** Ollama's name for a model: `qwen3` is `qwen3:latest`. */
export function fullName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).includes(':') ? model : `${model}:latest`;
}

/** With `keep_alive: 0` an empty conversation would unload the model instead; the calls themselves still send 0. */
export function keepAliveForLoad(keepAlive: string | number): string | number {
  return /^0+(\.0+)?[a-zµ]*$/.test(String(keepAlive)) ? '5m' : keepAlive;
}

function loadTimeout(model: string, timeoutMs: number): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `Ollama did not load "${model}" within ${timeoutMs / 1000} s.`,
    hint: 'Large models on slow disks need longer: raise the load timeout, or choose a smaller model.',
  });
}

function late(path: string): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `Ollama did not answer ${path} within ${LIST_TIMEOUT_MS / 1000} s.`,
  });
}

function checked<T>(schema: z.ZodType<T>, reply: unknown, path: string): T {
  const result = schema.safeParse(reply);
  if (result.success) return result.data;
  throw parseError(
    `${path}: ${result.error.issues[0]?.message ?? 'unexpected shape'}`,
    JSON.stringify(reply),
    result.error,
  );
}
