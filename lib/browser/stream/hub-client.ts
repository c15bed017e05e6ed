import type { RunSummary } from '../../api/run-summary.ts';
import type { ShownEvent } from '../../events/timeline.ts';
import { onKeyChange, signInKey } from '../sign-in-key.ts';
import type { ConnectionSignal } from '../state/connection.ts';
import { browserTransport } from './browser-transport.ts';
import { EarlyListener, type RunListener } from './early-listener.ts';
import { joinHubByLock } from './hub-by-lock.ts';
import type { HubMessage, TabMessage } from './hub-messages.ts';
import { StreamHub } from './stream-hub.ts';

/** The listeners of the list of runs. */
export interface ListListener {
  runs(runs: readonly RunSummary[]): void;
  /** A run was deleted. */
  deleted?(runId: string): void;
  signal(signal: ConnectionSignal): void;
}

/** This tab's line to the hub: shared by everything on the page. */
class HubClient {
  readonly #send: (message: TabMessage) => void;
  readonly #runs = new Map<string, RunListener>();
  readonly #lists = new Set<ListListener>();
  /** Whether a stream was open before: another hub that takes over may have missed changes. */
  #hadStream = false;

  constructor() {
    this.#send = connect({
      receive: (message) => this.#receive(message),
      resume: () => this.#resume(),
    });
    this.#send({ type: 'key', key: signInKey() });
    onKeyChange(() => {
      // Signed out in another tab: nothing of this page can be used any more.
      if (signInKey() === undefined) return location.reload();
      this.#send({ type: 'key', key: signInKey() });
      this.#resume();
    });
    window.addEventListener('online', () => this.#send({ type: 'wake' }));
    window.addEventListener('pagehide', () => this.#send({ type: 'bye' }));
    // A page that comes back from the browser's cache has said goodbye: it resumes where it stopped.
    window.addEventListener('pageshow', (event) => {
      if (event.persisted) location.reload();
    });
  }

  /** Announces again what this tab follows, from its last event. */
  #resume(): void {
    for (const [runId, listener] of this.#runs) {
      this.#send({ type: 'follow', runId, after: listener.cursor() });
    }
    if (this.#lists.size === 0) return;
    if (this.#hadStream) for (const listener of this.#lists) listener.signal({ type: 'lost' });
    this.#send({ type: 'watch-list', on: true });
  }

  followRun(runId: string, listener: RunListener): () => void {
    const early = this.#runs.get(runId);
    this.#runs.set(runId, listener);
    if (early instanceof EarlyListener && listener.cursor() === 0) early.handOverTo(listener);
    else this.#send({ type: 'follow', runId, after: listener.cursor() });
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
      case 'run-deleted':
        for (const listener of this.#lists) listener.deleted?.(message.runId);
        break;
      case 'list-signal':
        this.#hadStream ||= message.signal.type === 'opened';
        for (const listener of this.#lists) listener.signal(message.signal);
    }
  }
}

/**
 * The shared worker if available; otherwise one of the tabs is the hub for all; a separate hub for this tab only if
 * tabs cannot communicate.
 */
function connect({
  receive,
  resume,
}: {
  receive: (message: HubMessage) => void;
  resume: () => void;
}): (message: TabMessage) => void {
  const ownHub = () => new StreamHub(browserTransport).join(receive).receive;
  if (typeof SharedWorker === 'undefined') {
    if (!navigator.locks || typeof BroadcastChannel === 'undefined') return ownHub();
    return joinHubByLock({ receive, resume });
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
    own = ownHub();
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

/**
 * Takes the signals of a stream, and calls back when it is open again after a break in which something may have been
 * missed. `missed`: something may also have been missed before the stream first opens.
 */
export function whenBack(act: () => void, { missed = false } = {}): (signal: ConnectionSignal) => void {
  let broken = missed;
  return ({ type }) => {
    if (type === 'lost' || type === 'unreachable') broken = true;
    if (type !== 'opened' || !broken) return;
    broken = false;
    act();
  };
}

/**
 * Starts to follow the run of the page that is being loaded, while that page is drawn. Events that arrive before there
 * is a listener are passed to the first `followRun`.
 *
 * @param path of the page, such as `/runs/20261121-0900-k3v9`; other pages are ignored
 */
export function expectRunOf(path: string): void {
  const name = /^\/runs\/([\w-]+)\/?$/.exec(path)?.[1];
  if (name === undefined || name === 'new') return;
  client ??= new HubClient();
  client.followRun(name, new EarlyListener());
}

/** Follows a run over this browser's only stream. Returns a function that stops it. */
export function followRun(runId: string, listener: RunListener): () => void {
  client ??= new HubClient();
  return client.followRun(runId, listener);
}

/** Watches every change in the list of runs. Returns a function that stops it. */
export function watchRuns(listener: ListListener): () => void {
  client ??= new HubClient();
  return client.watchList(listener);
}
