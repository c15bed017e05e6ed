import { type ListPosition, type RunOrder, type RunSort, sortValue } from '../api/run-order.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { FoundFrom } from '../api/search.ts';
import { AppError } from '../errors/app-error.ts';

/** The `?before=` token of a run list: its last run. */
export function pageToken(last: RunSummary, { by }: RunOrder): string {
  const value = sortValue(last, by);
  return `${typeof value === 'number' ? value : `_${Buffer.from(value).toString('base64url')}`}.${last.id}`;
}

/** @throws {AppError} `invalid_request` */
export function pageStart(request: Request, { by }: RunOrder): ListPosition | undefined {
  const form = /^(-?\d{1,15}|_[\w-]{0,8192})\.([a-z0-9][a-z0-9-]{0,63})$/;
  const parts = partsOf(request, { form, giver: 'a list' });
  if (!parts) return undefined;
  const [text, id] = parts;
  const isText = text.startsWith('_');
  // No database accepts a number in place of a text.
  if (isText !== TEXTS.has(by)) throw notOf('a list in this order');
  return { value: isText ? Buffer.from(text.slice(1), 'base64url').toString() : Number(text), id };
}

const TEXTS: ReadonlySet<RunSort> = new Set(['title', 'model', 'folder']);

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
  throw notOf(giver);
}

function notOf(giver: string): AppError {
  return new AppError({
    code: 'invalid_request',
    message: `"before" is not a "next" token of ${giver}.`,
  });
}
