import type { CreateRunRequest } from '#lib/api/create-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { createOnce } from '#lib/browser/create-once.ts';
import { remember } from '#lib/browser/prefs/remembered.ts';

/** Starts a run and returns the path of its page. @throws {ApiError} */
export async function startRun(request: CreateRunRequest): Promise<string> {
  const { run } = await createOnce<RunReply>('/api/runs', request);
  remember('model', request.model);
  return `/runs/${run.id}`;
}
