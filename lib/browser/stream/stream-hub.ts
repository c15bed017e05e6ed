import { type RunDeleted, STREAM_SILENCE_MS, type ViewDelta } from '../../api/stream.ts';
import type { ConnectionSignal } from '../state/connection.ts';
import { retryDelayMs } from '../state/connection.ts';
import type { HubMessage, TabMessage } from './hub-messages.ts';

export type StreamName = 'delta' | 'run' | 'run-deleted';

/** Stream messages: `message` events with an ID, and named events. */
export interface StreamHandlers {
  open(): void;
  /** Something arrived, even if only a heartbeat. */
  alive(): void;
  event(id: string, data: string): void;
  named(name: StreamName, data: string): void;
  error(): void;
}

/** How far a run's log goes, or why that is unknown. */
export type Head =
  | { kind: 'known'; lastSeq: number }
  | { kind: 'unreachable' }
  | { kind: 'refused'; problem: { code: string; message: string; hint?: string } };

/** The outside of a hub: a browser's fetch, or plain HTTP in tests. */
export interface HubTransport {
  /** Opens `/api/stream` with these parameters; returns a function that closes it. */
  openStream(path: string, handlers: StreamHandlers): () => void;
  askHead(runId: string): Promise<Head>;
}

interface Tab {
  readonly send: (message: HubMessage) => void;
  /** Runs that the tab follows, with the last number sent to it. */
  readonly runs: Map<string, number>;
  list: boolean;
  /** Collected until the next sending. */
  readonly events: Map<string, string[]>;
  summaries: string[];
}

/** Debounce interval, so that changes in several tabs open only one new stream. */
const SETTLE_MS = 25;
/** Events are passed on in batches, because a replay of thousands would otherwise be thousands of messages. */
const BUNCH_MS = 1;
/** How long to wait for a stream to open before the next attempt. */
const OPEN_TIMEOUT_MS = 10_000;

/**
 * One stream for all tabs of a browser: HTTP/1.1 allows six connections to a server, and a seventh tab with its
 * own stream would wait forever. The stream carries every run that some tab follows, each from the position of the tab
 * that is furthest behind; each tab gets what it has not received. Nothing is lost when the stream is reopened, since
 * each request names its position.
 */
export class StreamHub {
  readonly #transport: HubTransport;
  readonly #tabs = new Set<Tab>();
  /** Runs that are known to exist, because the server refuses a stream that names an unknown one. */
  readonly #confirmed = new Set<string>();
  #close: (() => void) | undefined;
  /** Closes the stream before the newest, which is kept until that one is open. */
  #closeFormer: (() => void) | undefined;
  #newest: symbol | undefined;
  /** Whether the newest stream is open. */
  #isOpen = false;
  /** Whether the last stream broke and none has opened since. */
  #isBroken = false;
  /** The runs that the open stream carries. */
  #carried = '';
  #tries = 0;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #bunch: ReturnType<typeof setTimeout> | undefined;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** When something last arrived over the stream, by `performance.now()`. */
  #heardAt = 0;
  /** Rises with every change; an answer to an older question is dropped. */
  #round = 0;

  constructor(transport: HubTransport) {
    this.#transport = transport;
  }

