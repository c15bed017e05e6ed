import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Ollama } from 'ollama';
import { certificateProblem } from '../util/certificate-problem.ts';
import { MAX_TIMER_MS } from '../util/durations.ts';
import { shortText } from '../util/short-text.ts';
import { ModelError, OllamaNotRespondingError } from './model-error.ts';
import { parseReplyObject, readExcerpt, readLines, readText, type StreamLimits } from './ollama-body.ts';
import { type AskedFor, errorIn, httpError, replyError } from './ollama-error.ts';
import { isLoopbackAddress, type OllamaHost } from './ollama-host.ts';
import {
  createHttpTransport,
  type Exchange,
  ExchangeError,
  exchange,
  type HttpResponse,
  type HttpTransport,
} from './ollama-http.ts';
import { ServerFacts } from './server-facts.ts';

/** Max response sizes and timeouts. Every field has a default. */
export interface OllamaLimits extends StreamLimits {
  /** Max size of a reply: of a body that is read as a whole, or of the model's output in a streamed one. */
  maxResponseBytes: number;
  connectTimeoutMs: number;
  /** How long to check whether the server is idle after an aborted call. */
  idleWithinMs: number;
  /** Timeout of a slot probe, without the time that a free slot needs to tokenize the prompt. */
  slotAnswerMs: number;
  /** How long Ollama waits for a sign of life from a runner before it replaces the runner (OL25). */
  runnerAnswerMs: number;
}

export const DEFAULT_LIMITS: OllamaLimits = {
  // Ollama sends a native call with all of its arguments in one line, so a line may be as long as a reply.
  maxLineBytes: 8 * 1024 * 1024,
  maxResponseBytes: 8 * 1024 * 1024,
  // Ollama sends about 150 bytes around each token, so this is enough for any reply of `maxResponseBytes`.
  maxStreamBytes: 256 * 1024 * 1024,
  connectTimeoutMs: 5_000,
  idleWithinMs: 1000,
  slotAnswerMs: 1500,
  runnerAnswerMs: 10_000,
};

/** Large enough to recognize any Ollama error; the message shows 500 characters. */
const ERROR_BODY_BYTES = 64 * 1024;

/** Error of an HTTP date: half a second of rounding, plus the response time. */
const DATE_ERROR_MS = 600;

/** Timeout of the request that distinguishes a slow server from an unresponsive one. It does not involve a model. */
const VERSION_WITHIN_MS = 2000;

export interface OllamaConnection {
  readonly host: OllamaHost;
  readonly limits: OllamaLimits;
  readonly transport: HttpTransport;
  /** What the server reported in the last seconds; forgotten when a connection fails or a model is missing. */
  readonly facts: ServerFacts;
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
}

/** The means to make a request. */
export interface OllamaCall {
  /** For everything except model replies and the queries of each run or call before them. */
  client: Ollama;
  /** For paths that the client lacks. */
  getText(path: string): Promise<string>;
  /** Reads an object that is not an error, at two thirds of the cost of the client. */
  get(path: string): Promise<Record<string, unknown>>;
  /** Posts JSON and reads the reply, an object that is not an error. */
  post(path: string, json: readonly Buffer[]): Promise<Record<string, unknown>>;
  /**
   * Posts JSON and reads the reply line by line, each an object that is not an error, until `take` says that a line is
   * the last. A reply that ends earlier was cut off: by a crash, or by Ollama itself, which stops a model that repeats
   * the same piece thirty times.
   */
  postForLines(
    path: string,
    json: readonly Buffer[],
    take: (line: Record<string, unknown>) => 'last' | 'more',
  ): Promise<void>;
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
    facts: new ServerFacts(),
    runnerKeys: new Map(),
    allowRemoteModels,
    transport: createHttpTransport(host.url, {
      connectTimeoutMs: all.connectTimeoutMs,
      lookup: host.loopback ? lookupLoopback : undefined,
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
 * Runs one or more requests under one deadline and one signal (K-38). When this returns, the connections of requests
 * that were not read to their end are closed. A stop takes precedence over the deadline, and both over errors from the
 * closing connection.
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

  const requests = new Requests(connection, options.asked ?? {});
  const outcome: { end?: 'stopped' | 'timeout' } = {};
  const end = (reason: 'stopped' | 'timeout') => {
    outcome.end ??= reason;
    requests.close();
  };
  const stop = () => end('stopped');
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end('timeout'), Math.min(options.timeoutMs, MAX_TIMER_MS));

  try {
    return await use(requests);
  } catch (cause) {
    if (outcome.end === 'stopped') throw aborted();
    if (outcome.end === 'timeout') throw await timeoutError(connection, options);
    const error = transportError(cause, connection.host);
    if (error && showsChange(error)) connection.facts.forget();
    throw error ?? cause;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    requests.close();
  }
}

/** Whether the server may have been restarted or upgraded, or a model has been removed. */
function showsChange({ kind, status }: ModelError): boolean {
  return kind === 'unreachable' || kind === 'cut_off' || status === 404;
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
    await callOllama(connection, asked, (call) => call.getText('/api/version'));
    return error;
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    const isAnswer = cause.kind !== 'unreachable' && cause.kind !== 'aborted';
    return isAnswer ? error : cause;
  }
}

