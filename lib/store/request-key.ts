import { createHash } from 'node:crypto';
import { AppError } from '../errors/app-error.ts';
import { asJson } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** The idempotency key of a request that creates something. */
export interface RequestKey {
  readonly key: string;
  /** SHA-256 of the request, which distinguishes a repeated request from another one with the same key. */
  readonly request_hash: string;
}

/** What a key was used for first. It may have been deleted since. */
export interface KeyUse {
  readonly id: string;
  readonly request_hash: string;
}

/** What is created with keys that the store keeps. Each kind has its own keys. */
export type KeyedKind = 'experiment' | 'benchmark';

/** The key of a request; `undefined` for a request without one. */
export function requestKey(key: string | undefined, request: unknown): RequestKey | undefined {
  if (key === undefined) return undefined;
  return {
    key,
    request_hash: createHash('sha256')
      .update(sortedJson(asJson(request)))
      .digest('hex'),
  };
}

/**
 * What the first request with a key created.
 *
 * @param get reads it by its ID; throws `…_not_found` if it was deleted
 * @throws {AppError} `idempotency_conflict` for another request, `…_deleted`
 */
export async function firstCreated<Reply extends object>(
  kind: KeyedKind,
  { first, key, get }: { first: KeyUse; key: RequestKey; get: (id: string) => Promise<Reply> },
): Promise<Reply & { created: false }> {
  const { id } = first;
  if (first.request_hash !== key.request_hash) throw keyConflict(kind, id);
  try {
    return { ...(await get(id)), created: false };
  } catch (cause) {
    if (!(cause instanceof AppError && cause.code === `${kind}_not_found`)) throw cause;
    throw createdIsDeleted(kind, id, cause);
  }
}

/** The error for a repeated request, if what the first one created was deleted. */
export function createdIsDeleted(kind: KeyedKind | 'rating', id: string, cause?: unknown): AppError {
  return new AppError({
    code: `${kind}_deleted`,
    message: `The ${kind} that was started with this idempotency key was deleted (${kind} ${id}).`,
    hint: `Use a new key for a new ${kind}.`,
    cause,
  });
}

/** The error for a key that was used for another request. @param kind what that request created */
export function keyConflict(kind: KeyedKind | 'rating' | 'run', id: string): AppError {
  return new AppError({
    code: 'idempotency_conflict',
    message: `The idempotency key was used for another request (${kind} ${id}).`,
    hint: `Use a new key for a new ${kind}.`,
  });
}
