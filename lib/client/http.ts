import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PORT, defaultDataDir } from '../config/environment.ts';
import { AppError } from '../errors/app-error.ts';
import { ProvenServer } from '../handshake/proven-server.ts';
import { errno } from '../util/errno.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Address and token of a Loupe server. Missing values are read from the environment. */
export interface LoupeOptions {
  /** Default: LOUPE_URL, else port LOUPE_PORT (4120) on this machine. */
  url?: string;
  /** The operator token. Default: LOUPE_TOKEN, else the file `token` of the data directory. */
  token?: string;
  /** Default: `process.env`. */
  env?: Env;
}

/**
 * A client for the HTTP API of a running Loupe (docs/api.md). The server must prove that it knows the operator token
 * before anything is sent to it.
 */
export class LoupeHttp {
  readonly url: string;
  readonly #server: ProvenServer;

  /** @throws {AppError} `bad_url`; `not_signed_in` if there is no token */
  constructor({ url, token, env = process.env }: LoupeOptions) {
    const port = env.LOUPE_PORT?.trim() || DEFAULT_PORT;
    this.url = readUrl(url ?? (env.LOUPE_URL || `http://127.0.0.1:${port}`));
    this.#server = new ProvenServer({ url: this.url, token: token ?? readToken(env) });
  }

  /** `GET`, or `POST` if there is a body. */
  async json<Reply>(
    path: string,
    body?: unknown,
    { signal, idempotencyKey }: { signal?: AbortSignal; idempotencyKey?: string } = {},
  ): Promise<Reply> {
    const answer = await this.request(path, { body, signal, idempotencyKey });
    // Not validated: a server of another version may have other fields and values than the types of lib/api.
    try {
      return (await answer.json()) as Reply;
    } catch (error) {
      signal?.throwIfAborted();
      throw isLostAnswer(error) ? this.#lost(error) : error;
    }
  }

  async request(
    path: string,
    {
      method,
      body,
      file,
      signal,
      idempotencyKey,
    }: {
      method?: 'PATCH' | 'DELETE';
      body?: unknown;
      file?: Blob;
      signal?: AbortSignal;
      idempotencyKey?: string;
    },
  ): Promise<Response> {
    let answer: Response;
    try {
      answer = await this.#server.fetch(path, {
        method: method ?? (body === undefined && file === undefined ? 'GET' : 'POST'),
        headers: {
          // The server takes every change but a file as JSON, also one without a body.
          ...(body === undefined && method === undefined ? {} : { 'content-type': 'application/json' }),
          ...(file === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: file ?? (body === undefined ? undefined : JSON.stringify(body)),
        signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AppError) throw error;
      throw new AppError({
        code: 'unreachable',
        message: `Loupe does not answer at ${this.url}.`,
        hint: 'Start it with "npm start", or name its address with --url or LOUPE_URL.',
        cause: error,
      });
    }
    if (answer.ok) return answer;
    throw await refusalOf(answer);
  }

  #lost(cause: unknown): AppError {
    return new AppError({
      code: 'unreachable',
      message: `The connection to Loupe at ${this.url} broke before its answer was complete.`,
      hint: 'It may have been stopped or started again. Try again.',
      cause,
    });
  }
}

/** @throws {AppError} `empty_answer` */
export function bodyOf(answer: Response): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (!answer.body) throw new AppError({ code: 'empty_answer', message: 'Loupe sent an empty answer.' });
  return answer.body;
}

/** Longest wait between two attempts to reconnect, in milliseconds. */
const MAX_WAIT_MS = 8000;

/** A temporary refusal (503): the server is starting, stopping or overloaded. */
export class ForNow extends AppError {}

/** Whether a request may succeed once the server has been started again. */
export function isLostConnection(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === 'unreachable' || error instanceof ForNow;
}

/** Codes of an open connection that broke. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the connection broke before the answer had arrived: the server may have done what was asked. */
export function isLostAnswer(error: unknown): boolean {
  const failure = error instanceof AppError ? error.cause : error;
  return failure instanceof TypeError && BROKEN.has(errno(failure.cause) ?? '');
}

/** How long to wait before the next attempt to reconnect. @param tries attempts that have failed, from 0 */
export function reconnectWaitMs(tries: number): number {
  return Math.min(MAX_WAIT_MS, 250 * 2 ** tries);
}

/** Returns the error from the server's reply. */
async function refusalOf(answer: Response): Promise<AppError> {
  const text = await answer.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; hint?: string } };
    const Refusal = answer.status === 503 ? ForNow : AppError;
    return new Refusal({ code: error.code, message: error.message, hint: error.hint });
  } catch {
    return new AppError({
      code: 'not_loupe',
      message: `The answer of ${answer.url} (status ${answer.status}) is not from Loupe.`,
      hint: 'Check the address: --url or LOUPE_URL.',
    });
  }
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError({
      code: 'bad_url',
      message: `"${text}" is not a valid Loupe address.`,
      hint: `Use an address like http://127.0.0.1:${DEFAULT_PORT} for --url or LOUPE_URL, and a number for LOUPE_PORT.`,
    });
  }
  return url.origin;
}

/**
 * The operator token: LOUPE_TOKEN, or the token in the server's data directory.
 *
 * @throws {AppError} `not_signed_in`
 */
export function readToken(env: Env): string {
  if (env.LOUPE_TOKEN) return env.LOUPE_TOKEN;
  const path = join(env.LOUPE_DATA_DIR || defaultDataDir(env), 'token');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new AppError({
      code: 'not_signed_in',
      message: `There is no operator token: LOUPE_TOKEN is not set and ${path} cannot be read.`,
      hint: 'Start Loupe once with "npm start", or set LOUPE_TOKEN.',
      cause: error,
    });
  }
}
