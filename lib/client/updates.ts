import { setTimeout as delay } from 'node:timers/promises';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import type { RunReply } from '../api/replies.ts';
import type { ViewDelta, ViewEvent } from '../api/stream.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import { bodyOf, isLostConnection, type LoupeHttp, reconnectWaitMs } from './http.ts';

/** What a follower receives: each event of the log once and in order, text deltas in between, and reconnects. */
export type RunUpdate =
  | { type: 'event'; event: RunEvent }
  | { type: 'delta'; delta: ViewDelta }
  /** The connection was lost; the next attempt follows after `wait_ms`. */
  | { type: 'reconnecting'; wait_ms: number };

/** The API path of a run. @throws {AppError} `run_not_found` for what would be another path: an empty ID, or dots */
export function pathOf(runId: string): string {
  if (/^\.{0,2}$/.test(runId)) {
    throw new AppError({
      code: 'run_not_found',
      message: `There is no run "${runId}".`,
      hint: 'Check the ID: it must not be empty.',
    });
  }
  return `/api/runs/${encodeURIComponent(runId)}`;
}

/**
 * Follows a run to its end. A lost connection is resumed after the last received event, so that each event arrives once
 * and in order. Ends early, without an error, when the signal aborts.
 *
 * @param after sequence number of the last known event; 0 for the whole log
 * @throws {AppError} `unreachable` if the first connection fails; any error from the server
 */
export async function* followRun(
  http: LoupeHttp,
  runId: string,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<RunUpdate> {
  let seen = after;
  let tries = 0;
  let connected = false;
  while (!signal.aborted) {
    try {
      for await (const message of messagesOf(http, runId, seen, signal)) {
        tries = 0;
        connected = true;
        const update = read(message);
        if (update?.type === 'delta') yield update;
        if (update?.type !== 'event' || update.event.seq <= seen) continue;
        const event = await whole(http, update.event);
        seen = event.seq;
        yield { type: 'event', event };
        if (event.type === 'run.ended') return;
      }
      if (await isOver(http, runId, seen)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!isLostConnection(error) || (error instanceof AppError && !connected)) throw error;
    }
    const wait_ms = reconnectWaitMs(tries);
    tries += 1;
    yield { type: 'reconnecting', wait_ms };
    await delay(wait_ms, undefined, { signal }).catch(() => undefined);
  }
}

async function* messagesOf(
  http: LoupeHttp,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage> {
  const answer = await http.request(`${pathOf(runId)}/events?after=${after}`, { signal });
  if (answer.status === 204) return;
  yield* bodyOf(answer).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

/** Parses a stream message; `undefined` for kinds that do not belong to a run. */
function read(
  message: EventSourceMessage,
): { type: 'event'; event: ViewEvent } | { type: 'delta'; delta: ViewDelta } | undefined {
  if (message.event === undefined) return { type: 'event', event: JSON.parse(message.data) };
  if (message.event === 'delta') return { type: 'delta', delta: JSON.parse(message.data) };
  return undefined;
}

/** Fetches the full event if the stream truncated its texts (`GET /api/runs/{id}/events/{seq}`). */
async function whole(http: LoupeHttp, { cuts, ...event }: ViewEvent): Promise<RunEvent> {
  return cuts === undefined ? event : http.json<RunEvent>(`${pathOf(event.run_id)}/events/${event.seq}`);
}

/** Whether the run has ended and all its events were seen. The stream of an ended run may be empty. */
async function isOver(http: LoupeHttp, runId: string, seen: number): Promise<boolean> {
  const { run } = await http.json<RunReply>(pathOf(runId));
  return run.phase === 'ended' && run.last_seq <= seen;
}
