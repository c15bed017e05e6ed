import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { certificateProblem } from '../util/certificate-problem.ts';
import { errno } from '../util/errno.ts';
import { isSameInOllama } from '../util/model-name.ts';
import { quotedName } from '../util/short-text.ts';
import type { ModelDetails } from './chat-model.ts';
import { identifyServer } from './identify-server.ts';
import type { InstalledModel } from './installed-model.ts';
import {
  ModelError,
  ModelNotAvailableError,
  OllamaNotRespondingError,
  OllamaUnavailableError,
} from './model-error.ts';
import { nearestModel } from './nearest-model.ts';
import { parseError } from './ollama-body.ts';
import { CERTIFICATE_HINT, callOllama, NotOllamaError, type OllamaConnection } from './ollama-connection.ts';
import { psReply, showReply, tagsReply, versionReply } from './ollama-wire.ts';
import { MOMENT_MS, SHORT_WHILE_MS } from './recent-answers.ts';
import { readRemote } from './remote-model.ts';
import type { RunningModel } from './running-model.ts';

/** Timeouts of S1, S2 and related small requests. */
const PING_TIMEOUT_MS = 5_000;
const SHOW_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 10_000;
const UNLOAD_TIMEOUT_MS = 30_000;

/**
 * Asks whether an Ollama server answers: GET `/`, at most 5 s (S1).
 *
 * @throws {OllamaUnavailableError} a closed port, or something that is not Ollama
 * @throws {OllamaNotRespondingError} silence
 */
export async function ping(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<{ version?: string }> {
  const { url } = connection.host;
  const onTimeout = () =>
    new OllamaNotRespondingError({ url, detail: `no answer within ${PING_TIMEOUT_MS / 1000} s` });
  try {
    return await callOllama(
      connection,
      { signal, timeoutMs: PING_TIMEOUT_MS, onTimeout, isProbe: true },
      async (call) => {
        const [greeting, version] = await Promise.all([
          askGreeting(() => call.getText('/')),
          askVersion(() => call.client.version()),
        ]);
        if (version !== undefined) return { version };
        if (greeting instanceof ModelError) throw greeting;
        if (greeting.includes('Ollama is running')) return {};
        throw new ModelError({ kind: 'bad_response', message: 'something else answers there' });
      },
    );
  } catch (cause) {
    if (!(cause instanceof ModelError) || cause.kind === 'aborted') throw cause;
    if (cause instanceof OllamaUnavailableError) throw cause;
    if (cause.kind === 'unreachable')
      throw new OllamaUnavailableError({ url, detail: errno(cause.cause), cause });
    throw await notOllama(connection, cause, signal);
  }
}

/**
 * The error for a program that is not Ollama, or that refuses access to it; names other known model servers and how to
 * configure Ollama. Only a broken connection or a server error may pass, so a run does not wait for anything else.
 */
async function notOllama(
  connection: OllamaConnection,
  cause: ModelError,
  signal: AbortSignal | undefined,
): Promise<OllamaUnavailableError> {
  const { url } = connection.host;
  const { kind, status = 500, message } = cause;
  const transient = kind !== 'bad_response' && status >= 500;
  const certificate = certificateProblem(cause.cause);
  if (certificate !== undefined) {
    return new OllamaUnavailableError({ url, detail: certificate, hint: CERTIFICATE_HINT, transient, cause });
  }
  const other = await identifyServer(connection, signal);
  if (other !== undefined) {
    return new OllamaUnavailableError({
      url,
      detail: `${other} answers there`,
      hint: `This is ${other}; Loupe needs Ollama's native API (/api/chat). Start Ollama, and set OLLAMA_HOST to its address, usually 127.0.0.1:11434.`,
      transient: false,
      cause,
    });
  }
  if (transient) return new OllamaUnavailableError({ url, detail: causeOf(cause), cause });
  if (kind !== 'bad_response') {
    const refused = `Cannot connect to Ollama at ${url} (HTTP ${status}).`;
    return new OllamaUnavailableError({ url, message: refused, hint: cause.hint, transient, cause });
  }
  if (cause instanceof NotOllamaError) {
    return new OllamaUnavailableError({ url, message, hint: cause.hint, transient, cause });
  }
  return new OllamaUnavailableError({
    url,
    detail: 'something else answers there',
    hint: 'Check OLLAMA_HOST: another program uses this address.',
    transient,
    cause,
  });
}

/**
 * The greeting at `/`, or why there is none: a proxy may pass on only `/api`, and refuse or redirect everything else.
 *
 * @throws {ModelError} a failure of the server or of the connection
 */
async function askGreeting(ask: () => Promise<string>): Promise<string | ModelError> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    const { kind, status } = cause;
    const isRefused = status === undefined ? kind === 'bad_response' : status < 500;
    if (isRefused) return cause;
    throw cause;
  }
}

