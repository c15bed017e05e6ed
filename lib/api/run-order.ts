import { outcomeRank } from '../events/outcome.ts';
import { keysOf } from '../util/records.ts';
import type { RunSummary } from './run-summary.ts';

/** The columns by which the run list can be sorted, with the direction that people want first. */
export const RUN_SORTS = {
  created: { label: 'Started', first: 'desc' },
  title: { label: 'Run', first: 'asc' },
  outcome: { label: 'Outcome', first: 'desc' },
  model: { label: 'Model', first: 'asc' },
  folder: { label: 'Folder', first: 'asc' },
  duration: { label: 'Duration', first: 'desc' },
  tokens: { label: 'Tokens', first: 'desc' },
  score: { label: 'Score', first: 'desc' },
} as const satisfies Record<string, { label: string; first: 'asc' | 'desc' }>;
export type RunSort = keyof typeof RUN_SORTS;

/** An order of the run list. Runs with equal values are ordered by their ID, in the same direction. */
export interface RunOrder {
  by: RunSort;
  direction: 'asc' | 'desc';
}

export const NEWEST_FIRST: RunOrder = { by: 'created', direction: 'desc' };

/** The end of a list page: the value by which its last run is sorted, and its ID. */
export interface ListPosition {
  value: number | string;
  id: string;
}

/** The value by which a run is sorted, as the store computes it; runs without one come below all others. */
export function sortValue(run: RunSummary, by: RunSort): number | string {
  switch (by) {
    case 'created':
      return run.created_at;
    case 'title':
      return run.title;
    case 'model':
      return run.model;
    case 'folder':
      return run.folder ?? '';
    case 'outcome':
      return run.outcome ? outcomeRank(run.outcome.kind) : -1;
    case 'duration':
      return run.worked_ms ?? -1;
    case 'tokens':
      return run.tokens_in + run.tokens_out;
    case 'score':
      return run.annotations?.score ?? -1;
  }
}

/** Compares two runs by an order, as the store does: texts by their UTF-8 bytes. */
export function compareRuns({ by, direction }: RunOrder): (a: RunSummary, b: RunSummary) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => sign * (compare(sortValue(a, by), sortValue(b, by)) || compare(a.id, b.id));
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [one, other] = [codePoints(String(a)), codePoints(String(b))];
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function codePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** The query parameters of an order. */
export const RUN_ORDER_PARAMETERS = ['sort', 'direction'] as const;

/** Reads `?sort=` and `?direction=`; reports unknown values. */
export function readRunOrder(query: URLSearchParams): { order: RunOrder; problems: string[] } {
  const sort = query.get('sort') ?? NEWEST_FIRST.by;
  const by = keysOf(RUN_SORTS).find((known) => known === sort);
  if (by === undefined) {
    const message = `sort is "${sort.slice(0, 40)}"; it must be one of ${Object.keys(RUN_SORTS).join(', ')}.`;
    return { order: NEWEST_FIRST, problems: [message] };
  }
  const direction = query.get('direction') ?? RUN_SORTS[by].first;
  if (direction === 'asc' || direction === 'desc') return { order: { by, direction }, problems: [] };
  const message = `direction is "${direction.slice(0, 40)}"; it must be asc or desc.`;
  return { order: { by, direction: RUN_SORTS[by].first }, problems: [message] };
}

/** Writes an order into a query; the default is left out, and other parameters are kept. */
export function writeRunOrder(query: URLSearchParams, { by, direction }: RunOrder): URLSearchParams {
  const written = new URLSearchParams(query);
  written.delete('sort');
  written.delete('direction');
  if (by !== NEWEST_FIRST.by) written.set('sort', by);
  if (direction !== RUN_SORTS[by].first) written.set('direction', direction);
  return written;
}
