import { randomUUID } from 'node:crypto';
import type { LoupeHttp } from './http.ts';
import { repeatIfLost } from './through-restart.ts';

/** How a request is repeated whose answer is lost. */
export interface RepeatOptions {
  /** Another request with the same key does nothing but return what the first one did. Default: a new one. */
  idempotencyKey?: string;
  /** Called when the connection is lost, with the wait until the next attempt, in milliseconds. */
  onReconnect?: (waitMs: number) => void;
}

/**
 * `POST` of a request that creates something. If the answer is lost, the request is repeated with the same key, so that it
 * is created once.
 *
 * @throws {AppError} `unreachable` if the server cannot be reached, or not again within a minute; any error from it
 */
export function postOnce<Reply>(
  http: LoupeHttp,
  {
    path,
    body,
    idempotencyKey = randomUUID(),
    onReconnect = () => {},
  }: RepeatOptions & { path: string; body: unknown },
): Promise<Reply> {
  return repeatIfLost(() => http.json<Reply>(path, body, { idempotencyKey }), onReconnect);
}