/** The requests of one call: bounded, without redirects, with every body validated. */
class Requests implements OllamaCall {
  readonly #connection: OllamaConnection;
  readonly #asked: AskedFor;
  readonly #exchanges: Exchange[] = [];
  #isClosed = false;
  #client: Ollama | undefined;
  #answered: { date: string | undefined; at: number } | undefined;

  constructor(connection: OllamaConnection, asked: AskedFor) {
    this.#connection = connection;
    this.#asked = asked;
  }

  get client(): Ollama {
    this.#client ??= new Ollama({
      host: this.#connection.host.url,
      fetch: async (input, init) => {
        const body = typeof init?.body === 'string' ? [Buffer.from(init.body)] : undefined;
        const response = await this.#send(init?.method ?? 'GET', String(input), body);
        const text = await this.#readWhole(response);
        this.#checked(text); // the client parses it again, but reports errors in its own way
        return new Response(text, { headers: { 'content-type': 'application/json' } });
      },
    });
    return this.#client;
  }

  async getText(path: string): Promise<string> {
    return this.#readWhole(await this.#send('GET', this.#url(path)));
  }

  async get(path: string): Promise<Record<string, unknown>> {
    return this.#checked(await this.getText(path));
  }

  async post(path: string, json: readonly Buffer[]): Promise<Record<string, unknown>> {
    return this.#checked(await this.#readWhole(await this.#send('POST', this.#url(path), json)));
  }

  async postForLines(
    path: string,
    json: readonly Buffer[],
    take: (line: Record<string, unknown>) => 'last' | 'more',
  ) {
    const response = await this.#send('POST', this.#url(path), json);
    let isComplete = false;
    await readLines(response.body, this.#connection.limits, (text) => {
      isComplete = take(this.#checked(text)) === 'last';
      return !isComplete;
    });
    if (!isComplete) throw cutOff('without its last line');
    response.skipRest();
  }

  serverTimeMs(): number {
    return this.#answered ? serverTime(this.#answered) : Date.now();
  }

  /** Closes the connections of what has not been read to its end; no further request is sent. */
  close(): void {
    this.#isClosed = true;
    for (const { close } of this.#exchanges) close();
  }

  #url(path: string): string {
    return `${this.#connection.host.url}${path}`;
  }

  async #send(method: string, url: string, body?: readonly Buffer[]): Promise<HttpResponse> {
    if (this.#isClosed) throw aborted();
    const started = exchange(this.#connection.transport, { url, method, body });
    this.#exchanges.push(started);
    const response = await started.response;
    this.#answered = { date: response.header('date'), at: Date.now() };
    const { status } = response;
    if (REDIRECTS.has(status))
      throw redirected(this.#connection.host, url, response.header('location') ?? '');
    if (status !== 200)
      throw httpError(status, await readExcerpt(response.body, ERROR_BODY_BYTES), this.#asked);
    return response;
  }

  #readWhole(response: HttpResponse): Promise<string> {
    return readText(response.body, this.#connection.limits.maxResponseBytes);
  }

  /** @throws {ModelError} for a text that is not an object, or an object that is an error */
  #checked(text: string): Record<string, unknown> {
    const object = parseReplyObject(text);
    const error = errorIn(object);
    if (error !== undefined) throw replyError(error, this.#asked);
    return object;
  }
}

/**
 * The server's clock from the date of its response; it may be another machine even behind a local address. The date
 * has whole seconds, so if it agrees with the local clock, the local one is used for precision.
 */
function serverTime({ date, at: ours }: { date: string | undefined; at: number }): number {
  const theirs = Date.parse(date ?? '') + 500;
  return Math.abs(theirs - ours) <= DATE_ERROR_MS || Number.isNaN(theirs) ? ours : theirs;
}

/** The error for a reply that ended early. */
export function cutOff(how: string, cause?: unknown): ModelError {
  return new ModelError({
    kind: 'cut_off',
    message: `Ollama's reply ended ${how}.`,
    hint: 'Ollama crashed, or stopped a model that repeats itself. Its log says which only with OLLAMA_DEBUG=1.',
    cause,
  });
}

export function aborted(): ModelError {
  return new ModelError({ kind: 'aborted', message: 'The model call was stopped.' });
}

/** What to do where the identity of a server could not be verified. */
export const CERTIFICATE_HINT =
  "Check OLLAMA_HOST. If the certificate is from your own authority, start Loupe with NODE_EXTRA_CA_CERTS=FILE, where FILE has the authority's certificate in PEM format.";

/** Max length of a redirect's target in an error message. */
const MAX_ADDRESS = 200;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
]);

