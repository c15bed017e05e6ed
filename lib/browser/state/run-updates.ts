import type { RunSummary } from '../../api/run-summary.ts';

/** What the stream reported about a run of a list. */
interface RunUpdate {
  /** `undefined` if the run was deleted. */
  readonly run: RunSummary | undefined;
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
}

/** The last update of each run, by ID. */
export type RunUpdates = ReadonlyMap<string, RunUpdate>;

/** How many ended runs are kept beside a list until it is read again: a page that stays open would collect all. */
export const MAX_ENDED_UPDATES = 200;

/** Adds what the stream reported. Pure. */
export function withRuns(before: RunUpdates, runs: readonly RunSummary[], at: number): RunUpdates {
  return new Map([...before, ...runs.map((run) => [run.id, { run, at }] as const)]);
}

/** Records that a run was deleted. Pure. */
export function withDeleted(before: RunUpdates, runId: string, at: number): RunUpdates {
  return new Map([...before, [runId, { run: undefined, at }]]);
}

/**
 * The updates that a list still needs after it was read. Unfinished runs stay, because the list shows them all while
 * its pages may not. Returns the same updates if it needs them all. Pure.
 *
 * @param readAt when the list was requested, by `performance.now()`
 */
export function afterReading(before: RunUpdates, readAt: number): RunUpdates {
  const isNeeded = ({ run, at }: RunUpdate) => at >= readAt || (run !== undefined && run.phase !== 'ended');
  const needed = [...before].filter(([, update]) => isNeeded(update));
  return needed.length === before.size ? before : new Map(needed);
}

/** How many updates will be dropped at the next reading. Pure. */
export function endedUpdates(updates: RunUpdates): number {
  let count = 0;
  for (const { run } of updates.values()) if (run === undefined || run.phase === 'ended') count += 1;
  return count;
}