/** The version is optional: a server whose greeting is Ollama's is accepted without it. */
async function askVersion(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    const { version } = versionReply.parse(await ask());
    // Every page shows it, and every run keeps it.
    return version === undefined ? undefined : quotedName(version);
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
  const onTimeout = () =>
    new ModelNotAvailableError({ model, detail: `no answer within ${SHOW_TIMEOUT_MS / 1000} s` });
  try {
    const reply = await callOllama(
      connection,
      { signal, timeoutMs: SHOW_TIMEOUT_MS, onTimeout, asked: { model } },
      (call) => call.post('/api/show', [Buffer.from(JSON.stringify({ model }))]),
    );
    const read = checked(showReply, reply, '/api/show');
    const { capabilities, details, model_info, modelfile, template, ...told } = read;
    return {
      name: model,
      capabilities,
      maxContextTokens: contextLength(model_info ?? {}),
      family: details?.family,
      parameterSize: details?.parameter_size,
      quantization: details?.quantization_level,
      remote: readRemote(model, told),
      templateHash: template ? createHash('sha256').update(template).digest('hex') : undefined,
      runnerKey: modelfile === undefined ? undefined : runnerKeyIn(modelfile),
    };
  } catch (cause) {
    if (!(cause instanceof ModelError) || cause.status === undefined) throw cause;
    const { status, message, hint } = cause;
    throw new ModelNotAvailableError({
      model,
      status,
      detail: message,
      ...(cause.transient ? {} : { hint, transient: false }),
      nearest: cause.kind === 'model_missing' ? await installedLike(connection, model, signal) : undefined,
      cause,
    });
  }
}

/** The suggestion is optional: there is none without the list of models. */
async function installedLike(
  connection: OllamaConnection,
  model: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const installed = await listInstalled(connection, signal);
    return nearestModel(
      model,
      installed.map(({ name }) => name),
    );
  } catch (error) {
    if (error instanceof ModelError && error.kind !== 'aborted') return undefined;
    throw error;
  }
}

/**
 * `ping`, or its recent answer.
 *
 * @throws the errors of `ping`
 */
