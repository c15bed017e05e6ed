import { expect } from '@playwright/test';
import type { ExperimentListReply } from '../lib/api/experiment.ts';
import type { RunListReply, RunReply } from '../lib/api/replies.ts';
import type { RunSummary } from '../lib/api/run-summary.ts';
import type { RunEvent } from '../lib/events/registry.ts';
import type { LoupeServer } from './loupe-server.ts';

/** Starts a run through the API. */
export async function startRun(loupe: LoupeServer, run: Record<string, unknown>): Promise<RunSummary> {
  const answer = await loupe.request('/api/runs', { json: run });
  const body = (await answer.json()) as Partial<RunReply>;
  if (!answer.ok || !body.run)
    throw new Error(`The run was refused: ${answer.status} ${JSON.stringify(body)}`);
  return body.run;
}

export async function summaryOf(loupe: LoupeServer, runId: string): Promise<RunSummary> {
  const answer = await loupe.request(`/api/runs/${runId}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as RunReply).run;
}

/** Waits until a run is over. */
export async function endOf(loupe: LoupeServer, runId: string): Promise<RunSummary> {
  await expect
    .poll(async () => (await summaryOf(loupe, runId)).phase, { timeout: 240_000, intervals: [50, 100, 200] })
    .toBe('ended');
  return summaryOf(loupe, runId);
}

/** Starts a run and waits until it is over. */
export async function finishRun(loupe: LoupeServer, run: Record<string, unknown>): Promise<RunSummary> {
  return endOf(loupe, (await startRun(loupe, run)).id);
}

/** The whole log of a run, as `GET /api/runs/{id}/log` gives it. */
export async function logOf(loupe: LoupeServer, runId: string): Promise<RunEvent[]> {
  const answer = await loupe.request(`/api/runs/${runId}/log`);
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line): RunEvent => JSON.parse(line));
}

/** Ends all active runs. */
export async function forceStopAll(loupe: LoupeServer): Promise<void> {
  for (const { id, phase } of await listed(loupe)) {
    if (phase === 'ended') continue;
    await loupe.request(`/api/runs/${id}/stop`, { json: { force: true } });
    await endOf(loupe, id);
  }
}

/** Ends and deletes all runs, so that the next story starts with a free model server and no runs. */
export async function clearAway(loupe: LoupeServer): Promise<void> {
  const answer = await loupe.request('/api/experiments').catch(() => undefined); // stories may end their server
  if (!answer?.ok) return;
  const { experiments } = (await answer.json()) as ExperimentListReply;
  for (const { id, status } of experiments) {
    if (status !== 'finished') await loupe.request(`/api/experiments/${id}/stop`, { json: { force: true } });
  }
  await forceStopAll(loupe);
  for (let runs = await listed(loupe); runs.length > 0; runs = await listed(loupe)) {
    for (const { id } of runs) {
      const deleted = await loupe.request(`/api/runs/${id}`, { method: 'DELETE', json: {} });
      expect([200, 404], await deleted.text()).toContain(deleted.status);
    }
  }
}

/** The newest runs. */
async function listed(loupe: LoupeServer): Promise<RunSummary[]> {
  const answer = await loupe.request('/api/runs?limit=100&archived=all');
  return ((await answer.json()) as RunListReply).runs;
}
