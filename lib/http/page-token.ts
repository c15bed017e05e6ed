import type { RunSummary } from '../api/run-summary.ts';
import type { FoundFrom } from '../api/search.ts';
import { AppError } from '../errors/app-error.ts';

/** The `?before=` token of a run list: its last run. */
export function pageToken(last: Pick<RunSummary, 'id' | 'created_at'>): string {
  return `${last.created_at}.${last.id}`;
}

/** @throws {AppError} `invalid_request` */
export function pageStart(request: Request): { createdAt: number; id: string } | undefined {
  const parts = partsOf(request, { form: /^(\d{1,15})\.([a-z0-9][a-z0-9-]{0,63})$/, giver: 'a list' });
  return parts && { createdAt: Number(parts[0]), id: parts[1] };
}

/** The `?before=` token of a search. */
export function searchPageToken({ before, skip }: FoundFrom): string {
  return `${before}.${skip}`;
}

/** @throws {AppError} `invalid_request` */
export function searchPageStart(request: Request): FoundFrom | undefined {
  const parts = partsOf(request, { form: /^(\d{1,15})\.(\d{1,6})$/, giver: 'a search' });
  return parts && { before: Number(parts[0]), skip: Number(parts[1]) };
}

/** Parses the two parts of `?before=`. @throws {AppError} `invalid_request` */
function partsOf(
  request: Request,
  { form, giver }: { form: RegExp; giver: string },
): [string, string] | undefined {
  const text = new URL(request.url).searchParams.get('before');
  if (text === null) return undefined;
  const [, first, second] = form.exec(text) ?? [];
  if (first !== undefined && second !== undefined) return [first, second];
  throw new AppError({
    code: 'invalid_request',
    message: `"before" is not a "next" token of ${giver}.`,
  });
}
