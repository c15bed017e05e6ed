import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunSummary } from '../api/run-summary.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { completedLog } from '../testing/sample-logs.ts';
import { LiveDeltas } from './live-deltas.ts';
import { type FeedSource, RunFeed } from './run-feed.ts';

const { runId, events: log } = completedLog();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run whose first events are visible; further ones appear on demand. */
function growingRun(options: { list: boolean; after?: number }) {
  let shown = 0;
  let summary: RunSummary | undefined;
  const texts = new LiveDeltas();
  const events = () => log.slice(0, shown);
  const source: FeedSource = {
    recent: (_, afterSeq, limit) => events().slice(afterSeq, afterSeq + limit),
    stored: async () => [],
    live: () => ({ lastSeq: shown, texts, ended: events().at(-1)?.type === 'run.ended' }),
    summary: async () => summary,
    summaries: async () => [],
  };
  const feed = new RunFeed({
    source,
    topics: new Map(options.list ? [] : [[runId, options.after ?? 0]]),
    list: options.list,
    finished: new Set(),
    onClose: () => undefined,
  });
  return {
    feed,
    texts,
    show(count: number): void {
      shown = count;
      summary = summarizeRun(foldAll(emptyRunState(runId), events()));
      feed.notify(runId);
    },
  };
}

const seqsOf = (items: Awaited<ReturnType<RunFeed['next']>>) =>
  items.map((item) => (item.kind === 'event' ? item.event.seq : item.kind));
const seqsTo = (from: number, to: number) => log.slice(from - 1, to).map(({ seq }: RunEvent) => seq);

it('sends the first events at once, and what follows within the next moments together', async () => {
  const run = growingRun({ list: false });
  run.show(2);
  expect(seqsOf(await run.feed.next(1000))).toEqual([1, 2]);
  const next = run.feed.next(1000);
  run.show(3);
  await vi.advanceTimersByTimeAsync(2);
  run.show(5);
  await vi.advanceTimersByTimeAsync(2);
  run.show(6);
  await vi.advanceTimersByTimeAsync(50);
  expect(seqsOf(await next)).toEqual([3, 4, 5, 6]);
});

it('does not make a viewer wait for an event after a pause', async () => {
  const run = growingRun({ list: false });
  run.show(1);
  await run.feed.next(1000);
  await vi.advanceTimersByTimeAsync(1000);
  const asked = performance.now();
  run.show(2);
  expect(seqsOf(await run.feed.next(1000))).toEqual([2]);
  expect(performance.now()).toBe(asked);
});

it('sends the end of a run at once', async () => {
  const run = growingRun({ list: false });
  run.show(1);
  await run.feed.next(1000);
  const asked = performance.now();
  const next = run.feed.next(1000);
  run.show(2);
  run.show(log.length);
  expect(seqsOf(await next)).toEqual(seqsTo(2, log.length));
  expect(performance.now()).toBe(asked);
});

it('ends with a run that ends before the position of the viewer', async () => {
  const run = growingRun({ list: false, after: log.length + 1 });
  run.show(2);
  const next = run.feed.next(1000);
  await vi.advanceTimersByTimeAsync(50);
  expect(run.feed.done).toBe(false);
  run.show(log.length);
  await vi.advanceTimersByTimeAsync(50);
  expect(await next).toEqual([]);
  expect(run.feed.done).toBe(true);
});

it('stops waiting when it is closed', async () => {
  const run = growingRun({ list: false });
  run.show(1);
  await run.feed.next(1000);
  const next = run.feed.next(1000);
  run.feed.close();
  expect(await next).toEqual([]);
});

it('sends the list a run when its summary changes, and not for text in progress', async () => {
  const run = growingRun({ list: true });
  run.show(1);
  expect(seqsOf(await run.feed.next(100))).toEqual(['run']);
  run.feed.notify(runId);
  const quiet = run.feed.next(100);
  await vi.advanceTimersByTimeAsync(200);
  expect(await quiet).toEqual([]);
  run.show(2);
  expect(seqsOf(await run.feed.next(100))).toEqual(['run']);
});
