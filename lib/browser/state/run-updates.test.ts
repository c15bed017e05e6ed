import { expect, it } from 'vitest';
import type { RunSummary } from '../../api/run-summary.ts';
import { importedSummary } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import {
  afterReading,
  endedUpdates,
  MAX_ENDED_UPDATES,
  type RunUpdates,
  withDeleted,
  withRuns,
} from './run-updates.ts';

const sample = importedSummary(foldAll(emptyRunState('sample'), completedLog().events), 1);
const ended = (id: string): RunSummary => ({ ...sample, id });
const working = (id: string): RunSummary => ({ ...sample, id, phase: 'calling', outcome: undefined });
const NONE: RunUpdates = new Map();

it('keeps the last update of each run', () => {
  const updates = withRuns(withRuns(NONE, [working('a'), working('b')], 1), [ended('a')], 2);
  expect([...updates.values()].map(({ run }) => run?.phase)).toEqual(['ended', 'calling']);
  expect(endedUpdates(updates)).toBe(1);
  expect(endedUpdates(withDeleted(updates, 'b', 3))).toBe(2);
});

it('drops ended and deleted runs when the list was read after their updates', () => {
  const updates = withDeleted(withRuns(NONE, [ended('a'), working('b')], 1), 'c', 1);
  const later = withDeleted(withRuns(updates, [ended('d')], 5), 'e', 6);
  expect([...afterReading(later, 5).keys()]).toEqual(['b', 'd', 'e']);
  expect(afterReading(updates, 1)).toBe(updates);
});

it('does not grow with the runs of a day when the list is read again in time', () => {
  let updates = NONE;
  for (let index = 0; index < 1000; index += 1) {
    updates = withRuns(withRuns(updates, [working(`run-${index}`)], index), [ended(`run-${index}`)], index);
    if (endedUpdates(updates) >= MAX_ENDED_UPDATES) updates = afterReading(updates, index);
    expect(updates.size).toBeLessThanOrEqual(MAX_ENDED_UPDATES);
  }
});
