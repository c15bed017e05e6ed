import { expect, it } from 'vitest';
import { importedSummary } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { MAX_SELECTED_RUNS } from '../../events/limits.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import {
  compareProblem,
  deleteProblem,
  NOTHING_SELECTED,
  rangeOf,
  withNewer,
  withoutRuns,
  withSelected,
} from './selection.ts';

const sample = importedSummary(foldAll(emptyRunState('sample'), completedLog().events), 1);
const runs = Array.from({ length: MAX_SELECTED_RUNS + 5 }, (_, index) => ({ ...sample, id: `r${index}` }));
const first = (count: number) => withSelected(NOTHING_SELECTED, runs.slice(0, count), true);

it('selects and deselects runs, up to a limit', () => {
  expect(withSelected(NOTHING_SELECTED, runs, true).size).toBe(MAX_SELECTED_RUNS);
  expect([...withSelected(first(3), runs.slice(1, 2), false).keys()]).toEqual(['r0', 'r2']);
});

it('selects the rows between two clicks, in either direction', () => {
  const rows = runs.slice(0, 5).map((run) => ({ run }));
  const ids = (from: string | undefined, to: string) => rangeOf(rows, from, to).map(({ run }) => run.id);
  expect(ids('r1', 'r3')).toEqual(['r1', 'r2', 'r3']);
  expect(ids('r3', 'r1')).toEqual(['r1', 'r2', 'r3']);
  expect(ids(undefined, 'r2')).toEqual(['r2']);
  expect(ids('r1', 'hidden')).toEqual([]);
});

it('explains why runs cannot be compared or deleted', () => {
  expect(compareProblem(first(1))).toBe('Select another run to compare.');
  expect(compareProblem(first(2))).toBeUndefined();
  expect(deleteProblem(first(2))).toBeUndefined();
  const active = withSelected(first(1), [{ ...sample, id: 'x', phase: 'calling' }], true);
  expect(deleteProblem(active)).toBe('One of them is active. Stop it first.');
});

it('lets a run be deleted that has ended since it was selected', () => {
  const selected = withSelected(
    NOTHING_SELECTED,
    [{ ...sample, id: 'x', phase: 'calling', last_seq: 5 }],
    true,
  );
  expect(deleteProblem(withNewer(selected, [{ ...sample, id: 'x', last_seq: 9 }]))).toBeUndefined();
});

it('keeps what is newer, and does not select what changes elsewhere', () => {
  const selected = first(2);
  expect(withNewer(selected, [{ ...sample, id: 'other' }])).toBe(selected);
  expect(withNewer(selected, [{ ...sample, id: 'r0', last_seq: sample.last_seq - 1 }])).toBe(selected);
  const noted = { ...sample, id: 'r0', annotations: { note: 'written in another tab' } };
  expect(withNewer(selected, [noted]).get('r0')).toBe(noted);
});

it('drops a run that was deleted elsewhere', () => {
  const selected = first(2);
  expect([...withoutRuns(selected, ['r0']).keys()]).toEqual(['r1']);
  expect(withoutRuns(selected, ['other'])).toBe(selected);
});
