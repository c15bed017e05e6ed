import type { ForkPlace } from '../../api/fork-place.ts';

/** The query of `GET /api/runs/{id}/fork` for a place. */
export function forkQuery(place: ForkPlace): string {
  const fields = 'end' in place ? { end: 1 } : place;
  return new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
}
