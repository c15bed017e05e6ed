import type { RunSummary } from '../api/run-summary.ts';
import type { RunDelta } from '../events/delta.ts';
import type { ShownEvent } from '../events/fold-timeline.ts';
import { browserTransport } from './browser-transport.ts';
import type { ConnectionSignal } from './connection.ts';
import type { HubMessage, TabMessage } from './hub-messages.ts';
import { StreamHub } from './stream-hub.ts';

/** Who listens to a run. */
export interface RunListener {
  /** The last event held: the stream begins after it. */
  cursor(): number;
  events(events: readonly ShownEvent[]): void;
  delta(delta: RunDelta): void;
  signal(signal: ConnectionSignal): void;
}

/** Who listens to the list of runs. */
export interface ListListener {
  runs(runs: readonly RunSummary[]): void;
  signal(signal: ConnectionSignal): void;
}

/** This tab's line to the hub: shared by everything on the page. */
class HubClient {
  readonly #send: (message: TabMessage) => void;
  readonly #runs = new Map<string, RunListener>();
  readonly #lists = new Set<ListListener>();

  constructor() {
    this.#send = connect((message) => this.#receive(message));
    window.addEventListener('online', () => this.#send({ type: 'wake' }));
    window.addEventListener('pagehide', () => this.#send({ type: 'bye' }));
    // A page that comes back from the browser's cache has said goodbye: it goes on where it was.
    window.addEventListener('pageshow', (event) => {
      if (event.persisted) location.reload();
    });
  }

  followRun(runId: string, listener: RunListener): () => void {
    this.#runs.set(runId, listener);
    this.#send({ type: 'follow', runId, after: listener.cursor() });
    return () => {
      if (this.#runs.get(runId) !== listener) return;
      this.#runs.delete(runId);
      this.#send({ type: 'unfollow', runId });
    };
  }

  watchList(listener: ListListener): () => void {
    this.#lists.add(listener);
    this.#send({ type: 'watch-list', on: true });
    return () => {
      this.#lists.delete(listener);
      if (this.#lists.size === 0) this.#send({ type: 'watch-list', on: false });
    };
  }

  #receive(message: HubMessage): void {
    switch (message.type) {
      case 'events': {
        const listener = this.#runs.get(message.runId);
        listener?.events(message.events.map((text) => JSON.parse(text) as ShownEvent));
        break;
      }
      case 'delta':
        this.#runs.get(message.runId)?.delta(message.delta);
        break;
      case 'signal':
        this.#runs.get(message.runId)?.signal(message.signal);
        break;
      case 'runs': {
        const runs = message.runs.map((text) => JSON.parse(text) as RunSummary);
        for (const listener of this.#lists) listener.runs(runs);
        break;
      }
      case 'list-signal':
        for (const listener of this.#lists) listener.signal(message.signal);
    }
  }
}

/** The shared worker where there is one; a hub of its own for this tab where there is none. */
function connect(receive: (message: HubMessage) => void): (message: TabMessage) => void {
  if (typeof SharedWorker === 'undefined') {
    const tab = new StreamHub(browserTransport).join(receive);
    return tab.receive;
  }
  const worker = new SharedWorker(new URL('./hub.worker.ts', import.meta.url), {
    type: 'module',
    name: 'loupe-stream',
  });
  const sent: TabMessage[] = [];
  let own: ((message: TabMessage) => void) | undefined;
  // A worker that cannot be loaded (an old tab after an update) must not leave the page without a stream.
  worker.onerror = () => {
    if (own) return;
    own = new StreamHub(browserTransport).join(receive).receive;
    for (const message of sent.splice(0)) own(message);
  };
  worker.port.onmessage = (event: MessageEvent<HubMessage>) => {
    if (!own) receive(event.data);
  };
  const send = (message: TabMessage) => {
    if (own) {
      own(message);
      return;
    }
    sent.push(message);
    worker.port.postMessage(message);
  };
  if (navigator.locks) {
    const lock = `loupe-tab-${crypto.randomUUID()}`;
    void navigator.locks.request(lock, () => {
      send({ type: 'hello', lock });
      return new Promise(() => {});
    });
  }
  return send;
}

let client: HubClient | undefined;

/** Follows a run over this browser's one stream. Returns how to stop. */
export function followRun(runId: string, listener: RunListener): () => void {
  client ??= new HubClient();
  return client.followRun(runId, listener);
}

/** Hears of every change in the list of runs. Returns how to stop. */
export function watchRuns(listener: ListListener): () => void {
  client ??= new HubClient();
  return client.watchList(listener);
}
