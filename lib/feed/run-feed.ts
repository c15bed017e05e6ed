import type { RunSummary } from '../api/run-summary.ts';
import type { RunDelta } from '../events/delta.ts';
import type { RunEvent } from '../events/registry.ts';
import type { EventText } from '../store/run-store.ts';
import { type LiveTexts, nothingSeen, type SeenTexts } from './live-texts.ts';

/** One thing a viewer gets. */
export type FeedItem =
  | { kind: 'event'; event: RunEvent }
  | { kind: 'text'; text: EventText }
  | { kind: 'delta'; runId: string; delta: RunDelta }
  | { kind: 'run'; summary: RunSummary }
  | { kind: 'deleted'; runId: string };

/** Where a feed takes from. */
export interface FeedSource {
  /** Events after `afterSeq` that are at hand in this process, at most `limit`, without gap. */
  recent(runId: string, afterSeq: number, limit: number): readonly RunEvent[] | undefined;
  /** Events after `afterSeq` out of the store, a bounded number of them, without gap. */
  stored(runId: string, afterSeq: number): Promise<readonly (RunEvent | EventText)[]>;
  /** The last number of a run that is held in this process, and its running texts. */
  live(runId: string): { lastSeq: number; texts: LiveTexts } | undefined;
  summary(runId: string): Promise<RunSummary | undefined>;
  /** What a run list shows first: the newest runs and all unfinished ones. */
  summaries(): Promise<RunSummary[]>;
}

/** Live events that a viewer gets at a time. What is more waits in the store, not in memory. */
const PAGE = 100;

interface Topic {
  cursor: number;
  readonly seen: SeenTexts;
}

/**
 * What one viewer follows: runs, each from a sequence number on, and the list of runs if asked for. It is pulled: a
 * viewer that does not take holds two numbers per run and nothing else, and never makes a run wait.
 */
export class RunFeed {
  readonly #source: FeedSource;
  readonly #topics = new Map<string, Topic>();
  readonly #dirty = new Set<string>();
  readonly #changedRuns: Set<string> | undefined;
  readonly #onClose: () => void;
  #listPending: boolean;
  #wake: (() => void) | undefined;
  #closed = false;
  #ended: boolean;

  constructor(options: {
    source: FeedSource;
    /** Run id to the last sequence number the viewer has. */
    topics: ReadonlyMap<string, number>;
    list: boolean;
    /** Of the topics, those whose viewer has everything up to the end. */
    finished: ReadonlySet<string>;
    onClose: () => void;
  }) {
    this.#source = options.source;
    for (const [runId, cursor] of options.topics) {
      this.#topics.set(runId, { cursor, seen: nothingSeen() });
      this.#dirty.add(runId);
    }
    this.#ended = options.finished.size > 0;
    this.#listPending = options.list;
    this.#changedRuns = options.list ? new Set() : undefined;
    this.#onClose = options.onClose;
  }

  get runIds(): Iterable<string> {
    return this.#topics.keys();
  }

  /** Closed from outside, or the only run it follows has ended and was sent whole. */
  get done(): boolean {
    return this.#closed || (this.#ended && this.#topics.size === 1 && this.#changedRuns === undefined);
  }

  /** Something happened to the run. Cheap: the viewer looks when it takes next. */
  notify(runId: string): void {
    if (this.#topics.has(runId)) this.#dirty.add(runId);
    this.#changedRuns?.add(runId);
    this.#wake?.();
  }

  /**
   * The next items in order, a bounded number of them. Waits for the first; comes back empty after `timeoutMs` and
   * when the feed is closed. Not to be called again before the last promise has settled.
   */
  async next(timeoutMs: number): Promise<FeedItem[]> {
    const deadline = performance.now() + timeoutMs;
    while (!this.done) {
      const items = await this.#collect();
      if (items.length > 0) return items;
      const left = deadline - performance.now();
      if (left <= 0 || this.done) break;
      await this.#sleep(left);
    }
    return [];
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#wake?.();
    this.#onClose();
  }

  async #collect(): Promise<FeedItem[]> {
    const items: FeedItem[] = [];
    await this.#collectList(items);
    for (const runId of [...this.#dirty]) {
      if (items.length >= PAGE || this.#closed) break;
      const topic = this.#topics.get(runId);
      this.#dirty.delete(runId);
      if (topic) await this.#collectRun(runId, topic, items);
    }
    return items;
  }

  async #collectRun(runId: string, topic: Topic, items: FeedItem[]): Promise<void> {
    for (;;) {
      const limit = PAGE - items.length;
      const recent = limit > 0 ? this.#source.recent(runId, topic.cursor, limit) : [];
      const events = recent ?? (await this.#source.stored(runId, topic.cursor));
      for (const event of events) {
        if (event.seq !== topic.cursor + 1) {
          throw new RangeError(`Run ${runId}: event ${event.seq} came after ${topic.cursor}`);
        }
        topic.cursor = event.seq;
        items.push('json' in event ? { kind: 'text', text: event } : { kind: 'event', event });
        if (event.type === 'run.ended') this.#ended = true;
      }
      // A page out of the store is enough for one time, and says nothing about what is behind it.
      if (items.length >= PAGE || (!recent && events.length > 0)) {
        this.#dirty.add(runId);
        return;
      }
      const live = this.#source.live(runId);
      if (!live) {
        await this.#noticeEnd(runId, topic, items);
        return;
      }
      // Text is shown only to a viewer who has every event before it.
      if (live.lastSeq > topic.cursor) continue;
      // Written elsewhere, before an event that came here sooner.
      if (live.lastSeq < topic.cursor) return;
      for (const delta of live.texts.since(topic.seen)) items.push({ kind: 'delta', runId, delta });
      return;
    }
  }

  /** A log that came as a file may stop before its run did, and a run may be deleted: nothing more will come of it. */
  async #noticeEnd(runId: string, topic: Topic, items: FeedItem[]): Promise<void> {
    const summary = await this.#source.summary(runId);
    if (!summary) items.push({ kind: 'deleted', runId });
    if (!summary || (summary.phase === 'ended' && topic.cursor >= summary.last_seq)) this.#ended = true;
  }

  async #collectList(items: FeedItem[]): Promise<void> {
    if (this.#listPending) {
      this.#listPending = false;
      for (const summary of await this.#source.summaries()) items.push({ kind: 'run', summary });
    }
    for (const runId of [...(this.#changedRuns ?? [])].slice(0, PAGE)) {
      this.#changedRuns?.delete(runId);
      const summary = await this.#source.summary(runId);
      items.push(summary ? { kind: 'run', summary } : { kind: 'deleted', runId });
    }
  }

  #sleep(ms: number): Promise<void> {
    if (this.#dirty.size > 0 || (this.#changedRuns?.size ?? 0) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      // One turn of the event loop later, so that what is appended together is sent together.
      const wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        setImmediate(resolve);
      };
      const timer = setTimeout(wake, ms);
      this.#wake = wake;
    });
  }
}
