import { randomBytes } from 'node:crypto';
import type { HandshakeReply } from '../api/replies.ts';
import { AppError } from '../errors/app-error.ts';
import { type Challenge, clientBearer, proofKey, sameText, serverProof } from './proof.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Maximum length of a handshake reply, in bytes. */
const MAX_REPLY_BYTES = 4096;

/**
 * Sends requests to a server only after the server has proved that it knows the operator token. The token itself is never
 * sent: another program at this address receives only a random number (docs/decisions/0033).
 */
export class ProvenServer {
  readonly #url: URL;
  readonly #token: string;
  #key: Buffer | undefined;
  #bearer: Promise<string | Response> | undefined;

  /** @param url `http:` or `https:`; only its origin is used */
  constructor({ url, token }: { url: string; token: string }) {
    this.#url = new URL(new URL(url).origin);
    // "localhost" may resolve to two addresses; another program could own one and relay to the other.
    if (this.#url.hostname === 'localhost') this.#url.hostname = '127.0.0.1';
    this.#token = token;
  }

  /**
   * `fetch` with this client's proof. An error response to the handshake is returned as is.
   *
   * @throws {AppError} `unauthorized` if the server did not prove itself
   * @throws {TypeError} from `fetch` if the server is unreachable
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const known = this.#bearer !== undefined;
    const answer = await this.#attempt(path, init);
    // The server was restarted, or the proof has expired.
    return answer.status === 401 && known && !init.signal?.aborted ? this.#attempt(path, init) : answer;
  }

  async #attempt(path: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted();
    this.#bearer ??= this.#handshake();
    const shared = this.#bearer;
    try {
      const bearer = await shared;
      if (bearer instanceof Response) {
        this.#forget(shared);
        return bearer.clone();
      }
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${bearer}`);
      const answer = await fetch(new URL(path, this.#url), { ...init, headers, redirect: 'error' });
      if (answer.status === 401) this.#forget(shared);
      return answer;
    } catch (error) {
      // Another program may listen here by the next request.
      this.#forget(shared);
      throw error;
    }
  }

  /** Voids a proof, unless another request has already replaced it. */
  #forget(bearer: Promise<string | Response>): void {
    if (this.#bearer === bearer) this.#bearer = undefined;
  }

  async #handshake(): Promise<string | Response> {
    const clientNonce = randomBytes(32).toString('base64url');
    const answer = await fetch(new URL(`/api/handshake?nonce=${clientNonce}`, this.#url), {
      redirect: 'error',
      signal: AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS),
    });
    if (answer.status === 503) return answer;
    const reply = answer.ok ? replyOf(await shortText(answer)) : undefined;
    if (reply === undefined) {
      await answer.body?.cancel();
      throw this.#unproven();
    }
    const challenge: Challenge = { clientNonce, serverNonce: reply.nonce, listener: reply.listener };
    this.#key ??= proofKey(this.#token);
    if (!sameText(reply.proof, serverProof(this.#key, challenge))) throw this.#unproven();
    if (!isListenerOf(this.#url, reply.listener)) throw this.#unproven();
    return clientBearer(this.#key, challenge);
  }

  #unproven(): AppError {
    return new AppError({
      code: 'unauthorized',
      message: `The server at ${this.#url.origin} did not prove that it knows the operator token. No request was sent to it.`,
      hint: 'Check LOUPE_TOKEN and LOUPE_DATA_DIR. If they are right, another program listens at this address.',
    });
  }
}

/** The body of a short response; `undefined` if it is too long. */
async function shortText(answer: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_REPLY_BYTES) return undefined;
  }
  return text;
}

function replyOf(text: string | undefined): HandshakeReply | undefined {
  let reply: unknown;
  try {
    reply = JSON.parse(text ?? '');
  } catch {
    return undefined; // not Loupe
  }
  return isHandshakeReply(reply) ? reply : undefined;
}

function isHandshakeReply(reply: unknown): reply is HandshakeReply {
  if (typeof reply !== 'object' || reply === null) return false;
  if (!('nonce' in reply && 'listener' in reply && 'proof' in reply)) return false;
  return [reply.nonce, reply.listener, reply.proof].every((part) => typeof part === 'string');
}

/**
 * Whether the server at `listener` is the one that `url` connects to directly, with no other program in between. Pure.
 *
 * @param listener `address:port` as the server knows it
 */
export function isListenerOf(url: URL, listener: string): boolean {
  const colon = listener.lastIndexOf(':');
  const address = listener.slice(0, colon);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (listener.slice(colon + 1) !== port) return false;
  if (url.hostname === '[::1]') return ['::1', '::'].includes(address);
  if (/^127\.\d+\.\d+\.\d+$/.test(url.hostname)) return [url.hostname, '0.0.0.0', '::'].includes(address);
  return true;
}
