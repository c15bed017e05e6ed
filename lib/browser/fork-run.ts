import type { ForkRequest } from '../api/fork-run.ts';
import type { RunReply } from '../api/replies.ts';
import { createOnce } from './create-once.ts';

/** Starts a fork of a run and returns the path of its page. @throws {ApiError} */
export async function forkRun(runId: string, request: ForkRequest): Promise<string> {
  const { run } = await createOnce<RunReply>(`/api/runs/${encodeURIComponent(runId)}/fork`, request);
  return `/runs/${run.id}`;
}
