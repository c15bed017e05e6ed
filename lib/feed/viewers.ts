import { AppError } from '../errors/app-error.ts';
import type { RunReader } from '../store/run-store.ts';
import { RunNotFoundError } from '../store/store-errors.ts';
import type { FollowedRuns } from './followed-runs.ts';
import { type FeedSource, RunFeed } from './run-feed.ts';

const MAX_FEEDS = 512;
/** Page size for stored logs, which limits the memory held for a viewer that does not read. */
const READ_PAGE = 100;
const TEXT_PAGE = { limit: 1000, maxChars: 512 * 1024 };

/** What a viewer subscribes to. */
export interface FollowOptions {
  /** Run ID to the last sequence number the viewer has. */
  topics: ReadonlyMap<string, number>;
  /** Whether to follow the run list as well. */
  list?: boolean;
  /** Whether stored events are sent as raw text, for viewers of the whole log, where parsing would be wasted. */
  texts?: boolean;
  /** Ends the subscription. */
  signal: AbortSignal;
}

/** The feeds of all viewers, by the runs they follow, and the feeds of the run list. */
export class Viewers {
  readonly #events: FeedSource;
  readonly #texts: FeedSource;
  readonly #feeds = new Set<RunFeed>();
  readonly #followed: FollowedRuns;
  readonly #listFeeds = new Set<RunFeed>();

  /**
   * @param options.source the state of runs outside the stored log
   * @param options.followed receives the runs of each feed
   */
  constructor(options: {
    store: Pick<RunReader, 'read' | 'readTexts'>;
    source: Omit<FeedSource, 'stored'>;
    followed: FollowedRuns;
  }) {
    const { store, source, followed } = options;
    this.#followed = followed;
    this.#events = {
      ...source,
      stored: (runId, afterSeq) => store.read(runId, { afterSeq, limit: READ_PAGE }),
    };
    this.#texts = {
      ...source,
      stored: (runId, afterSeq) => store.readTexts(runId, { afterSeq, ...TEXT_PAGE }),
    };
  }

  /** The number of connected viewers. */
  get count(): number {
    return this.#feeds.size;
  }

  /** @throws {AppError} `run_not_found`, `too_many_streams` */
  async follow({ topics, list = false, texts = false, signal }: FollowOptions): Promise<RunFeed> {
    if (this.#feeds.size >= MAX_FEEDS) {
      throw new AppError({
        code: 'too_many_streams',
        message: `The limit of ${MAX_FEEDS} viewers is reached.`,
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
    this.#followed.add(feed);
    signal.addEventListener('abort', () => feed.close(), { once: true });
    if (signal.aborted) feed.close();
    return feed;
  }

  /** Call when a run has something new to show. */
  notify(runId: string): void {
    for (const feed of this.#followed.feedsOf(runId)) feed.notify(runId);
    for (const feed of this.#listFeeds) feed.notify(runId);
  }

  close(): void {
    for (const feed of [...this.#feeds]) feed.close();
  }

  /** Topics whose viewer already has every event of an ended run. */
  async #finishedOf(topics: ReadonlyMap<string, number>): Promise<Set<string>> {
    const finished = new Set<string>();
    for (const [runId, cursor] of topics) {
      const run = await this.#events.summary(runId);
      if (!run) throw new RunNotFoundError(runId);
      if (run.phase === 'ended' && cursor >= run.last_seq) finished.add(runId);
    }
    return finished;
  }

  #forget(feed: RunFeed): void {
    this.#feeds.delete(feed);
    this.#listFeeds.delete(feed);
    this.#followed.delete(feed);
  }
}
