import type { FoundFrom } from '../api/search.ts';

/** Max matches examined per page, newest first, so that a frequent word costs no more. */
export const STRETCH = 10_000;
/** Max matches shown per run. */
const SHOWN_OF_RUN = 3;

/** A matching event, with its index row ID, which increases over time. */
export interface FoundEvent {
  readonly id: number;
  readonly run_id: string;
  readonly seq: number;
}

/** The matches in one run. */
export interface HitsOfRun {
  readonly runId: string;
  readonly places: number;
  /** Whether there may be more, older matches that were not examined. */
  readonly atLeast: boolean;
  /** The best matches: its task, then the latest. */
  readonly shown: readonly FoundEvent[];
}

/**
 * Groups matches into one page of runs, so that a run with a thousand matches takes no more space than a run with one.
 * Runs with a match in their task or title come first, then those with the latest match. Pure.
 *
 * @param found newest first; more than `stretch` entries mean that there are older ones
 */
export function pageOfRuns(
  found: readonly FoundEvent[],
  { limit, from, stretch = STRETCH }: { limit: number; from?: FoundFrom; stretch?: number },
): { runs: HitsOfRun[]; next?: FoundFrom } {
  const atLeast = found.length > stretch;
  const ofRuns = Map.groupBy(found.slice(0, stretch), ({ run_id }) => run_id);
  const ranked = [...ofRuns].map(([runId, places]): HitsOfRun & { about: boolean } => {
    const task = places.find(({ seq }) => seq === 1);
    const others = places.filter((place) => place !== task).slice(0, SHOWN_OF_RUN - (task ? 1 : 0));
    return {
      runId,
      about: task !== undefined,
      places: places.length,
      atLeast,
      shown: task ? [task, ...others] : others,
    };
  });
  const runs = [...ranked.filter(({ about }) => about), ...ranked.filter(({ about }) => !about)];
  const skip = from?.skip ?? 0;
  return {
    runs: runs.slice(skip, skip + limit).map(({ about: _, ...run }) => run),
    next: nextPage(found, { from, stretch, skip: skip + limit, runs: runs.length }),
  };
}

/** Later pages use the same matches as the first, so that new events do not shift them. */
function nextPage(
  found: readonly FoundEvent[],
  { from, stretch, skip, runs }: { from?: FoundFrom; stretch: number; skip: number; runs: number },
): FoundFrom | undefined {
  const [latest] = found;
  if (!latest) return undefined;
  if (skip < runs) return { before: from?.before ?? latest.id + 1, skip };
  const last = found.length > stretch ? found[stretch - 1] : undefined;
  return last && { before: last.id, skip: 0 };
}
