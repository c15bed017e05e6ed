import type * as Sdk from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { McpServer } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import type { AskOperator } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import { CallClock } from './call-clock.ts';
import { CallMessages, type KeptMessages } from './call-messages.ts';
import { CallRequests, type RequestCounts } from './call-requests.ts';
import type { RawCallResult } from './call-result.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import { callHint, errorWords, isAnswer, isUnanswered } from './error-words.ts';
import { isUnsent, SESSION_ENDED } from './http-transport.ts';
import {
  LIST_TIMEOUT_MS,
  MAX_INSTRUCTIONS_CHARS,
  MAX_NAME_CHARS,
  MAX_PAGES,
  MAX_TOOLS,
  START_TIMEOUT_MS,
  STDERR_SHOWN_CHARS,
} from './limits.ts';
import { type ConnectionParts, type Link, linkTo } from './link.ts';
import { AnswerTimeoutError } from './lost-answer.ts';
import { missingResult, sentInstead } from './missing-result.ts';
import type { StrayCounts } from './pending-requests.ts';
import { resolveReferences } from './references.ts';
import { loadSdk } from './sdk.ts';
import { SecretMask } from './secrets.ts';
import { type ListedTool, readTools, type ServerTool } from './tool-definition.ts';

/** A server's description of itself, cleaned and masked. */
export interface ServerInfo {
  name: string;
  version: string;
  protocol: string;
  instructions?: string;
}

/** How long to wait for the end of a server that could not be started, in milliseconds. */
const END_GRACE_MS = 1000;

/** Callbacks of a connection. */
export interface ConnectionEvents {
  /** The list of tools changed. */
  onTools?: () => void;
  /** The server ended on its own, with the reason. */
  onEnd?: (problem: string) => void;
}

/** A page of a list. */
interface Page {
  entries: readonly unknown[];
  nextCursor?: string | undefined;
}

/** Finds the entries in a page of a list. @param name the field that holds them */
export function pageOf(name: string): z.ZodType<Page> {
  return z.looseObject({ [name]: z.array(z.unknown()) }).transform((page) => ({
    entries: z.array(z.unknown()).parse(page[name]),
    // Some servers write `null` on the last page.
    nextCursor: z.string().optional().catch(undefined).parse(page.nextCursor),
  }));
}

/** Options and callbacks of a tool call. */
export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** Answers the server's requests during the call. Missing if nobody can. */
  ask?: AskOperator | undefined;
  /** Receives the server's progress and messages, one line each. */
  onOutput?: ((text: string) => void) | undefined;
  /** Receives the last messages when the call has ended in any way. */
  onMessages?: ((kept: KeptMessages) => void) | undefined;
}

/** The outcome of a call. */
export interface CallOutcome {
  raw: RawCallResult;
  counts: RequestCounts;
}

type SdkClient = InstanceType<typeof Sdk.Client>;

/** A connected server. Every text from it is untrusted and passes through `mask`. */
export class Connection {
  readonly info: ServerInfo;
  readonly mask: SecretMask;
  readonly #name: string;
  readonly #client: SdkClient;
  readonly #link: Link;
  readonly #requests: CallRequests;
  /** The messages of the call in progress. */
  #messages: CallMessages | undefined;
  #ended = false;

  private constructor(options: {
    name: string;
    info: ServerInfo;
    mask: SecretMask;
    client: SdkClient;
    link: Link;
    requests: CallRequests;
  }) {
    this.#name = options.name;
    this.info = options.info;
    this.mask = options.mask;
    this.#client = options.client;
    this.#link = options.link;
    this.#requests = options.requests;
  }

