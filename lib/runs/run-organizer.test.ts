import { afterEach, expect, it, vi } from 'vitest';
import { summarizeRun } from '../api/summarize-run.ts';
import { AppError } from '../errors/app-error.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { RunChanges } from '../feed/run-changes.ts';
import type { AnnotationStore } from '../store/annotation-store.ts';
import { completedLog } from '../testing/sample-logs.ts';
import { RunOrganizer } from './run-organizer.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** An organizer next to another process that purges everything but `own` first. */
function besideAnother(restored: ReadonlySet<string>, own: string[] = []) {
  const removed: string[] = [];
  const purged: number[] = [];
  const busy = new AppError({ code: 'store_busy', message: 'The database does not answer.' });
  const finalizeDeletions = vi.fn<AnnotationStore['finalizeDeletions']>(async () => own.splice(0));
  const summary = vi.fn(async (id: string) =>
    restored.has(id) ? summarizeRun(foldAll(emptyRunState(id), completedLog().events)) : undefined,
  );
  const organizer = new RunOrganizer({
    store: {
      hideRuns: async () => undefined,
      finalizeDeletions,
      purgeRuns: async (before) => {
        purged.push(before);
        return [];
      },
      restoreRuns: async () => [],
      annotate: async () => undefined,
      extras: async () => undefined,
      families: async () => new Map(),
      facets: async () => ({ tags: [], folders: [], models: [] }),
    },
    stored: { summary, refresh: () => undefined },
    runs: { forget: () => undefined },
    changes: new RunChanges(),
    observers: [{ write: async () => undefined, remove: async (id) => void removed.push(id) }],
    undoMs: 1000,
  });
  return { organizer, removed, purged, summary, fail: () => finalizeDeletions.mockRejectedValueOnce(busy) };
}

it('removes what it keeps of runs that another process deleted or purged, but not of restored ones', async () => {
  vi.useFakeTimers();
  const { organizer, removed } = besideAnother(new Set(['restored']));
  await organizer.delete(['mine']);
  for (const id of ['theirs', 'restored']) organizer.deletedElsewhere(id);
  await vi.advanceTimersByTimeAsync(5900);
  expect(removed).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(removed).toEqual(['mine', 'theirs']);
  organizer.close();
});

it('looks up none of the runs that it has just purged, and others in slices', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const idsOf = (name: string) => Array.from({ length: 500 }, (_, index) => `${name}${index}`);
  const own = idsOf('own');
  const { organizer, removed, summary } = besideAnother(new Set(), [...own]);
  let inARow = 0;
  let most = 0;
  const count = () => {
    inARow = 0;
    if (removed.length < 1000) setImmediate(count);
  };
  summary.mockImplementation(async () => {
    inARow += 1;
    most = Math.max(most, inARow);
    return undefined;
  });
  await organizer.delete(own);
  for (const id of idsOf('theirs')) organizer.deletedElsewhere(id);
  setImmediate(count);
  await vi.advanceTimersByTimeAsync(6000);
  await vi.waitFor(() => expect(removed).toHaveLength(1000));
  expect(summary).toHaveBeenCalledTimes(500);
  expect(most).toBeLessThanOrEqual(100);
  organizer.close();
});

it('keeps what belongs to a run that was restored and deleted again until that can no longer be undone', async () => {
  vi.useFakeTimers();
  const { organizer, removed } = besideAnother(new Set());
  organizer.deletedElsewhere('again');
  await vi.advanceTimersByTimeAsync(3000);
  organizer.deletedElsewhere('again');
  await vi.advanceTimersByTimeAsync(5900);
  expect(removed).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(removed).toEqual(['again']);
  organizer.close();
});

it('removes what it keeps of a deleted run once nobody can restore it, and the run even where that fails', async () => {
  const done: string[] = [];
  const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const organizer = new RunOrganizer({
    store: {
      hideRuns: async () => undefined,
      finalizeDeletions: async () => {
        done.push('final');
        return ['a', 'b'];
      },
      purgeRuns: async () => {
        done.push('purged');
        return ['a', 'b'];
      },
      restoreRuns: async () => [],
      annotate: async () => undefined,
      extras: async () => undefined,
      families: async () => new Map(),
      facets: async () => ({ tags: [], folders: [], models: [] }),
    },
    stored: { summary: async () => undefined, refresh: () => undefined },
    runs: { forget: () => undefined },
    changes: new RunChanges(),
    observers: [
      {
        write: async () => undefined,
        remove: async (id) => {
          done.push(id);
          if (id === 'a') throw new Error('permission denied');
        },
      },
    ],
  });
  organizer.start();
  await expect.poll(() => failed.mock.calls.length).toBe(1);
  expect(done).toEqual(['final', 'a', 'b', 'purged']);
  failed.mockRestore();
  organizer.close();
});

it('removes deleted runs later where the store does not answer when it is time', async () => {
  vi.useFakeTimers();
  const { organizer, removed, purged, fail } = besideAnother(new Set());
  await organizer.delete(['mine']);
  fail();
  await vi.advanceTimersByTimeAsync(6000);
  expect([removed, purged]).toEqual([[], []]);
  await vi.advanceTimersByTimeAsync(6000);
  expect([removed, purged.length]).toEqual([['mine'], 1]);
  organizer.close();
});

it('dates deletions by the clock that all machines share, and promises the time to undo them by its own', async () => {
  const asked: (string | number)[] = [];
  const store: AnnotationStore = {
    hideRuns: async (_ids, at) => void asked.push('hide', at),
    purgeRuns: async (before) => {
      asked.push('purge', before);
      return [];
    },
    finalizeDeletions: async () => [],
    restoreRuns: async () => [],
    annotate: async () => undefined,
    extras: async () => undefined,
    families: async () => new Map(),
    facets: async () => ({ tags: [], folders: [], models: [] }),
  };
  const organizer = new RunOrganizer({
    store,
    stored: { summary: async () => undefined, refresh: () => undefined },
    runs: { forget: () => undefined },
    changes: new RunChanges(),
    undoMs: 1000,
    now: async () => 50_000,
  });
  const before = Date.now();
  expect((await organizer.delete(['a'])).undo_until).toBeGreaterThanOrEqual(before + 1000);
  organizer.start();
  await expect.poll(() => asked).toEqual(['hide', 50_000, 'purge', 49_000]);
  organizer.close();
});
