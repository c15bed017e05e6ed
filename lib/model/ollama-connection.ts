import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Ollama } from 'ollama';
import { Agent, fetch as undiciFetch } from 'undici';
import { ModelError, OllamaNotRespondingError } from './model-error.ts';
import { type BodyLimits, parseReplyObject, readExcerpt, readLines, readText } from './ollama-body.ts';
import { type AskedFor, errorIn, httpError, replyError } from './ollama-error.ts';
import { isLoopbackAddress, type OllamaHost } from './ollama-host.ts';

/** Max response sizes and timeouts. Every field has a default. */
export interface OllamaLimits extends BodyLimits {
  connectTimeoutMs: number;
  /** How long to check whether the server is idle after an aborted call. */
  idleWithinMs: number;
  /** Timeout of a slot probe, without the time that a free slot needs to tokenize the prompt. */
  slotAnswerMs: number;
}

export const DEFAULT_LIMITS: OllamaLimits = {
  maxLineBytes: 1024 * 1024,
  maxResponseBytes: 8 * 1024 * 1024,
  connectTimeoutMs: 5_000,
  idleWithinMs: 1000,
  slotAnswerMs: 1500,
};

/** Large enough to recognise any Ollama error; the message shows 500 characters. */
const ERROR_BODY_BYTES = 64 * 1024;

/** Error of an HTTP date: half a second of rounding, plus the response time. */
const DATE_ERROR_MS = 600;

/** Timeout of the request that distinguishes a slow server from an unresponsive one. It does not involve a model. */
const VERSION_WITHIN_MS = 2000;

/** setTimeout fires at once above this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface OllamaConnection {
  readonly host: OllamaHost;
  readonly limits: OllamaLimits;
  readonly dispatcher: Agent;
  /**
   * What the server reported about itself. Reset when a connection fails or a model is gone, since it may have been
   * upgraded.
   */
  readonly known: { version?: string };
  /** Runner keys of Ollama's scheduler, by manifest digest. */
  readonly runnerKeys: Map<string, string>;
  /** Whether to allow models that Ollama forwards to another machine. */
  readonly allowRemoteModels: boolean;
}

/** Options of one request: cancellation, timeout and context for errors. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs: number;
  /** Creates the error when `timeoutMs` has passed. */
  onTimeout: () => ModelError;
  /** Whether a healthy server answers at once, so that a timeout needs no second probe. */
  isProbe?: boolean;
  asked?: AskedFor;
  /** Whether the reply is line-delimited. Depends on the request, never on the response's content type. */
  streamed?: boolean;
  /** Whether a line is the last of a streamed reply. Default: the one that says `done`. */
  isLast?: (line: Record<string, unknown>) => boolean;
}

/** The means to make a request: the `ollama` client, and a plain GET for paths it lacks. */
export interface OllamaCall {
  client: Ollama;
  getText(path: string): Promise<string>;
  /** The server's clock at its last response, in milliseconds since 1970. */
  serverTimeMs(): number;
}

/** Prepares calls to one Ollama server. Opens no connection by itself. */
export function connectOllama(
  host: OllamaHost,
  limits: Partial<OllamaLimits> = {},
  { allowRemoteModels = false }: { allowRemoteModels?: boolean } = {},
): OllamaConnection {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return {
    host,
    limits: all,
    known: {},
    runnerKeys: new Map(),
    allowRemoteModels,
    dispatcher: new Agent({
      // The deadline of the call is the only clock. With undici's own (300 s until the headers) a long generation
      // with `stream: false` always dies, as its headers come last.
      headersTimeout: 0,
      bodyTimeout: 0,
      // One socket per call: a kept-alive socket would fail the next call after a restart of Ollama.
      pipelining: 0,
      connect: { timeout: all.connectTimeoutMs, lookup: host.loopback ? lookupLoopback : undefined },
    }),
  };
}

/** A loopback host name must also resolve to a loopback address. */
const lookupLoopback: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const local = addresses.filter(({ address }) => isLoopbackAddress(address));
    const first = local[0];
    if (!first) {
      const refused: NodeJS.ErrnoException = new Error(`"${hostname}" does not resolve to this machine`);
      refused.code = 'ENOTFOUND';
      return callback(refused, []);
    }
    if (options.all) return callback(null, local);
    return callback(null, first.address, first.family);
  });
};

/**
 * Runs one request with its own AbortSignal: the client's `abort` ends all its streams, but no plain request (K-38).
 * The socket is always closed when this returns. A stop takes precedence over the deadline, and both over errors from
 * the closing socket.
 *
 * @throws {ModelError} for any communication failure; other errors are bugs and pass through unchanged
 */
export async function callOllama<T>(
  connection: OllamaConnection,
  options: CallOptions,
  use: (call: OllamaCall) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  if (signal?.aborted) throw aborted();

  const controller = new AbortController();
  const outcome: { end?: 'stopped' | 'timeout' } = {};
  const end = (reason: 'stopped' | 'timeout') => {
    outcome.end ??= reason;
    controller.abort();
  };
  const stop = () => end('stopped');
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end('timeout'), Math.min(options.timeoutMs, MAX_TIMER_MS));

  try {
    let serverTimeMs: number | undefined;
    const fetcher = boundedFetch(connection, controller.signal, options, (date) => {
      serverTimeMs = serverTime(date);
    });
    return await use({
      client: new Ollama({ host: connection.host.url, fetch: fetcher }),
      getText: async (path) => (await fetcher(`${connection.host.url}${path}`)).text(),
      serverTimeMs: () => serverTimeMs ?? Date.now(),
    });
  } catch (cause) {
    if (outcome.end === 'stopped') throw aborted();
    if (outcome.end === 'timeout') throw await timeoutError(connection, options);
    const error = transportError(cause, connection.host);
    if (error?.kind === 'unreachable' || error?.kind === 'cut_off') connection.known.version = undefined;
    throw error ?? cause;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    controller.abort();
  }
}

