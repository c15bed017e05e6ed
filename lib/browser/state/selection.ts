import type { RunSummary } from '../../api/run-summary.ts';
import { MAX_COMPARED_RUNS, MAX_SELECTED_RUNS } from '../../events/limits.ts';

/** Selected runs by their IDs, in the order of their selection. Kept whole: a run stays selected while a filter hides it. */
export type Selection = ReadonlyMap<string, RunSummary>;

export const NOTHING_SELECTED: Selection = new Map();

/** A selection with runs added or removed; at most `MAX_SELECTED_RUNS`. Pure. */
export function withSelected(before: Selection, runs: readonly RunSummary[], on: boolean): Selection {
  const after = new Map(before);
  for (const run of runs) {
    if (!on) after.delete(run.id);
    else if (after.has(run.id) || after.size < MAX_SELECTED_RUNS) after.set(run.id, run);
  }
  return after;
}

/**
 * A selection in which newer summaries replace those of the same runs: what can be done with a run changes when it ends.
 * Returns the same selection if it contains none of them. Pure.
 */
export function withNewer(before: Selection, runs: readonly RunSummary[]): Selection {
  const newer = runs.filter(
    (run) => (before.get(run.id)?.last_seq ?? Number.POSITIVE_INFINITY) <= run.last_seq,
  );
  return newer.length === 0 ? before : new Map([...before, ...newer.map((run) => [run.id, run] as const)]);
}

/** A selection without runs that are gone. The same selection if it had none of them. Pure. */
export function withoutRuns(before: Selection, ids: readonly string[]): Selection {
  if (!ids.some((id) => before.has(id))) return before;
  return new Map([...before].filter(([id]) => !ids.includes(id)));
}

/**
 * The rows from the one that was clicked last to this one, both included, as they are on the screen.
 *
 * @param shown all rows from top to bottom
 */
export function rangeOf<Row extends { run: RunSummary }>(
  shown: readonly Row[],
  from: string | undefined,
  to: string,
): readonly Row[] {
  const end = shown.findIndex(({ run }) => run.id === to);
  const start = shown.findIndex(({ run }) => run.id === from);
  if (end < 0) return [];
  if (start < 0) return shown.slice(end, end + 1);
  return shown.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** Why the selected runs cannot be compared, as a short sentence. */
export function compareProblem(selection: Selection): string | undefined {
  if (selection.size < 2) return 'Select another run to compare.';
  if (selection.size > MAX_COMPARED_RUNS) return `Compare takes 2 to ${MAX_COMPARED_RUNS} runs.`;
  return undefined;
}

/** Why the selected runs cannot be deleted. */
export function deleteProblem(selection: Selection): string | undefined {
  const active = [...selection.values()].filter(({ phase }) => phase !== 'ended').length;
  if (active === 0) return undefined;
  return active === 1
    ? 'One of them is active. Stop it first.'
    : `${active} of them are active. Stop them first.`;
}

/** How many of the selected runs have each tag, in alphabetical order. */
export function tagsOf(selection: Selection): { tag: string; runs: number }[] {
  const counts = new Map<string, number>();
  for (const { annotations } of selection.values()) {
    for (const tag of annotations?.tags ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].map(([tag, runs]) => ({ tag, runs })).sort((a, b) => (a.tag < b.tag ? -1 : 1));
}
