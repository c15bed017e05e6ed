import { z } from 'zod';
import type { ErrorReply } from '../api/error-reply.ts';
import { AppError } from '../errors/app-error.ts';
import { IMAGE_LIMITS, MAX_BODY_BYTES, MAX_SUITE_BYTES } from '../events/limits.ts';
import { MAX_RUN_FILE_BYTES } from '../sharing/exports/run-file.ts';
import { errorMessage } from '../util/error-message.ts';
import { isShallow } from '../util/json.ts';
import { namesInSchema } from '../util/names-in-schema.ts';
import { wholeNumberIn } from '../util/numbers.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { getGate } from './current-gate.ts';
import { endOnSignOut } from './end-on-sign-out.ts';
import { factsOfRequest, isRead } from './gate.ts';
import { isAppError, statusOf } from './http-error.ts';
import { checkParameters, type QueryParameters } from './query-parameters.ts';

/** A suite file in a JSON body, where quotes and line breaks take two bytes. */
const MAX_SUITE_BODY_BYTES = 2 * MAX_SUITE_BYTES + 65_536;
/** A task or a message with images in base64. */
const MAX_IMAGES_BODY_BYTES = MAX_BODY_BYTES + Math.ceil((IMAGE_LIMITS.max_attached_bytes * 4) / 3);
/**
 * Levels of nesting in a JSON body: thousands overflow the stack of whatever reads them by recursion. A body can wrap
 * arguments from a model's reply, which has at most 200.
 */
const MAX_BODY_LEVELS = 250;
/** The only path that accepts a file. */
const IMPORT_PATH = '/api/import';

/** Maximum body size of a path in bytes. */
export function bodyLimit(pathname: string): number {
  return bodyRule(pathname).maxBytes;
}

/** The error for a body that is larger than its path accepts. */
export function bodyTooLarge(pathname: string): AppError {
  const { what, maxBytes, hint } = bodyRule(pathname);
  return new AppError({
    code: 'body_too_large',
    message: `The ${what} is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`,
    ...(hint !== undefined && { hint }),
  });
}

/** The error for a path of the API that does not exist. */
export function noSuchEndpoint(method: string, path: string): AppError {
  return new AppError({
    code: 'not_found',
    message: `No such endpoint: ${method} ${path.slice(0, 200)}.`,
    hint: 'docs/api.md lists the paths, which begin with /api/ and are case-sensitive.',
  });
}

function bodyRule(pathname: string): { what: string; maxBytes: number; hint?: string } {
  if (pathname === IMPORT_PATH) return { what: 'file', maxBytes: MAX_RUN_FILE_BYTES };
  if (/^\/api\/runs(?:\/[^/]+\/messages)?$/.test(pathname)) {
    const hint = 'Attach fewer or smaller images, and put long texts into files in the workspace.';
    return { what: 'body', maxBytes: MAX_IMAGES_BODY_BYTES, hint };
  }
  // A plan is read together with the suite file that it names.
  if (/^\/api\/(?:suites(?:\/|$)|experiments\/read$)/.test(pathname)) {
    return { what: 'body', maxBytes: MAX_SUITE_BODY_BYTES, hint: 'Split the suite into smaller ones.' };
  }
  const hint = 'Put long texts into files in the workspace.';
  return { what: 'body', maxBytes: MAX_BODY_BYTES, hint };
}

/**
 * Wraps every route handler: checks the gate first, and converts errors to a status and `{error: {code, message, hint}}`.
 *
 * @param work gets the sign-in of the calling browser; `undefined` for scripts
 * @param options.access `anyone` skips authentication, for signing in; host and origin are still checked
 * @param options.body the accepted content type: JSON, or JSON Lines for a file. HTML forms of other sites can send
 * neither. `none`: JSON without fields, as of every DELETE. `unread` accepts any, for work that reads neither body nor
 * parameters and changes nothing.
 * @param options.query, options.lists the query parameters that are accepted; none by default
 */
export async function handle(
  request: Request,
  work: (signInId: string | undefined) => Promise<Response> | Response,
  options: {
    access?: 'operator' | 'anyone';
    body?: keyof typeof BODY_TYPES | 'none' | 'unread';
  } & QueryParameters = {},
): Promise<Response> {
  try {
    const gate = getGate();
    const facts = factsOfRequest(request);
    gate.checkSource(facts);
    const signInId = options.access === 'anyone' ? undefined : await gate.checkOperator(facts);
    const { body = request.method === 'DELETE' ? 'none' : 'json' } = options;
    if (body !== 'unread') {
      if (!isRead(request.method)) requireType(request, body === 'none' ? 'json' : body);
      checkParameters(new URL(request.url).searchParams, options);
    }
    if (body === 'none') await readBody(request, NOTHING);
    const response = uncached(await work(signInId));
    return signInId === undefined ? response : endOnSignOut(response, () => gate.signIns.watch(signInId));
  } catch (error) {
    // The client is gone: the work was aborted because its request was.
    if (request.signal.aborted && error === request.signal.reason) return new Response(null, { status: 499 });
    return errorResponse(error);
  }
}

