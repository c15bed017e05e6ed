import type { RunDelta } from '../../events/delta.ts';
import type { ShownEvent } from '../../events/timeline.ts';
import { askLink } from '../shared-link.ts';
import { retryDelayMs } from '../state/connection.ts';
import type { RunStore } from '../state/run-store.ts';

const TOO_MANY_VIEWERS = {
  code: 'too_many_viewers',
  message: 'Too many people are following this run.',
  hint: 'This page connects as soon as one of them leaves.',
};

/**
 * Follows a shared run over server-sent events with `id: seq`. Resumes after a lost connection, and ends when the server
 * sends `event: revoked` or the link is gone.
 *
 * @param options.url the link, relative to the page
 * @param options.onGone called once, as the last callback
 * @returns a function that stops following
 */
export function followShared(options: { url: string; store: RunStore; onGone: () => void }): () => void {
  const { url, store, onGone } = options;
  const abort = new AbortController();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;

  const stop = () => {
    abort.abort();
    clearTimeout(timer);
    source?.close();
  };
  const gone = () => {
    stop();
    onGone();
  };
  const open = () => {
    // A new EventSource has no last event ID, so the URL says where to resume.
    const address = new URL(`${url}/events`, location.href);
    if (store.cursor > 0) address.searchParams.set('after', String(store.cursor));
    const opened = new EventSource(address);
    source = opened;
    opened.onopen = () => {
      tries = 0;
      store.signal({ type: 'opened' });
    };
    opened.onmessage = (message: MessageEvent<string>) => {
      const event: ShownEvent = JSON.parse(message.data);
      store.receive([event]);
      if (event.type === 'run.ended') stop();
    };
    opened.addEventListener('delta', (message: MessageEvent<string>) => {
      const delta: RunDelta = JSON.parse(message.data);
      store.receiveDelta(delta);
    });
    opened.addEventListener('revoked', gone);
    opened.onerror = () => {
      opened.close();
      store.signal({ type: 'lost' });
      tries += 1;
      timer = setTimeout(() => void ask(), retryDelayMs(tries, Math.random()));
    };
  };
  // EventSource hides why a connection was refused; a plain request shows it.
  const ask = async () => {
    try {
      const state = await askLink(url, abort.signal);
      if (state === 'gone') return gone();
      if (state === 'full') store.signal({ type: 'refused', problem: TOO_MANY_VIEWERS });
    } catch {
      if (abort.signal.aborted) return;
      store.signal({ type: 'unreachable' });
    }
    if (!abort.signal.aborted) open();
  };
  open();
  return stop;
}
