import type { ForkPlace } from '../../api/fork-place.ts';

/** The query of `GET /api/runs/{id}/fork` for a place. */
export function forkQuery(place: ForkPlace): string {
  return new URLSearchParams(Object.entries(place).map(([name, value]) => [name, String(value)])).toString();
}
