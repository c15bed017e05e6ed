import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import type { HttpServer } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { certificateProblem } from '../util/certificate-problem.ts';
import { errno } from '../util/errno.ts';
import { FieldCounter } from '../util/field-counter.ts';
import { cleanLine } from './clean-text.ts';
import { CLOSE_GRACE_MS, MAX_MESSAGE_BYTES, MAX_UNANSWERED_REQUESTS } from './limits.ts';
import { ANSWER_LOST, STREAM_ENDED } from './lost-answer.ts';
import { PendingRequests } from './pending-requests.ts';
import { ReceivedResponse } from './received-response.ts';
import type { SecretMask } from './secrets.ts';
import type { ConnectionSignIn } from './sign-in/connection-sign-in.ts';
import { Traffic } from './traffic.ts';

/** The shortest delay before reconnecting, even if a server that ends its stream asks for less. */
const MIN_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 30_000;

/** The error code for a message in a session that the server has ended. The message had no effect. */
export const SESSION_ENDED = 'mcp_session_ended';

/** Whether a request failed before there was a connection that it could be sent on. @param error from `fetch` */
export function isUnsent(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : undefined;
  // The attempts to connect to each of several addresses.
  if (cause instanceof AggregateError) return true;
  const isConnecting =
    cause instanceof Error &&
    'syscall' in cause &&
    (cause.syscall === 'connect' || cause.syscall === 'getaddrinfo');
  return (
    isConnecting || errno(cause) === 'UND_ERR_CONNECT_TIMEOUT' || certificateProblem(cause) !== undefined
  );
}

/** A message that is being sent, with the last response to it. */
interface Exchange {
  response?: ReceivedResponse;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A connection to a server at an address (streamable HTTP). Requests go to exactly this address: redirects are refused,
 * and so are other addresses that the server names. An endless message or a flood of messages closes it.
 */
export class HttpConnection {
  readonly transport: Sdk.StreamableHTTPClientTransport;
  readonly #url: URL;
  readonly #mask: SecretMask;
  readonly #signIn: ConnectionSignIn | undefined;
  readonly #traffic = new Traffic();
  readonly pending = new PendingRequests();
  readonly #exchange = new AsyncLocalStorage<Exchange>();
  /** The requests whose response has not started; each has its own socket. */
  #unanswered = 0;
  #problem: string | undefined;

