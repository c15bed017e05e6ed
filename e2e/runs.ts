import { expect } from '@playwright/test';
import type { RunListReply, RunReply } from '../lib/api/replies.ts';
import type { RunSummary } from '../lib/api/run-summary.ts';
import type { EventOf, RunEvent, RunEventType } from '../lib/events/registry.ts';
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
    .poll(async () => (await summaryOf(loupe, runId)).phase, { timeout: 45_000, intervals: [50, 100, 200] })
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

/** The events of one type, in order. */
export function eventsOf<T extends RunEventType>(log: readonly RunEvent[], type: T): EventOf<T>[] {
  return log.filter((event): event is EventOf<T> => event.type === type);
}

/** Ends whatever still runs, so that the next story finds a free model server. */
export async function forceStopAll(loupe: LoupeServer): Promise<void> {
  const answer = await loupe.request('/api/runs?limit=100').catch(() => undefined); // stories may end their server
  if (!answer?.ok) return;
  const { runs } = (await answer.json()) as RunListReply;
  for (const { id, phase } of runs) {
    if (phase === 'ended') continue;
    await loupe.request(`/api/runs/${id}/stop`, { json: { force: true } });
    await endOf(loupe, id);
  }
}
