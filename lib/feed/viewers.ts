import { AppError } from '../errors/app-error.ts';
import type { RunStore } from '../store/run-store.ts';
import { RunNotFoundError } from '../store/store-errors.ts';
import { type FeedSource, RunFeed } from './run-feed.ts';

const MAX_FEEDS = 512;
/** What a viewer gets of a stored log at a time: so much of it is held for a viewer that does not take. */
const READ_PAGE = 100;
const TEXT_PAGE = { limit: 1000, maxChars: 512 * 1024 };

/** What a viewer follows. */
export interface FollowOptions {
  /** Run id to the last sequence number the viewer has. */
  topics: ReadonlyMap<string, number>;
  /** The list of runs, too. */
  list?: boolean;
  /** Events out of the store come as their text: for viewers of the whole log, who need them sent and not read. */
  texts?: boolean;
  /** Ends it. */
  signal: AbortSignal;
}

/** Who looks at what: the feeds of all viewers, by the runs they follow, and those that follow the list of runs. */
export class Viewers {
  readonly #store: Pick<RunStore, 'read' | 'readTexts' | 'summary'>;
  readonly #events: FeedSource;
  readonly #texts: FeedSource;
  readonly #feeds = new Set<RunFeed>();
  readonly #followers = new Map<string, Set<RunFeed>>();
  readonly #listFeeds = new Set<RunFeed>();

  /** @param options.source what is at hand of a run beside its stored log */
  constructor(options: {
    store: Pick<RunStore, 'read' | 'readTexts' | 'summary'>;
    source: Omit<FeedSource, 'stored'>;
  }) {
    const { store, source } = options;
    this.#store = store;
    this.#events = {
      ...source,
      stored: (runId, afterSeq) => store.read(runId, { afterSeq, limit: READ_PAGE }),
    };
    this.#texts = {
      ...source,
      stored: (runId, afterSeq) => store.readTexts(runId, { afterSeq, ...TEXT_PAGE }),
    };
  }

  /** Viewers connected at the moment. */
  get count(): number {
    return this.#feeds.size;
  }

  /** The runs that somebody looks at. */
  get followed(): Pick<ReadonlyMap<string, unknown>, 'keys' | 'has'> {
    return this.#followers;
  }

  /** @throws {AppError} `run_not_found`, `too_many_streams` */
  async follow({ topics, list = false, texts = false, signal }: FollowOptions): Promise<RunFeed> {
    if (this.#feeds.size >= MAX_FEEDS) {
      throw new AppError({
        code: 'too_many_streams',
        message: `${MAX_FEEDS} viewers are connected; no more are served.`,
        hint: 'Close some tabs.',
      });
    }
    const feed = new RunFeed({
      source: texts ? this.#texts : this.#events,
      topics,
      list,
      finished: await this.#finishedOf(topics),
      onClose: () => this.#forget(feed),
    });
    this.#feeds.add(feed);
    if (list) this.#listFeeds.add(feed);
    for (const runId of topics.keys()) {
      const followers = this.#followers.get(runId) ?? new Set();
      this.#followers.set(runId, followers.add(feed));
    }
    signal.addEventListener('abort', () => feed.close(), { once: true });
    if (signal.aborted) feed.close();
    return feed;
  }

  /** There is something new of a run. */
  notify(runId: string): void {
    for (const feed of this.#followers.get(runId) ?? []) feed.notify(runId);
    for (const feed of this.#listFeeds) feed.notify(runId);
  }

  close(): void {
    for (const feed of [...this.#feeds]) feed.close();
  }

  /** Of the topics, those whose viewer has everything up to the end. */
  async #finishedOf(topics: ReadonlyMap<string, number>): Promise<Set<string>> {
    const finished = new Set<string>();
    for (const [runId, cursor] of topics) {
      const run = await this.#store.summary(runId);
      if (!run) throw new RunNotFoundError(runId);
      if (run.phase === 'ended' && cursor >= run.last_seq) finished.add(runId);
    }
    return finished;
  }

  #forget(feed: RunFeed): void {
    this.#feeds.delete(feed);
    this.#listFeeds.delete(feed);
    for (const runId of feed.runIds) {
      const followers = this.#followers.get(runId);
      followers?.delete(feed);
      if (followers?.size === 0) this.#followers.delete(runId);
    }
  }
}