  /**
   * Starts a server, or connects to its address, and negotiates the protocol.
   *
   * @throws {AppError} `mcp_variable_missing`, `mcp_sign_in_needed`, `mcp_not_started` with the end of stderr in its
   *   message, and the errors of the sandbox
   */
  static async open(
    name: string,
    server: McpServer,
    parts: ConnectionParts,
    events: ConnectionEvents & { signal?: AbortSignal } = {},
  ): Promise<Connection> {
    const resolved = resolveReferences(name, server, parts.environment);
    const mask = new SecretMask(resolved.secrets);
    const sdk = await loadSdk();
    const link = linkTo(name, resolved, { parts, sdk, mask });
    const client = new sdk.Client({ name: 'loupe', version: '1' }, CLIENT_OPTIONS);
    const requests = new CallRequests(sdk, mask, parts.root);
    requests.handle(client);
    const before = link.pending.strays;
    const late = AbortSignal.timeout(START_TIMEOUT_MS);
    try {
      const limit = AbortSignal.any([late, ...(events.signal ? [events.signal] : [])]);
      await connect(client, link.transport, limit);
    } catch (error) {
      // A server that ends says why on its way out.
      await link.ended(END_GRACE_MS);
      const cause = late.aborted
        ? new AnswerTimeoutError(`It was not ready within ${START_TIMEOUT_MS / 1000} s.`)
        : error;
      const failure = notStarted(name, cause, { link, mask, before });
      await link.close().catch(() => undefined);
      throw failure;
    }
    const connection = new Connection({ name, mask, client, link, requests, info: infoOf(client, mask) });
    connection.#listen(events);
    return connection;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The end of what the server wrote to stderr; empty for a server at an address. */
  get stderr(): string {
    return shownStderr(this.#link, this.mask);
  }

  /** Why the server ended; `undefined` while it runs. */
  get problem(): string | undefined {
    return this.#link.problem() ?? (this.#ended ? 'The connection was closed.' : undefined);
  }

  #listen({ onTools, onEnd }: ConnectionEvents): void {
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => onTools?.());
    this.#client.setNotificationHandler('notifications/message', ({ params }) =>
      this.#messages?.message(params),
    );
    // Some servers send no log messages before a level is set.
    if (this.#client.getServerCapabilities()?.logging) {
      this.#client.setLoggingLevel('info', { timeout: LIST_TIMEOUT_MS }).catch(() => undefined);
    }
    this.#client.onclose = () => {
      this.#ended = true;
      const problem = this.#link.problem();
      if (problem !== undefined) onEnd?.(problem);
    };
  }

  /** Whether the server declares a capability: `tools`, `prompts`, `resources`. */
  has(capability: 'tools' | 'prompts' | 'resources'): boolean {
    return this.#client.getServerCapabilities()?.[capability] !== undefined;
  }

  /** The server's tools, page by page and within limits. @throws {AppError} `mcp_bad_answer` */
  async listTools(signal?: AbortSignal): Promise<ServerTool[]> {
    if (!this.has('tools')) return [];
    const listed = await this.list({ method: 'tools/list', page: TOOL_PAGE, max: MAX_TOOLS, signal });
    const read: ListedTool[] = listed.flatMap((tool) => listedTool.safeParse(tool).data ?? []);
    // A server that runs no tasks is called without one, whatever its tools say.
    const runsTasks = this.#client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
    const tools = runsTasks ? read : read.map((tool) => ({ ...tool, execution: undefined }));
    return readTools(this.#name, tools, this.mask);
  }

  /**
   * A list of the server, page by page and within limits, also of time; its entries are not read.
   *
   * @param page finds the entries of a page
   * @throws {AppError} `mcp_bad_answer`
   */
  async list({
    method,
    page,
    max,
    signal,
  }: {
    method: string;
    page: z.ZodType<Page>;
    max: number;
    signal?: AbortSignal | undefined;
  }): Promise<unknown[]> {
    const listed: unknown[] = [];
    const seen = new Set<string>();
    const deadline = performance.now() + START_TIMEOUT_MS;
    let cursor: string | undefined;
    for (let count = 0; count < MAX_PAGES && listed.length < max; count++) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const what = `did not list its ${method.split('/')[0]}`;
      const { entries, nextCursor } = await this.ask({
        request: { method, ...params },
        answer: page,
        what,
        signal,
        timeoutMs: Math.max(1, Math.min(LIST_TIMEOUT_MS, deadline - performance.now())),
      });
      listed.push(...entries.slice(0, max - listed.length));
      cursor = nextCursor;
      if (cursor === undefined || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return listed;
  }

  /**
   * Any request that has no effects.
   *
   * @param what for the error message: what the server failed to do
   * @throws {AppError} `mcp_bad_answer`
   */
  async ask<Answer>({
    request,
    answer,
    what,
    signal,
    timeoutMs = LIST_TIMEOUT_MS,
  }: {
    request: { method: string; params?: Record<string, unknown> };
    answer: z.ZodType<Answer>;
    what: string;
    signal?: AbortSignal | undefined;
    timeoutMs?: number;
  }): Promise<Answer> {
    const before = this.#link.pending.strays;
    try {
      const options = { timeout: timeoutMs, ...(signal && { signal }) };
      const raw = await this.#client.request(request, ANY_RESULT, options);
      const read = answer.safeParse(raw);
      if (read.success) return read.data;
      const instead = sentInstead(raw, this.mask);
      if (instead === undefined)
        throw new Error(`Invalid result for ${request.method}: ${read.error.message}`);
      throw new AppError({ code: 'mcp_bad_answer', message: instead, hint: INSTEAD_HINT });
    } catch (error) {
      throw this.#failed('mcp_bad_answer', what, { cause: error, before });
    }
  }

  /**
   * Calls a tool. A stop also cancels the call at the server. The time limit is paused while the operator is asked on
   * the server's behalf.
   *
   * @throws {AppError} `mcp_call_failed` if no result came: the call may have run, unless the server was not reached
   */
  async call(tool: string, args: JsonObject, options: CallOptions): Promise<CallOutcome> {
    using clock = new CallClock(options.timeoutMs);
    const signal = AbortSignal.any([options.signal, clock.signal]);
    const messages = new CallMessages(this.mask, options.onOutput);
    this.#messages = messages;
    const current = { server: this.#name, ask: options.ask, clock, signal };
    const before = this.#link.pending.strays;
    try {
      const { value, counts } = await this.#requests.during(current, () =>
        this.#client.request({ method: 'tools/call', params: { name: tool, arguments: args } }, CALL_RESULT, {
          signal,
          timeout: NO_TIMEOUT_MS,
          onprogress: (progress) => messages.progress(progress),
        }),
      );
      const missing = missingResult(value, this.mask);
      if (missing !== undefined) throw new Error(missing);
      return { raw: value, counts };
    } catch (error) {
      options.signal.throwIfAborted();
      if (isAnswer(error)) throw this.#failed('mcp_refused', 'refused the call', { cause: error, before });
      const cause = clock.signal.aborted ? clock.signal.reason : error;
      const what = isUnsent(cause) ? 'could not be reached for the call' : 'did not answer the call';
      throw this.#failed('mcp_call_failed', what, { cause, before });
    } finally {
      if (this.#messages === messages) this.#messages = undefined;
      if (messages.kept.lines.length > 0) options.onMessages?.(messages.kept);
    }
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#link.close();
    await this.#client.close().catch(() => undefined);
  }

  /** @param options.before what had come when the wait for the answer began */
  #failed(code: string, what: string, { cause, before }: { cause: unknown; before: StrayCounts }): AppError {
    // The server refused the call before doing anything.
    const signIn = this.#link.signInProblem(cause);
    if (signIn) return signIn;
    if (cause instanceof AppError && cause.code === SESSION_ENDED) return this.#sessionEnded(what, cause);
    const why = failureWords(cause, { link: this.#link, mask: this.mask, before });
    const ownHint = cause instanceof AppError ? cause.hint : undefined;
    const hint = code === 'mcp_call_failed' ? callHint(cause) : ownHint;
    return new AppError({ code, message: `The server "${this.#name}" ${what}: ${why}`, hint, cause });
  }

  /** Ends the connection, so that the next use begins a new session. */
  #sessionEnded(what: string, cause: AppError): AppError {
    void this.close();
    return new AppError({
      code: cause.code,
      message: `The server "${this.#name}" ${what}: ${cause.message}`,
      hint: 'Nothing was carried out. Try again: that begins a new session.',
      cause,
    });
  }
}

