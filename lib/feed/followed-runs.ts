import type { RunFeed } from './run-feed.ts';

/** The runs that viewers of this process follow, and the feeds that show each of them. */
export class FollowedRuns {
  readonly #feeds = new Map<string, Set<RunFeed>>();

  add(feed: RunFeed): void {
    for (const runId of feed.runIds) {
      const feeds = this.#feeds.get(runId) ?? new Set();
      this.#feeds.set(runId, feeds.add(feed));
    }
  }

  delete(feed: RunFeed): void {
    for (const runId of feed.runIds) {
      const feeds = this.#feeds.get(runId);
      feeds?.delete(feed);
      if (feeds?.size === 0) this.#feeds.delete(runId);
    }
  }

  has(runId: string): boolean {
    return this.#feeds.has(runId);
  }

  keys(): MapIterator<string> {
    return this.#feeds.keys();
  }

  /** The feeds that show this run. */
  feedsOf(runId: string): Iterable<RunFeed> {
    return this.#feeds.get(runId) ?? [];
  }
}
