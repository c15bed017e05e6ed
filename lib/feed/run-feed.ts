import type { RunSummary } from '../api/run-summary.ts';
import type { RunDelta } from '../events/delta.ts';
import type { RunEvent } from '../events/registry.ts';
import type { EventText } from '../store/run-store.ts';
import { type LiveDeltas, nothingSeen, type SeenTexts } from './live-deltas.ts';
import { PACE_MS } from './pace.ts';

/** An item sent to a viewer. */
export type FeedItem =
  | { kind: 'event'; event: RunEvent }
  | { kind: 'text'; text: EventText }
  | { kind: 'delta'; runId: string; delta: RunDelta }
  | { kind: 'run'; summary: RunSummary }
  | { kind: 'deleted'; runId: string };

/** Where a feed reads from. */
export interface FeedSource {
  /** Up to `limit` events after `afterSeq` that are in memory, without gaps. */
  recent(runId: string, afterSeq: number, limit: number): readonly RunEvent[] | undefined;
  /** A page of events after `afterSeq` from the store, without gaps. */
  stored(runId: string, afterSeq: number): Promise<readonly (RunEvent | EventText)[]>;
  /**
   * The last sequence number and the texts in progress of a run held by this process, and whether it is known to have
   * ended.
   */
  live(runId: string): { lastSeq: number; texts: LiveDeltas; ended?: boolean } | undefined;
  /** Where changes are known, the same object is returned until something in it changes. */
  summary(runId: string): Promise<RunSummary | undefined>;
  /** The first page of the run list: the newest runs and all unfinished ones. */
  summaries(): Promise<RunSummary[]>;
}

/** Live events sent to a viewer at a time. The rest stays in the store, not in memory. */
const PAGE = 100;
interface Topic {
  cursor: number;
  readonly seen: SeenTexts;
}

/**
 * What one viewer follows: runs, each from a sequence number, and optionally the run list. The viewer pulls: a slow one
 * costs two numbers per run and never delays a run.
 */
export class RunFeed {
  readonly #source: FeedSource;
  readonly #topics = new Map<string, Topic>();
  readonly #dirty = new Set<string>();
  readonly #changedRuns: Set<string> | undefined;
  readonly #onClose: () => void;
  #listPending: boolean;
  #wake: (() => void) | undefined;
  /** Ends the pause between two pulls. */
  #hurry: (() => void) | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** Whether the last pull stopped at its limit. */
  #hasMore = false;
  /** The summaries that the viewer of the list has, of unfinished runs. */
  readonly #listed = new Map<string, RunSummary>();
  #closed = false;
  #ended: boolean;

  constructor(options: {
    source: FeedSource;
    /** Run ID to the last sequence number the viewer has. */
    topics: ReadonlyMap<string, number>;
    list: boolean;
    /** Topics whose viewer already has every event of an ended run. */
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

  /** Whether the feed was closed, or the only run it follows has ended and was sent completely. */
  get done(): boolean {
    return this.#closed || (this.#ended && this.#topics.size === 1 && this.#changedRuns === undefined);
  }

  /** Marks a run as changed. Cheap: the feed reads it on the next pull. */
  notify(runId: string): void {
    if (this.#topics.has(runId)) this.#dirty.add(runId);
    this.#changedRuns?.add(runId);
    this.#wake?.();
    if (this.#hurry && this.#topics.has(runId) && this.#source.live(runId)?.ended) this.#hurry();
  }

  /**
   * The next items in order, up to a limit. Waits for the first; returns an empty list after `timeoutMs` or when the feed
   * is closed. Must not be called again before the last promise has settled.
   */
  async next(timeoutMs: number): Promise<FeedItem[]> {
    const deadline = performance.now() + timeoutMs;
    while (!this.done) {
      await this.#pause();
      const items = await this.#collect();
      if (items.length > 0) {
        this.#sentAt = performance.now();
        return items;
      }
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
    this.#hurry?.();
    this.#onClose();
  }

  async #collect(): Promise<FeedItem[]> {
    const items: FeedItem[] = [];
    this.#hasMore = false;
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
      // One page from the store is enough per pull, and does not show whether more follow.
      if (items.length >= PAGE || (!recent && events.length > 0)) {
        this.#dirty.add(runId);
        this.#hasMore = true;
        return;
      }
      const live = this.#source.live(runId);
      if (!live) {
        await this.#noticeEnd(runId, topic, items);
        return;
      }
      // Text in progress is only shown to a viewer that has every event before it.
      if (live.lastSeq > topic.cursor && events.length > 0) continue;
      // The text belongs to another point of the log: newer events came before it, or earlier ones cannot be read yet.
      if (live.lastSeq !== topic.cursor) {
        // The viewer named a position that the log never reached.
        if (live.ended && live.lastSeq < topic.cursor) this.#ended = true;
        return;
      }
      for (const delta of live.texts.since(topic.seen)) items.push({ kind: 'delta', runId, delta });
      return;
    }
  }

  /** An imported log may stop before its run did, and a run may be deleted: no more events will follow. */
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
      if (!summary) items.push({ kind: 'deleted', runId });
      // Text in progress changes nothing in the list.
      else if (this.#listed.get(runId) !== summary) items.push({ kind: 'run', summary });
      if (summary && summary.phase !== 'ended') this.#listed.set(runId, summary);
      else this.#listed.delete(runId);
    }
  }

  /** Waits until `PACE_MS` after the last items, unless more are waiting or the run has ended. */
  #pause(): Promise<void> | undefined {
    const left = this.#sentAt + PACE_MS - performance.now();
    if (left <= 0 || this.#hasMore) return undefined;
    for (const runId of this.#dirty) if (this.#source.live(runId)?.ended) return undefined;
    return new Promise((resolve) => {
      const hurry = () => {
        clearTimeout(timer);
        this.#hurry = undefined;
        resolve();
      };
      const timer = setTimeout(hurry, left);
      this.#hurry = hurry;
    });
  }

  #sleep(ms: number): Promise<void> {
    if (this.#dirty.size > 0 || (this.#changedRuns?.size ?? 0) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      // Wait one turn of the event loop, so that events appended together are sent together.
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
