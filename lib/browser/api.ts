import type { ErrorReply } from '../api/error-reply.ts';
import { ApiError, toApiError } from './api-error.ts';
import { keyHeader } from './sign-in-key.ts';

export { ApiError, toApiError };

/** `GET` a reply of Loupe's server as its documented type. @throws {ApiError} */
export function getJson<Reply>(path: string, signal?: AbortSignal): Promise<Reply> {
  return request<Reply>(path, { signal });
}

/** `GET` a file of Loupe's server as its bytes. @throws {ApiError} */
export async function getBlob(path: string): Promise<Blob> {
  return (await respond(path, {})).blob();
}

/**
 * `POST` a JSON body. With an idempotency key it may be sent again without being done twice.
 *
 * @throws {ApiError}
 */
export function postJson<Reply>(
  path: string,
  body: unknown,
  { signal, idempotencyKey }: { signal?: AbortSignal; idempotencyKey?: string } = {},
): Promise<Reply> {
  return request<Reply>(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
    signal,
  });
}

/** `POST` a file of JSON Lines, as it is. @throws {ApiError} */
export function postLines<Reply>(path: string, file: Blob): Promise<Reply> {
  return request<Reply>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: file,
  });
}

/** `PATCH` with a JSON body. @throws {ApiError} */
export function patchJson<Reply>(path: string, body: unknown): Promise<Reply> {
  return request<Reply>(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** `PUT` a JSON body. @throws {ApiError} */
export function putJson<Reply>(path: string, body: unknown): Promise<Reply> {
  return request<Reply>(path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** `DELETE`, as JSON: the server takes no other change. @throws {ApiError} */
export function deleteJson<Reply>(path: string): Promise<Reply> {
  return request<Reply>(path, { method: 'DELETE', headers: { 'content-type': 'application/json' } });
}

/** `POST` a JSON body to a path that replies with a stream. @throws {ApiError} unless the stream begins */
export function postForStream(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  return respond(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

async function request<Reply>(path: string, init: RequestInit): Promise<Reply> {
  const response = await respond(path, init);
  const body: unknown = await response.json().catch(() => undefined);
  return body as Reply;
}

/** @throws {ApiError} if there is no response, or one that is an error */
async function respond(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    // A shared run is read from elsewhere, without a sign-in.
    const headers = { ...init.headers, ...(path.startsWith('/api/') ? keyHeader() : {}) };
    response = await fetch(path, { ...init, headers, credentials: 'same-origin', cache: 'no-store' });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError({
      code: 'unreachable',
      message: 'The Loupe server does not answer.',
      hint: 'Is it still running? Start it with npm start.',
      status: 0,
      cause,
    });
  }
  if (!response.ok) throw errorOf(response.status, await response.json().catch(() => undefined));
  return response;
}

function errorOf(status: number, body: unknown): ApiError {
  if (isErrorReply(body)) return new ApiError({ ...body.error, status });
  if (status === 401) {
    return new ApiError({
      code: 'unauthorized',
      message: 'This browser is not signed in.',
      hint: 'Open the link that npm start printed.',
      status,
    });
  }
  return new ApiError({
    code: `http_${status}`,
    message: `The server answered with status ${status}.`,
    status,
  });
}

function isErrorReply(body: unknown): body is ErrorReply {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  );
}