/**
 * Negotiates the protocol. The library itself waits indefinitely for a server at an address to accept the notification
 * that ends the handshake; closing the transport ends that wait.
 *
 * @throws the reason of the signal
 */
async function connect(client: SdkClient, transport: Sdk.Transport, limit: AbortSignal): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
  await Promise.race([client.connect(transport, { timeout: START_TIMEOUT_MS, signal: limit }), aborted]);
}

/** Read by its own schema afterwards, so that what came instead of a result can be described. */
const ANY_RESULT = z.looseObject({});

/**
 * The minimal shape of a usable answer. The client's own schemas reject a whole answer for a single invalid part; here
 * the parts are read one by one.
 */
const TOOL_PAGE = pageOf('tools');
const listedTool = z.looseObject({
  name: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
});
const CALL_RESULT = z.looseObject({
  content: z.array(z.unknown()).nullish(),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional(),
});

const INSTEAD_HINT =
  'If the server has a setting that makes this unnecessary, change it in its configuration on the Tools page. Loupe answers requests of servers only during calls of tools in a run.';

/** The longest possible timer, because calls have their own clock. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const CLIENT_OPTIONS: Sdk.ClientOptions = {
  capabilities: CallRequests.capabilities,
  // The library would compile schemas into code in this thread; Loupe checks results itself in a separate
  // thread.
  jsonSchemaValidator: {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  },
};

function infoOf(client: SdkClient, mask: SecretMask): ServerInfo {
  const version = client.getServerVersion();
  const instructions = mask
    .text(cleanText(client.getInstructions() ?? '').text)
    .slice(0, MAX_INSTRUCTIONS_CHARS)
    .toWellFormed();
  return {
    name: cleanLine(version?.title ?? version?.name, MAX_NAME_CHARS, mask),
    version: cleanLine(version?.version, MAX_NAME_CHARS, mask),
    protocol: cleanLine(client.getNegotiatedProtocolVersion(), 50),
    ...(instructions === '' ? {} : { instructions }),
  };
}

function notStarted(
  name: string,
  cause: unknown,
  { link, mask, before }: { link: Link; mask: SecretMask; before: StrayCounts },
): AppError {
  const signIn = link.signInProblem(cause);
  if (signIn) return signIn;
  if (cause instanceof AppError) return cause;
  const why = failureWords(cause, { link, mask, before });
  const shown = { stderr: shownStderr(link, mask), hint: link.hint, cause };
  return new NotStartedError(`The server "${name}" ${link.failed}: ${why}`, shown);
}

/** Why a request failed, and, if its answer never came, what came instead. */
function failureWords(
  cause: unknown,
  { link, mask, before }: { link: Link; mask: SecretMask; before: StrayCounts },
): string {
  const why = link.problem() ?? errorWords(cause, mask);
  const came = isUnanswered(cause) ? link.pending.since(before, mask) : '';
  return came === '' ? why : `${why} ${came}`;
}

/** The error for a server that could not be started, with the end of its stderr. */
export class NotStartedError extends AppError {
  readonly stderr: string;

  constructor(message: string, { stderr, hint, cause }: { stderr: string; hint: string; cause: unknown }) {
    super({ code: 'mcp_not_started', message, hint, cause });
    this.stderr = stderr;
  }
}

function shownStderr(link: Link, mask: SecretMask): string {
  return mask.text(cleanText(link.stderr()).text).trim().slice(-STDERR_SHOWN_CHARS).toWellFormed();
}