  /** Connects a tab. Returns its message handler and a disconnect function. */
  join(send: (message: HubMessage) => void): { receive: (message: TabMessage) => void; leave: () => void } {
    const tab: Tab = { send, runs: new Map(), list: false, events: new Map(), summaries: [] };
    this.#tabs.add(tab);
    const leave = () => {
      if (this.#tabs.delete(tab)) this.#change();
    };
    const receive = (message: TabMessage) => {
      switch (message.type) {
        case 'follow':
          tab.runs.set(message.runId, message.after);
          this.#change({ anew: true });
          break;
        case 'unfollow':
          tab.runs.delete(message.runId);
          tab.events.delete(message.runId);
          this.#change();
          break;
        case 'watch-list':
          tab.list = message.on;
          // Changes between now and the next stream would be missed.
          if (message.on && this.#isBroken) tab.send({ type: 'list-signal', signal: { type: 'lost' } });
          this.#change({ anew: message.on });
          break;
        case 'wake':
          if (!this.#close) this.#change();
          break;
        case 'bye':
          leave();
          break;
        case 'key':
        case 'hello':
          break;
      }
    };
    return { receive, leave };
  }

  /** The runs that should be carried now, each from the position of the tab that is furthest behind. */
  #wanted(): { runs: Map<string, number>; list: boolean } {
    const runs = new Map<string, number>();
    let list = false;
    for (const tab of this.#tabs) {
      list ||= tab.list;
      for (const [runId, seq] of tab.runs) runs.set(runId, Math.min(seq, runs.get(runId) ?? seq));
    }
    return { runs, list };
  }

  /** `anew`: a tab needs events that the open stream has already delivered. */
  #change({ anew = false } = {}): void {
    if (anew) this.#carried = '';
    clearTimeout(this.#settle);
    this.#tries = 0;
    // Nothing is to be replaced before the first stream: it waits only for what was posted together.
    this.#settle = setTimeout(() => void this.#open(), this.#close ? SETTLE_MS : 0);
  }

  async #open(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const before = this.#wanted();
    const names = [...before.runs.keys()].sort().join(',') + (before.list ? '+list' : '');
    // No new stream is needed for fewer runs; events of unfollowed runs are dropped.
    const needed = before.runs.size > 0 || before.list;
    if (needed && this.#close && this.#carried !== '' && isPart(names, this.#carried)) return;
    if (!needed) {
      this.#stop();
      return;
    }
    this.#tries += 1;
    this.#tell({ type: 'opening' });
    const answers = await Promise.all(
      [...before.runs.keys()].map(async (runId) => ({ runId, head: await this.#transport.askHead(runId) })),
    );
    if (round !== this.#round) return;
    for (const { runId, head } of answers) this.#takeHead(runId, head);
    if (answers.some(({ head }) => head.kind === 'unreachable')) {
      this.#tell({ type: 'unreachable' });
      this.#retry();
      return;
    }

    const { runs, list } = this.#wanted();
    const confirmed = [...runs].filter(([runId]) => this.#confirmed.has(runId));
    if (confirmed.length === 0 && !list) {
      this.#stop();
      return;
    }
    // The previous stream stays open until the new one is, because changes in between would otherwise be
    // missed.
    if (this.#isOpen) this.#closeFormer = this.#close;
    else this.#close?.();
    this.#isOpen = false;
    clearTimeout(this.#opening);
    clearTimeout(this.#silence);
    const query = new URLSearchParams();
    if (confirmed.length > 0) query.set('runs', confirmed.map(([runId, seq]) => `${runId}:${seq}`).join(','));
    if (list) query.set('list', '1');
    this.#carried = names;
    this.#opening = setTimeout(() => this.#lost(), OPEN_TIMEOUT_MS);
    const stream = Symbol('stream');
    this.#newest = stream;
    this.#close = this.#transport.openStream(`/api/stream?${query}`, {
      open: () => {
        if (this.#newest !== stream) return;
        this.#isOpen = true;
        this.#isBroken = false;
        this.#closeFormer?.();
        this.#closeFormer = undefined;
        clearTimeout(this.#opening);
        this.#tries = 0;
        this.#heardAt = performance.now();
        this.#watchSilence();
        this.#tell({ type: 'opened' });
      },
      alive: () => {
        this.#heardAt = performance.now();
      },
      event: (id, data) => this.#event(id, data),
      named: (name, data) => this.#named(name, data),
      error: () => {
        if (this.#newest === stream) this.#lost();
      },
    });
  }

  #takeHead(runId: string, head: Head): void {
    if (head.kind === 'known') {
      this.#confirmed.add(runId);
      this.#tellRun(runId, { type: 'head', seq: head.lastSeq });
    }
    if (head.kind !== 'refused') return;
    this.#confirmed.delete(runId);
    this.#tellRun(runId, { type: 'refused', problem: head.problem });
    for (const tab of this.#tabs) tab.runs.delete(runId);
  }

  #event(id: string, data: string): void {
    const colon = id.lastIndexOf(':');
    const runId = id.slice(0, colon);
    const seq = Number(id.slice(colon + 1));
    for (const tab of this.#tabs) {
      const held = tab.runs.get(runId);
      if (held === undefined || seq !== held + 1) continue;
      tab.runs.set(runId, seq);
      const events = tab.events.get(runId);
      if (events) events.push(data);
      else tab.events.set(runId, [data]);
    }
    if (endsRun(data)) this.#finish(runId, seq);
    else this.#sendSoon();
  }

  /**
   * Nothing follows the end, so the run is dropped before the server closes a stream that carries only that run. A tab
   * that joined just now and is still behind keeps it.
   */
  #finish(runId: string, seq: number): void {
    this.#sendNow();
    for (const tab of this.#tabs) if (tab.runs.get(runId) === seq) tab.runs.delete(runId);
    this.#change();
  }

  #named(name: StreamName, data: string): void {
    if (name === 'run') {
      for (const tab of this.#tabs) if (tab.list) tab.summaries.push(data);
      this.#sendSoon();
      return;
    }
    if (name === 'run-deleted') {
      this.#deleted((JSON.parse(data) as RunDeleted).run_id);
      return;
    }
    const { run_id: runId, ...delta } = JSON.parse(data) as ViewDelta;
    // Events that came before the delta are shown before it.
    this.#sendNow();
    for (const tab of this.#tabs) {
      if (tab.runs.has(runId)) tab.send({ type: 'delta', runId, delta });
    }
  }

  #deleted(runId: string): void {
    this.#sendNow();
    this.#confirmed.delete(runId);
    this.#tellRun(runId, { type: 'deleted' });
    for (const tab of this.#tabs) {
      tab.runs.delete(runId);
      if (tab.list) tab.send({ type: 'run-deleted', runId });
    }
  }

  #sendSoon(): void {
    this.#bunch ??= setTimeout(() => this.#sendNow(), BUNCH_MS);
  }

  #sendNow(): void {
    clearTimeout(this.#bunch);
    this.#bunch = undefined;
    for (const tab of this.#tabs) {
      for (const [runId, events] of tab.events) tab.send({ type: 'events', runId, events });
      tab.events.clear();
      if (tab.summaries.length > 0) tab.send({ type: 'runs', runs: tab.summaries });
      tab.summaries = [];
    }
  }

  /** One timer for the whole stream, rather than a new one with each part of it. */
  #watchSilence(): void {
    const leftMs = this.#heardAt + STREAM_SILENCE_MS - performance.now();
    if (leftMs <= 0) this.#lost();
    else this.#silence = setTimeout(() => this.#watchSilence(), leftMs);
  }

  #lost(): void {
    this.#sendNow();
    this.#tell({ type: 'lost' });
    this.#retry();
  }

  #retry(): void {
    this.#isBroken = true;
    this.#stop();
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => void this.#open(), retryDelayMs(this.#tries, Math.random()));
  }

  #stop(): void {
    clearTimeout(this.#opening);
    clearTimeout(this.#silence);
    this.#newest = undefined;
    this.#isOpen = false;
    this.#closeFormer?.();
    this.#closeFormer = undefined;
    this.#close?.();
    this.#close = undefined;
    this.#carried = '';
  }

  #tell(signal: ConnectionSignal): void {
    for (const tab of this.#tabs) {
      for (const runId of tab.runs.keys()) tab.send({ type: 'signal', runId, signal });
      if (tab.list) tab.send({ type: 'list-signal', signal });
    }
  }

  #tellRun(runId: string, signal: ConnectionSignal): void {
    for (const tab of this.#tabs) if (tab.runs.has(runId)) tab.send({ type: 'signal', runId, signal });
  }
}

/** A cheap check before parsing; the match may also be part of a text. */
function endsRun(data: string): boolean {
  if (!data.includes('"run.ended"')) return false;
  const event: unknown = JSON.parse(data);
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'run.ended';
}

/** Whether all names of the first are among those of the second: `a,c` in `a,b,c+list`. */
function isPart(names: string, carried: string): boolean {
  const [runs = '', list] = names.split('+');
  const [carriedRuns = '', carriedList] = carried.split('+');
  if (list !== undefined && carriedList === undefined) return false;
  const have = new Set(carriedRuns.split(','));
  return runs === '' || runs.split(',').every((runId) => have.has(runId));
}
