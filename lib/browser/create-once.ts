import { postJson } from './api.ts';
import { randomKey } from './random-key.ts';

/** The last request to each path whose answer has not come, and its idempotency key. */
const unanswered = new Map<string, { readonly body: string; readonly key: string }>();

/**
 * `POST` of a request that starts or forks a run. If its answer is lost, the same request from this page returns the run
 * that the first one created.
 *
 * @throws {ApiError}
 */
export async function createOnce<Reply>(path: string, request: unknown): Promise<Reply> {
  const body = JSON.stringify(request);
  const last = unanswered.get(path);
  const key = last?.body === body ? last.key : randomKey();
  unanswered.set(path, { body, key });
  const reply = await postJson<Reply>(path, request, { idempotencyKey: key });
  unanswered.delete(path);
  return reply;
}