export function recentPing(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<{ version?: string }> {
  return connection.facts.pings.get('', () => ping(connection, signal), { signal });
}

/**
 * `show`, or its recent answer.
 *
 * @throws the errors of `show`
 */
export function recentDetails(
  connection: OllamaConnection,
  model: string,
  signal?: AbortSignal,
): Promise<ModelDetails> {
  return connection.facts.details.get(model, () => show(connection, model, signal), { signal });
}

/** `listInstalled`, or its recent answer. */
export function recentlyInstalled(
  connection: OllamaConnection,
  signal?: AbortSignal,
  maxAgeMs?: number,
): Promise<readonly InstalledModel[]> {
  return connection.facts.installed.get('', () => listInstalled(connection, signal), { signal, maxAgeMs });
}

/** `listRunning`, whose answer the next call of `recentlyRunning` reuses. */
export function listRunningAgain(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<readonly RunningModel[] | undefined> {
  return connection.facts.running.renew('', () => listRunning(connection, signal));
}

/** `listRunning`, or its answer of at most `MOMENT_MS` ago. */
export function recentlyRunning(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<readonly RunningModel[] | undefined> {
  const asked = { signal, maxAgeMs: MOMENT_MS };
  return connection.facts.running.get('', () => listRunning(connection, signal), asked);
}

/** `listInstalled`, whose answer the next calls of `recentlyInstalled` reuse. */
export function listAgain(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<readonly InstalledModel[]> {
  return connection.facts.installed.renew('', () => listInstalled(connection, signal));
}

/**
 * `recentDetails`, plus size and digest from the list of models if that is available.
 *
 * @throws the errors of `show`
 */
export async function showInstalled(
  connection: OllamaConnection,
  model: string,
  signal?: AbortSignal,
): Promise<ModelDetails> {
  const find = async (list: Promise<readonly InstalledModel[]>) => {
    try {
      return (await list).find((each) => isSameInOllama(each.name, model));
    } catch (error) {
      if (error instanceof ModelError && error.kind !== 'aborted') return undefined;
      throw error;
    }
  };
  const [details, listed] = await Promise.all([
    recentDetails(connection, model, signal),
    find(recentlyInstalled(connection, signal)),
  ]);
  // The server knows a model that the list lacks: it was installed since, unless the list is as recent as its details.
  const sinceDetails = (connection.facts.details.ageMs(model) ?? 0) + SHORT_WHILE_MS;
  const installed = listed ?? (await find(recentlyInstalled(connection, signal, sinceDetails)));
  return { ...details, digest: installed?.digest, sizeBytes: installed?.sizeBytes };
}

/**
 * The weights, adapters and projectors of a model, by the blobs named in the first lines of its Modelfile. Ollama keys
 * a runner by the weights, and reloads it where adapters or projectors differ (`server/sched.go`).
 *
 * @returns an empty text for a model without a file of weights (safetensors): it shares no runner; `undefined` if it is
 *   unknown
 */
export function runnerKeyIn(modelfile: string): string | undefined {
  const blobs: string[] = [];
  for (const line of modelfile.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, command, path = ''] = /^(FROM|ADAPTER)\b(.*)$/.exec(line) ?? [];
    if (command === undefined) break; // the rest is the author's text
    if (path.trim() === '') continue;
    const blob = /\bsha256-([0-9a-f]{64})\s*$/.exec(path)?.[1];
    if (blob === undefined) return undefined;
    blobs.push(`${command} ${blob}`);
  }
  return blobs.join('\n');
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
    { signal, timeoutMs: LIST_TIMEOUT_MS, onTimeout: () => late(connection, '/api/tags'), isProbe: true },
    (call) => call.get('/api/tags'),
  );
  return (checked(tagsReply, reply, '/api/tags').models ?? []).map((model) => ({
    name: model.name,
    digest: model.digest,
    sizeBytes: model.size,
    modifiedAt: model.modified_at,
    family: model.details?.family,
    parameterSize: model.details?.parameter_size,
    quantization: model.details?.quantization_level,
    format: model.details?.format,
    remote: readRemote(model.name, model),
  }));
}

/**
 * The models in memory, with their effective context length (OL6); `undefined` if the server has no such list, as in old
 * versions of Ollama and behind proxies that do not pass `/api/ps` on.
 */
export async function listRunning(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<RunningModel[] | undefined> {
  const answer = await callOllama(
    connection,
    { signal, timeoutMs: LIST_TIMEOUT_MS, onTimeout: () => late(connection, '/api/ps'), isProbe: true },
    async (call) => {
      // Caught here, because a 404 that leaves the call makes the connection forget what it knows of the server.
      const reply = await call.get('/api/ps').catch(unlessNotFound);
      return reply && { reply, serverTimeMs: call.serverTimeMs() };
    },
  );
  if (!answer) return undefined;
  const { reply, serverTimeMs } = answer;
  return (checked(psReply, reply, '/api/ps').models ?? []).map((model) => ({
    name: model.name,
    digest: model.digest,
    sizeBytes: model.size,
    vramBytes: model.size_vram,
    contextTokens: model.context_length,
    expiresAt: model.expires_at,
    serverTimeMs,
    format: model.details?.format,
    family: model.details?.family,
    parameterSize: model.details?.parameter_size,
    quantization: model.details?.quantization_level,
  }));
}

function unlessNotFound(error: unknown): undefined {
  if (!(error instanceof ModelError) || error.status !== 404) throw error;
}

/**
 * Unloads a model: empty `messages` with `keep_alive: 0` (OL9). A reply being generated is finished first.
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
  try {
    await callOllama(
      connection,
      { signal, timeoutMs: UNLOAD_TIMEOUT_MS, onTimeout, asked: { model } },
      (call) => call.client.chat({ model, messages: [], keep_alive: 0, stream: false }),
    );
  } finally {
    connection.facts.running.forget();
  }
}

function late({ host }: OllamaConnection, path: string): ModelError {
  return new OllamaNotRespondingError({
    url: host.url,
    detail: `no answer to ${path} within ${LIST_TIMEOUT_MS / 1000} s`,
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
