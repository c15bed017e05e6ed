import type { RunReply } from '../api/replies.ts';
import type { RunDelta } from '../events/delta.ts';
import type { ShownEvent } from '../events/fold-timeline.ts';
import { ApiError, getJson } from './api.ts';
import { type ConnectionSignal, retryDelayMs } from './connection.ts';

/** Who listens to a run. */
export interface FeedListener {
  /** The last event held: a new stream begins after it. */
  cursor(): number;
  events(events: readonly ShownEvent[]): void;
  delta(delta: RunDelta): void;
  signal(signal: ConnectionSignal): void;
}

/** A stream that says nothing for this long (two heartbeats and a half) counts as lost. */
const OPEN_TIMEOUT_MS = 10_000;

/**
 * Follows a run over a stream of its own. Each new stream begins after the last event that is held, so a cut at any
 * moment costs nothing. Returns how to stop following.
 */
export function followRun(runId: string, listener: FeedListener): () => void {
  const path = `/api/runs/${encodeURIComponent(runId)}`;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  let over = false;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const retry = () => {
    close();
    if (!over) timer = setTimeout(open, retryDelayMs(tries, Math.random()));
  };

  /** Asks once how far the log goes; tells an unknown run and a missing sign-in from a server that is away. */
  const askHead = async (): Promise<boolean> => {
    try {
      const { run } = await getJson<RunReply>(path);
      listener.signal({ type: 'head', seq: run.last_seq });
      return true;
    } catch (error) {
      if (over) return false;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        over = true;
        close();
        listener.signal({
          type: 'refused',
          problem: { code: error.code, message: error.message, hint: error.hint },
        });
        return false;
      }
      listener.signal({ type: 'unreachable' });
      return false;
    }
  };

  const open = async () => {
    tries += 1;
    listener.signal({ type: 'opening' });
    if (!(await askHead())) return retry();
    if (over) return;
    const stream = new EventSource(`${path}/events?after=${listener.cursor()}`);
    source = stream;
    timer = setTimeout(lost, OPEN_TIMEOUT_MS);
    stream.onopen = () => {
      clearTimeout(timer);
      tries = 0;
      listener.signal({ type: 'opened' });
    };
    stream.onmessage = (message) => {
      const event = JSON.parse(message.data) as ShownEvent;
      listener.events([event]);
      if (event.type === 'run.ended') {
        over = true;
        close();
      }
    };
    stream.addEventListener('delta', (message) => listener.delta(JSON.parse(message.data) as RunDelta));
    stream.onerror = lost;
  };

  // EventSource would reconnect by itself, with the cursor of its own; ours is the one of the store.
  const lost = () => {
    if (over) return;
    listener.signal({ type: 'lost' });
    retry();
  };

  const wake = () => {
    if (!source && !over) {
      close();
      tries = 0;
      void open();
    }
  };
  window.addEventListener('online', wake);
  void open();
  return () => {
    over = true;
    close();
    window.removeEventListener('online', wake);
  };
}
