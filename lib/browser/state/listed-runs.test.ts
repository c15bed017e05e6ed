import { expect, it } from 'vitest';
import type { RunSummary } from '../../api/run-summary.ts';
import { importedSummary } from '../../api/summarize-run.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { groupsByDate, listedRuns } from './listed-runs.ts';

const sample = importedSummary(foldAll(emptyRunState('sample'), completedLog().events), 1);
const run = (id: string, change: Partial<RunSummary> = {}): RunSummary => ({ ...sample, id, ...change });

it('shows a family as one row, with what the server knows of it or the runs themselves say', () => {
  const runs = [
    run('c', { family: 'a' }),
    run('b'),
    run('a', { outcome: { kind: 'stall' } }),
    run('x', { family: 'e' }),
  ];
  const stored = { runs: 7, active: 0, outcomes: { answered: 7 }, latest_at: 1, experiment: 'Plan' };
  expect(listedRuns(runs, { e: stored })).toMatchObject([
    { run: { id: 'c' }, family: { id: 'a', runs: 2, active: 0, outcomes: { answered: 1, stall: 1 } } },
    { run: { id: 'b' } },
    { run: { id: 'x' }, family: { id: 'e', runs: 7, experiment: 'Plan' } },
  ]);
  expect(listedRuns([run('b')], {})[0]).not.toHaveProperty('family');
});

it('groups rows by date, active ones first', () => {
  // A Wednesday.
  const now = new Date(2026, 10, 18, 12).getTime();
  const at = (month: number, day: number, year = 2026) => new Date(year, month, day, 10).getTime();
  const rows = [
    run('today', { created_at: at(10, 18) }),
    run('yesterday', { created_at: at(10, 17) }),
    run('active', { created_at: at(10, 17), phase: 'calling', outcome: undefined }),
    run('monday', { created_at: at(10, 16) }),
    run('sunday', { created_at: at(10, 15) }),
    run('october', { created_at: at(9, 31) }),
    run('before', { created_at: at(10, 30, 2025) }),
  ].map((each) => ({ run: each }));
  const groups = groupsByDate(rows, now).map(({ title, rows }) => [title, ...rows.map((row) => row.run.id)]);
  expect(groups).toEqual([
    ['Active', 'active'],
    ['Today', 'today'],
    ['Yesterday', 'yesterday'],
    ['This week', 'monday'],
    ['November', 'sunday'],
    ['October', 'october'],
    ['November 2025', 'before'],
  ]);
});