  /** @param options.signIn the source of its token */
  constructor(
    { url, headers }: HttpServer,
    { sdk, mask, signIn }: { sdk: typeof Sdk; mask: SecretMask; signIn: ConnectionSignIn | undefined },
  ) {
    this.#url = new URL(url);
    this.#mask = mask;
    this.#signIn = signIn;
    this.transport = new sdk.StreamableHTTPClientTransport(this.#url, {
      fetch: this.#fetch,
      ...(signIn && { authProvider: signIn }),
      requestInit: { headers },
      reconnectionScheduler: (reconnect, delayMs) => {
        const wait = Math.min(Math.max(delayMs, MIN_RECONNECT_MS), MAX_RECONNECT_MS);
        const timer = setTimeout(reconnect, wait).unref();
        return () => clearTimeout(timer);
      },
    });
    const send = this.transport.send.bind(this.transport);
    this.transport.send = (message, options) =>
      this.#send(message, () =>
        // The library's own requests do not listen for the end of their stream.
        send(message, { ...options, onRequestStreamEnd: () => this.#streamEnded(message) }),
      );
    // The client keeps handlers that are set before it connects.
    this.transport.onmessage = (message) => {
      if (this.#traffic.isFlood({ messages: 1 })) this.#stop('It sent too many messages in one second.');
      const problem = this.pending.received(message);
      if (problem !== undefined) this.#stop(problem);
    };
    this.transport.onerror = (error) => {
      const isEvent = this.#exchange.getStore()?.response?.isEvents ?? false;
      if (isEvent && error instanceof SyntaxError) this.pending.stray('event', error.message);
      else if (isEvent && 'issues' in error) this.pending.stray('event', '');
    };
  }

  /** Why the connection was closed; `undefined` if it was not, or by us. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Tells the server that its session ends, with a short timeout. */
  async close(): Promise<void> {
    await Promise.race([
      this.transport.terminateSession().catch(() => undefined),
      delay(CLOSE_GRACE_MS, undefined, { ref: false }),
    ]);
    await this.transport.close();
  }

  /**
   * Fails for a request whose response came and is not its answer, which the library waits for. “Sending Messages to the
   * Server” of the protocol's streamable HTTP transport demands the answer, or a stream of events.
   */
  async #send(sent: Sdk.JSONRPCMessage | Sdk.JSONRPCMessage[], send: () => Promise<void>): Promise<void> {
    const messages = [sent].flat();
    const ids = messages.flatMap((message) => ('id' in message && 'method' in message ? [message.id] : []));
    for (const message of messages) this.pending.sent(message);
    const exchange: Exchange = {};
    try {
      await this.#exchange.run(exchange, send);
    } catch (error) {
      for (const id of ids) this.pending.forget(id);
      // The library's error does not show what came.
      throw exchange.response?.isWhole ? new Error(exchange.response.problem(this.#mask)) : error;
    }
    if (exchange.response?.isWhole && ids.some((id) => this.pending.waitsFor(id))) {
      throw new Error(exchange.response.problem(this.#mask));
    }
  }

  /**
   * Ends the wait for the answer to a request whose stream has ended and is not resumed. The library ignores an answer that
   * it does not wait for.
   */
  #streamEnded(sent: Sdk.JSONRPCMessage | Sdk.JSONRPCMessage[]): void {
    for (const message of [sent].flat()) {
      if (!('id' in message && 'method' in message)) continue;
      const error = { code: ANSWER_LOST, message: STREAM_ENDED };
      this.transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
    }
  }

  #fetch: Fetch = async (asked, init) => {
    const address = new URL(asked);
    if (address.href !== this.#url.href) {
      throw new AppError({
        code: 'mcp_other_address',
        message: 'The server named another address, which was not contacted.',
      });
    }
    const response = await this.#answer(address, init);
    if (response.status >= 300 && response.status < 400) {
      // The error often repeats the address, whose query can contain a key.
      const location = cleanLine(response.headers.get('location'), 200, this.#mask);
      await response.body?.cancel();
      throw new AppError({
        code: 'mcp_redirect',
        message: `The server redirects to ${location || 'another address'}, which was not followed.`,
        hint: 'If you trust that address, enter it instead.',
      });
    }
    const received = new ReceivedResponse(response);
    const exchange = this.#exchange.getStore();
    // The stream for the server's own messages is opened while the end of the handshake is sent.
    if (exchange && init?.method === 'POST') exchange.response = received;
    const passed = this.#withinLimits(response, received);
    const token = bearerOf(init);
    if (response.status === 401 && token !== undefined) this.#signIn?.refused(passed, token);
    return isOfSession(init) && (passed.status === 404 || passed.status === 400)
      ? withSession(passed)
      : passed;
  };

  async #answer(address: URL, init: RequestInit | undefined): Promise<Response> {
    if (this.#unanswered >= MAX_UNANSWERED_REQUESTS) this.#stop('It does not respond to messages.');
    if (this.#problem !== undefined) throw new Error(this.#problem);
    this.#unanswered += 1;
    try {
      const { patientFetch } = await import('./patient-fetch.ts');
      return await patientFetch(address, { ...init, redirect: 'manual' });
    } finally {
      this.#unanswered -= 1;
    }
  }

  #withinLimits(response: Response, received: ReceivedResponse): Response {
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(this.#limited(received));
    return new Response(body, { status, statusText, headers });
  }

  /** Passes a body on as long as neither it nor, in a body of events, one of them exceeds the limits of a message. */
  #limited(received: ReceivedResponse): TransformStream<Uint8Array, Uint8Array> {
    let bytes = 0;
    let lineIsEmpty = true;
    const fields = new FieldCounter();
    const { isEvents } = received;
    return new TransformStream({
      transform: (chunk, controller) => {
        received.take(chunk);
        if (!isEvents) this.pending.unfinished('response', received.start);
        let tooMany: string | undefined;
        for (const byte of chunk) {
          bytes++;
          tooMany ??= fields.take(byte);
          if (byte === 0x0a) {
            // An empty line ends an event.
            if (lineIsEmpty && isEvents) {
              bytes = 0;
              fields.reset();
            }
            lineIsEmpty = true;
          } else if (byte !== 0x0d) lineIsEmpty = false;
        }
        if (bytes > MAX_MESSAGE_BYTES) {
          this.#stop(`It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`);
        } else if (tooMany !== undefined) {
          this.#stop(`It sent ${tooMany}.`);
        } else if (this.#traffic.isFlood({ bytes: chunk.length })) {
          this.#stop('It sent too much in one second.');
        }
        if (this.#problem === undefined) controller.enqueue(chunk);
        else controller.error(new Error(this.#problem));
      },
      flush: () => {
        received.complete();
        if (!isEvents) this.pending.finished();
      },
    });
  }

  #stop(problem: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    void this.transport.close();
  }
}

/** The token that a request was sent with. */
function bearerOf(init: RequestInit | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '')?.[1];
}

/** Whether a request is a message of a session. A server without a standalone stream may answer anything to `GET`. */
function isOfSession(init: RequestInit | undefined): boolean {
  return init?.method === 'POST' && new Headers(init.headers).has('mcp-session-id');
}

/**
 * The answer 404, if it is about an unknown method, or 400, if it does not name the session. Any other means that the
 * server has ended the session, as after a restart, and that a new one must begin: “Session Management” of the protocol's
 * streamable HTTP transport. It demands 404, but servers made after the examples of the TypeScript SDK answer 400
 * (https://github.com/modelcontextprotocol/typescript-sdk/pull/1707).
 *
 * @throws {AppError} `mcp_session_ended`
 */
async function withSession(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, statusText, headers } = response;
  const isInSession =
    status === 404 ? /"code"\s*:\s*-32601\b/.test(text) : !/session|not initialized/i.test(text);
  if (isInSession) return new Response(text, { status, statusText, headers });
  throw new AppError({ code: SESSION_ENDED, message: `Its session has ended (HTTP ${status}).` });
}
