import type { FoundFrom } from '../api/search.ts';

/** So many of the latest places are looked through for one page: a word that stands everywhere costs no more. */
export const STRETCH = 10_000;
/** Of one run so many places are shown. */
const SHOWN_OF_RUN = 3;

/** Where words were found: an event, and its number in the index, which rises with time. */
export interface FoundEvent {
  readonly id: number;
  readonly run_id: string;
  readonly seq: number;
}

/** What was found in one run. */
export interface HitsOfRun {
  readonly runId: string;
  readonly places: number;
  /** There may be more, earlier than what was looked through. */
  readonly atLeast: boolean;
  /** The best: its task, then the latest. */
  readonly shown: readonly FoundEvent[];
}

/**
 * One page of runs out of the places where words stand, so that a run that holds them a thousand times takes no more room
 * than one that holds them once. Runs that are about the words, in their task or title, come first, then those in which the
 * words stand latest. Pure.
 *
 * @param found the latest first; one more than `stretch` tells that there are earlier ones
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

/** The later pages hold to what the first one saw: what is written meanwhile moves nothing. */
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
