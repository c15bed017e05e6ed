import { MAX_COMPARED_RUNS } from '../../events/limits.ts';

/** The letter that marks a run on the Compare page: A for the first, which is the baseline. */
export function runLetter(index: number): string {
  return String.fromCharCode(65 + index);
}

/** The runs of a link such as `/compare?a=ID&b=ID&c=ID`, in order, each once. Pure. */
export function comparedIds(query: URLSearchParams): string[] {
  const ids = Array.from({ length: MAX_COMPARED_RUNS }, (_, index) =>
    query.get(runLetter(index).toLowerCase()),
  );
  return [...new Set(ids.filter((id) => id !== null && id !== ''))].flatMap((id) => id ?? []);
}

/**
 * The link that compares runs.
 *
 * @param ids the baseline first
 * @param other the run whose steps are compared with those of the baseline; default: the second
 */
export function comparePath(ids: readonly string[], other?: string): string {
  const query = new URLSearchParams(ids.map((id, index) => [runLetter(index).toLowerCase(), id]));
  if (other !== undefined && other !== ids[1] && ids.includes(other)) query.set('with', other);
  return `/compare?${query}`;
}

/** The run whose steps are compared with the baseline, by its index; 1 unless the link names another. Pure. */
export function otherIndex(query: URLSearchParams, ids: readonly string[]): number {
  return Math.max(1, ids.indexOf(query.get('with') ?? ''));
}
