import type { CreateRunRequest } from '#lib/api/create-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { remember } from '#lib/browser/prefs/remembered.ts';

/** Starts a run and returns the path of its page. @throws {ApiError} */
export async function startRun(request: CreateRunRequest): Promise<string> {
  const { run } = await postJson<RunReply>('/api/runs', request);
  remember('model', request.model);
  return `/runs/${run.id}`;
}
