import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Ollama } from 'ollama';
import { Agent, fetch as undiciFetch } from 'undici';
import { ModelError } from './model-error.ts';
import { type BodyLimits, parseReplyObject, readExcerpt, readLines, readText } from './ollama-body.ts';
import { type AskedFor, errorIn, httpError, replyError } from './ollama-error.ts';
import { isLoopbackAddress, type OllamaHost } from './ollama-host.ts';

/** How much of an answer is taken in, and how long connecting may take. Every field has a default. */
export interface OllamaLimits extends BodyLimits {
  connectTimeoutMs: number;
}

export const DEFAULT_LIMITS: OllamaLimits = {
  maxLineBytes: 1024 * 1024,
  maxResponseBytes: 8 * 1024 * 1024,
  connectTimeoutMs: 5_000,
};

/** Enough of an error page to recognise any error of Ollama; the message shows 500 characters of it. */
const ERROR_BODY_BYTES = 64 * 1024;

/** The half second by which an HTTP date can be off either way, and the way of the answer. */
const DATE_ERROR_MS = 600;

/** setTimeout fires at once above this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface OllamaConnection {
  readonly host: OllamaHost;
  readonly limits: OllamaLimits;
  readonly dispatcher: Agent;
  /** What the server said of itself, until a connection failed or a model was gone: it may have been upgraded since. */
  readonly known: { version?: string };
}

/** One exchange: who may end it, how long it may last, and what it is about. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs: number;
  /** The error of an exchange that took longer than `timeoutMs`. */
  onTimeout: () => ModelError;
  asked?: AskedFor;
  /** The reply comes as lines. Decided by what was asked, never by the content type of what came. */
  streamed?: boolean;
  /** Whether a line is the last of a streamed reply. Default: the one that says `done`. */
  isLast?: (line: Record<string, unknown>) => boolean;
}

/** What an exchange is done with: the `ollama` client, and a plain GET for the paths that it lacks. */
export interface OllamaCall {
  client: Ollama;
  getText(path: string): Promise<string>;
  /** The server's clock at its last answer, in milliseconds since 1970. */
  serverTimeMs(): number;
}

/** Prepares calls to one Ollama server. Opens nothing by itself. */
export function connectOllama(host: OllamaHost, limits: Partial<OllamaLimits> = {}): OllamaConnection {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return {
    host,
    limits: all,
    known: {},
    dispatcher: new Agent({
      // The deadline of the call is the only clock. With undici's own (300 s until the headers) a long generation
      // with `stream: false` always dies, as its headers come last.
      headersTimeout: 0,
      bodyTimeout: 0,
      // One socket per call: a socket kept open across a restart of Ollama would fail the next call for nothing.
      pipelining: 0,
      connect: { timeout: all.connectTimeoutMs, lookup: host.loopback ? lookupLoopback : undefined },
    }),
  };
}

/** A name that stands for this machine must also resolve to it. */
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
 * Runs one exchange with an AbortSignal of its own: the client's own `abort` ends all its streams and no plain request
 * (K-38). Whatever the outcome, the socket is closed when this returns. The stop wins over the deadline, and both win
 * over what the closing socket reports.
 *
 * @throws {ModelError} whatever went wrong on the way; other errors are bugs and pass unchanged
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
    if (outcome.end === 'timeout') throw options.onTimeout();
    const error = transportError(cause, connection.host);
    if (error?.kind === 'unreachable' || error?.kind === 'cut_off') connection.known.version = undefined;
    throw error ?? cause;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    controller.abort();
  }
}

/** The fetch that the `ollama` client gets: bounded, never redirected, and every body checked before it is passed on. */
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
 * The clock of a server, which may be another machine also behind an address of this one, by the date of its answer. That has
 * whole seconds: where it agrees with the clock here, that one is finer.
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
 * Passes on the lines of a streamed reply, each checked to be an object and no error, up to the last.
 * A stream that ends without it was cut off: by a crash, or by Ollama itself, which stops a model that writes the same
 * piece thirty times in a row.
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

/** A reply that ended before it was complete. */
export function cutOff(how: string, cause?: unknown): ModelError {
  return new ModelError({
    kind: 'cut_off',
    message: `Ollama’s reply ended ${how}.`,
    hint: 'Ollama may have crashed, or stopped a model that repeats itself. Its log says which.',
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

/** What a failed fetch means; `undefined` when the error did not come from the network. */
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
