import { expect, it } from 'vitest';
import { RunChanges } from '../feed/run-changes.ts';
import type { AnnotationStore } from '../store/annotation-store.ts';
import { RunOrganizer } from './run-organizer.ts';

it('dates deletions by the clock that all machines share, and promises the time to undo them by its own', async () => {
  const asked: (string | number)[] = [];
  const store: AnnotationStore = {
    hideRuns: async (_ids, at) => void asked.push('hide', at),
    purgeRuns: async (before) => {
      asked.push('purge', before);
      return [];
    },
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
