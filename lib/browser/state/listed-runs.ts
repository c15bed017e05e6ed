import type { RunFamily } from '../../api/run-family.ts';
import { familyOf, type RunSummary } from '../../api/run-summary.ts';

/** A row of the run list: a run, or the newest run of a family that the row stands for. */
export interface ListedRun {
  run: RunSummary;
  family?: { id: string } & RunFamily;
}

/**
 * One row per family, in the order of the runs.
 *
 * @param families the server's data about families; others are derived from the runs
 */
export function listedRuns(
  runs: readonly RunSummary[],
  families: Readonly<Record<string, RunFamily>>,
): ListedRun[] {
  const members = Map.groupBy(runs, familyOf);
  return [...members].flatMap(([id, [run, ...others]]): ListedRun[] => {
    if (!run) return [];
    const stored = families[id];
    const here = familyOfRuns([run, ...others]);
    const family = stored && stored.runs >= here.runs ? stored : { ...stored, ...here };
    return family.runs > 1 || family.experiment !== undefined
      ? [{ run, family: { id, ...family } }]
      : [{ run }];
  });
}

function familyOfRuns(runs: readonly RunSummary[]): RunFamily {
  const outcomes: RunFamily['outcomes'] = {};
  for (const { outcome } of runs) if (outcome) outcomes[outcome.kind] = (outcomes[outcome.kind] ?? 0) + 1;
  return {
    runs: runs.length,
    active: runs.filter(({ phase }) => phase !== 'ended').length,
    outcomes,
    latest_at: Math.max(...runs.map((run) => run.created_at)),
  };
}

/** A part of the list with its heading. */
export interface RunGroup {
  title: string;
  rows: readonly ListedRun[];
}

/** The heading of active rows. */
export const ACTIVE_TITLE = 'Active';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Groups rows by when they were created: Today, Yesterday, This week (from Monday), and months. Active rows come first.
 *
 * @param rows newest first
 * @param now milliseconds since 1970
 */
export function groupsByDate(rows: readonly ListedRun[], now: number): RunGroup[] {
  const today = new Date(now);
  const midnight = (daysAgo: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo).getTime();
  const [todayAt, yesterdayAt, mondayAt] = [midnight(0), midnight(1), midnight((today.getDay() + 6) % 7)];
  const titleOf = (row: ListedRun): string => {
    if (isActive(row)) return ACTIVE_TITLE;
    const { created_at: at } = row.run;
    if (at >= todayAt) return 'Today';
    if (at >= yesterdayAt) return 'Yesterday';
    if (at >= mondayAt) return 'This week';
    const date = new Date(at);
    const month = MONTHS[date.getMonth()] ?? '';
    return date.getFullYear() === today.getFullYear() ? month : `${month} ${date.getFullYear()}`;
  };
  const active = rows.filter(isActive);
  const others = rows.filter((row) => !isActive(row));
  return [...Map.groupBy([...active, ...others], titleOf)].map(([title, group]) => ({ title, rows: group }));
}

function isActive({ run, family }: ListedRun): boolean {
  return run.phase !== 'ended' || (family?.active ?? 0) > 0;
}