/** The error response. Errors other than AppError are logged and sent as `internal_error`. */
export function errorResponse(error: unknown): Response {
  const known = isAppError(error) ? error : undefined;
  const status = known ? statusOf(known) : 500;
  if (status === 500) console.error('A request failed:', error);
  const body: ErrorReply = {
    error: known
      ? { code: known.code, message: known.message, hint: known.hint }
      : {
          code: 'internal_error',
          message: 'Something went wrong in the server.',
          hint: "See the server's log.",
        },
  };
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="Loupe"';
  if (status === 429) headers['retry-after'] = '60';
  if (status === 503) headers['retry-after'] = '1';
  return uncached(Response.json(body, { status, headers }));
}

/**
 * Reads and validates a JSON body. An empty body counts as `{}`.
 *
 * @throws {AppError} `invalid_request` with every invalid field or for too many levels of nesting, `body_too_large`
 */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await readText(request);
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new AppError({
      code: 'invalid_request',
      message: `The body is not JSON: ${errorMessage(cause)}`,
      cause,
    });
  }
  if (!isShallow(value, MAX_BODY_LEVELS)) {
    throw new AppError({
      code: 'invalid_request',
      message: `The body is nested more than ${MAX_BODY_LEVELS} levels deep.`,
    });
  }
  return checked(schema, value);
}

/** @throws {AppError} `invalid_request` with every invalid field */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, IN_WORDS);
  if (result.success) return result.data;
  throw new AppError({
    code: 'invalid_request',
    message: describeFieldProblems(result.error.issues, 'body', {
      namesAt: (path) => namesInSchema(schema, path),
    }).join(' '),
    hint: 'docs/api.md lists the fields.',
  });
}

/** Parses a query parameter as a whole number. @throws {AppError} `invalid_request` */
export function wholeNumber(
  request: Request,
  name: string,
  range: { min: number; max: number },
): number | undefined {
  const text = new URL(request.url).searchParams.get(name);
  if (text === null) return undefined;
  const value = wholeNumberIn(text);
  if (value !== undefined && value >= range.min && value <= range.max) return value;
  throw new AppError({
    code: 'invalid_request',
    message: `${name} is "${text.slice(0, 40)}"; it must be a whole number from ${range.min} to ${range.max}.`,
  });
}

/** The key that makes a repeated request idempotent. @throws {AppError} `invalid_request` */
export function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key') ?? undefined;
  if (key === undefined || /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new AppError({
    code: 'invalid_request',
    message: 'Idempotency-Key must have 1 to 200 printable characters without spaces.',
  });
}

/** Parses a positive integer in a path. @throws {AppError} with the given code */
export function pathNumber(text: string, code: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new AppError({ code, message: `"${text.slice(0, 40)}" must be a positive integer.` });
}

const NOTHING = z.strictObject({});

const BODY_TYPES = { json: 'application/json', lines: 'application/x-ndjson' } as const;

function requireType(request: Request, kind: keyof typeof BODY_TYPES): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === BODY_TYPES[kind]) return;
  throw new AppError({
    code: 'unsupported_media_type',
    message: kind === 'json' ? 'The body must be JSON.' : 'The body must be JSON Lines.',
    hint: `Send "Content-Type: ${BODY_TYPES[kind]}".`,
  });
}

/**
 * Streams the body of a file upload.
 *
 * @throws {AppError} `body_too_large` if it exceeds the limit of a run file
 */
export async function* readFileBody(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > MAX_RUN_FILE_BYTES) throw bodyTooLarge(IMPORT_PATH);
    yield chunk;
  }
}

async function readText(request: Request): Promise<string> {
  const { pathname } = new URL(request.url);
  const maxBytes = bodyLimit(pathname);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw bodyTooLarge(pathname);
  if (!request.body) return '';
  const decoder = new TextDecoder();
  const reader = request.body.getReader();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw bodyTooLarge(pathname);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function uncached(response: Response): Response {
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
  return response;
}