/** Classifies a failed request; `undefined` if the error did not come from the network. */
function transportError(cause: unknown, host: OllamaHost): ModelError | undefined {
  if (cause instanceof ModelError) return cause;
  if (!(cause instanceof ExchangeError)) return undefined;
  const { code, inBody } = cause;
  if (inBody || code === 'ECONNRESET' || code === 'EPIPE') {
    return cutOff(`with a broken connection${code ? ` (${code})` : ''}`, cause);
  }
  if (code !== undefined && NOT_REACHED.has(code)) {
    return new ModelError({
      kind: 'unreachable',
      message: `Cannot connect to Ollama at ${host.url} (${code}).`,
      hint: 'Is Ollama running? Start it with: ollama serve',
      cause,
    });
  }
  const certificate = certificateProblem(cause);
  if (certificate !== undefined) {
    return new ModelError({
      kind: 'bad_response',
      message: `Cannot connect to Ollama at ${host.url} (${certificate}).`,
      hint: CERTIFICATE_HINT,
      transient: false,
      cause,
    });
  }
  return new NotOllamaError(host, cause.message, { cause });
}

/** The program at the address does not speak Ollama's protocol, or redirects elsewhere. */
export class NotOllamaError extends ModelError {
  constructor({ url }: OllamaHost, why: string, options: { hint?: string; cause?: unknown } = {}) {
    super({
      kind: 'bad_response',
      message: `The server at ${url} is not Ollama (${why}).`,
      hint: 'Check OLLAMA_HOST.',
      ...options,
      transient: false,
    });
    this.name = 'NotOllamaError';
  }
}

/** Names where a redirect leads: a proxy may send plain HTTP to HTTPS, or have moved. @param url of the request */
function redirected(host: OllamaHost, url: string, location: string): NotOllamaError {
  const target = URL.parse(location, url);
  const path = url.slice(host.url.length);
  const base = target?.protocol.startsWith('http') ? `${target.origin}${target.pathname}` : undefined;
  const address = base?.endsWith(path) ? base.slice(0, -path.length) : base;
  const where = address ? `to ${shortText(address, MAX_ADDRESS)}` : 'elsewhere';
  return new NotOllamaError(host, `it redirects ${where}`, {
    hint: 'Redirects are not followed. If Ollama is there, set OLLAMA_HOST to that address.',
  });
}