/** Distinguishes a slow server, which answers a probe, from one that does not respond at all. */
async function timeoutError(connection: OllamaConnection, options: CallOptions): Promise<ModelError> {
  const error = options.onTimeout();
  if (options.isProbe) return error;
  const silent = new OllamaNotRespondingError({
    url: connection.host.url,
    detail: `no complete reply within ${options.timeoutMs / 1000} s, and no answer to /api/version within ${VERSION_WITHIN_MS / 1000} s`,
    transient: false,
  });
  const asked = {
    signal: options.signal,
    timeoutMs: VERSION_WITHIN_MS,
    onTimeout: () => silent,
    isProbe: true,
  };
  try {
    await callOllama(connection, asked, ({ getText }) => getText('/api/version'));
    return error;
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    const isAnswer = cause.kind !== 'unreachable' && cause.kind !== 'aborted';
    return isAnswer ? error : cause;
  }
}

/** The `fetch` passed to the `ollama` client: bounded, without redirects, with every body validated. */
function boundedFetch(
  connection: OllamaConnection,
  signal: AbortSignal,
  { asked = {}, streamed = false, isLast = isDone }: CallOptions,
  onAnswer: (date: string | null) => void,
): typeof fetch {
  const { limits, dispatcher } = connection;
  return async (input, init) => {
    const url = String(input);
    const response = await undiciFetch(url, {
      method: init?.method ?? 'GET',
      body: typeof init?.body === 'string' ? init.body : undefined,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      redirect: 'error',
      signal,
      dispatcher,
    });
    onAnswer(response.headers.get('date'));
    const body: AsyncIterable<Uint8Array> = response.body ?? nothing();
    if (response.status !== 200) {
      throw httpError(response.status, await readExcerpt(body, ERROR_BODY_BYTES), asked);
    }
    const headers = { 'content-type': response.headers.get('content-type') ?? 'application/json' };
    if (streamed) return new Response(checkedLines(body, limits, asked, isLast), { headers });
    const text = await readText(body, limits.maxResponseBytes);
    if (url.includes('/api/')) {
      const error = errorIn(parseReplyObject(text));
      if (error !== undefined) throw replyError(error, asked);
    }
    return new Response(text, { headers });
  };
}

/**
 * The server's clock from the date of its response; it may be another machine even behind a local address. The date
 * has whole seconds, so if it agrees with the local clock, the local one is used for precision.
 */
function serverTime(date: string | null): number {
  const theirs = Date.parse(date ?? '') + 500;
  const ours = Date.now();
  return Math.abs(theirs - ours) <= DATE_ERROR_MS || Number.isNaN(theirs) ? ours : theirs;
}

function isDone(line: Record<string, unknown>): boolean {
  return line.done === true;
}

/**
 * Yields the lines of a streamed reply up to the last, each validated to be an object and not an error. A stream that
 * ends earlier was cut off: by a crash, or by Ollama itself, which stops a model that repeats the same piece thirty
 * times.
 */
function checkedLines(
  body: AsyncIterable<Uint8Array>,
  limits: BodyLimits,
  asked: AskedFor,
  isLast: (line: Record<string, unknown>) => boolean,
): ReadableStream<Uint8Array> {
  const lines = readLines(body, limits);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await lines.next();
      if (next.done) throw cutOff('without its last line');
      const line = parseReplyObject(next.value);
      const error = errorIn(line);
      if (error !== undefined) throw replyError(error, asked);
      controller.enqueue(encoder.encode(`${next.value}\n`));
      if (isLast(line)) controller.close();
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The error for a reply that ended early. */
export function cutOff(how: string, cause?: unknown): ModelError {
  return new ModelError({
    kind: 'cut_off',
    message: `Ollama’s reply ended ${how}.`,
    hint: 'Ollama crashed, or stopped a model that repeats itself. Its log tells which only with OLLAMA_DEBUG=1.',
    cause,
  });
}

export function aborted(): ModelError {
  return new ModelError({ kind: 'aborted', message: 'The model call was stopped.' });
}

const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Classifies a failed fetch; `undefined` if the error did not come from the network. */
function transportError(cause: unknown, host: OllamaHost): ModelError | undefined {
  if (cause instanceof ModelError) return cause;
  const code = codeOf(cause);
  if (code !== undefined && NOT_REACHED.has(code)) {
    return new ModelError({
      kind: 'unreachable',
      message: `Cannot connect to Ollama at ${host.url} (${code}).`,
      hint: 'Is Ollama running? Start it with: ollama serve',
      cause,
    });
  }
  if (code !== undefined && BROKEN_OFF.has(code)) return cutOff(`with a broken connection (${code})`, cause);
  if (cause instanceof TypeError && cause.message === 'terminated')
    return cutOff('with a broken connection', cause);
  if (cause instanceof TypeError && cause.message === 'fetch failed') {
    const why = cause.cause instanceof Error ? cause.cause.message : 'unknown reason';
    return new ModelError({
      kind: 'bad_response',
      message: `What answers at ${host.url} is not Ollama (${why}).`,
      hint: 'Check OLLAMA_HOST. Redirects are not followed.',
      transient: false,
      cause,
    });
  }
  return undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? undefined : codeOf(error.cause);
}
