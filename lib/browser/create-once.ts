import { ApiError, postJson } from './api.ts';
import { randomKey } from './random-key.ts';

/** The last request to each path whose answer has not come, and its idempotency key. */
const unanswered = new Map<string, { readonly body: string; readonly key: string }>();

/**
 * `POST` of a request that creates something, such as a run or an experiment. If its answer is lost, the same request from
 * this page returns what the first one created.
 *
 * @throws {ApiError}
 */
export async function createOnce<Reply>(path: string, request: unknown): Promise<Reply> {
  const body = JSON.stringify(request);
  const last = unanswered.get(path);
  const key = last?.body === body ? last.key : randomKey();
  unanswered.set(path, { body, key });
  try {
    const reply = await postJson<Reply>(path, request, { idempotencyKey: key });
    unanswered.delete(path);
    return reply;
  } catch (error) {
    // What the first request created was deleted, as the answer says: the next one creates something new.
    if (error instanceof ApiError && error.status === 410) unanswered.delete(path);
    throw error;
  }
}
