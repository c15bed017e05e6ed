import type { RunSummary } from '../api/run-summary.ts';
import type { RunDeleted, ViewDelta } from '../api/stream.ts';
import { AppError } from '../errors/app-error.ts';
import type { FeedItem, RunFeed } from '../feed/run-feed.ts';
import { memoized } from '../util/memoized.ts';
import { wholeNumberIn } from '../util/numbers.ts';
import { viewEventJson, viewJson } from './view-event.ts';

/** A local model can think for minutes, and many proxies drop a connection that is idle for one. */
export const HEARTBEAT_MS = 15_000;

/** A viewer that reads nothing for this long while data is pending is disconnected; it reconnects with its last ID. */
export const STALLED_MS = 60_000;

const encoder = new TextEncoder();

/**
 * Sends a feed as server-sent events (D4). The next chunk is produced only when the last one was read, so a slow reader
 * costs one chunk of memory.
 *
 * @param eventId the ID that the browser sends back as Last-Event-ID
 */
export function eventStreamResponse(
  feed: RunFeed,
  options: {
    eventId: EventId;
    heartbeatMs?: number;
    stalledMs?: number;
  },
): Response {
  const { eventId, heartbeatMs = HEARTBEAT_MS, stalledMs = STALLED_MS } = options;
  let offered = performance.now();
  let waiting = false;
  let watch: NodeJS.Timeout | undefined;
  const finish = () => {
    clearInterval(watch);
    feed.close();
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode('retry: 1000\n: Loupe\n\n'));
      watch = setInterval(() => {
        if (waiting || performance.now() - offered < stalledMs) return;
        finish();
        controller.error(new Error('The viewer stopped reading.'));
      }, stalledMs / 4);
      watch.unref();
    },
    async pull(controller) {
      waiting = true;
      try {
        const items = await feed.next(heartbeatMs);
        if (items.length > 0) {
          controller.enqueue(encoder.encode(items.map((item) => frame(item, eventId)).join('')));
        } else if (feed.done) {
          finish();
          controller.close();
        } else {
          controller.enqueue(encoder.encode(': still here\n\n'));
        }
      } catch (error) {
        finish();
        throw error;
      } finally {
        waiting = false;
        offered = performance.now();
      }
    },
    cancel: finish,
  });
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

type EventId = (event: { run_id: string; seq: number }) => string;

function frame(item: FeedItem, eventId: EventId): string {
  switch (item.kind) {
    case 'event':
      return `id: ${eventId(item.event)}\ndata: ${viewEventJson(item.event)}\n\n`;
    case 'text': {
      const { text } = item;
      return `id: ${eventId(text)}\ndata: ${viewJson(text.json)}\n\n`;
    }
    case 'delta': {
      const delta: ViewDelta = { run_id: item.runId, ...item.delta };
      return `event: delta\ndata: ${JSON.stringify(delta)}\n\n`;
    }
    case 'run':
      return runFrame(item.summary);
    case 'deleted': {
      const deleted: RunDeleted = { run_id: item.runId };
      return `event: run-deleted\ndata: ${JSON.stringify(deleted)}\n\n`;
    }
  }
}

/** Shared by all viewers of the run list. */
const runFrame = memoized((summary: RunSummary) => `event: run\ndata: ${JSON.stringify(summary)}\n\n`);

/**
 * The last event that the viewer of a run has: `Last-Event-ID`, which a browser sends when it reconnects, else `?after=`,
 * else 0.
 *
 * @throws {AppError} `bad_last_event_id`
 */
export function cursorOf(request: Request): number {
  const text = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '';
  return text === '' ? 0 : sequenceNumber(text);
}

/**
 * The topics of the shared stream: `?runs=a:12,b:40`, each run with its viewer's last sequence number. A `Last-Event-ID`
 * (`b:45`) overrides the number of its run.
 *
 * @throws {AppError} `bad_last_event_id`
 */
export function topicsOf(request: Request): Map<string, number> {
  const topics = new Map<string, number>();
  const runs = new URL(request.url).searchParams.get('runs') ?? '';
  for (const part of runs.split(',').filter((text) => text !== '')) {
    const { runId, seq } = place(part);
    topics.set(runId, seq);
  }
  const last = request.headers.get('last-event-id');
  if (last) {
    const { runId, seq } = place(last);
    const asked = topics.get(runId);
    if (asked !== undefined) topics.set(runId, Math.max(asked, seq));
  }
  if (topics.size > MAX_TOPICS) {
    throw new AppError({ code: 'invalid_request', message: `A stream follows at most ${MAX_TOPICS} runs.` });
  }
  return topics;
}

const MAX_TOPICS = 100;

function place(text: string): { runId: string; seq: number } {
  const match = /^([a-z0-9][a-z0-9-]{0,63})(?::(\d{1,15}))?$/.exec(text);
  if (!match) throw badEventId(text);
  return { runId: match[1] ?? '', seq: Number(match[2] ?? 0) };
}

function sequenceNumber(text: string): number {
  const number = wholeNumberIn(text);
  if (number === undefined) throw badEventId(text);
  return number;
}

function badEventId(text: string): AppError {
  return new AppError({
    code: 'bad_last_event_id',
    message: `"${text.slice(0, 80)}" is not a position in a stream.`,
    hint: 'Omit it to start at the first event.',
  });
}
