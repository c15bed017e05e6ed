import type { RunSummary } from '../api/run-summary.ts';
import { AppError } from '../errors/app-error.ts';

/** What `?before=` takes: the last run of a page. */
export function pageToken(last: Pick<RunSummary, 'id' | 'created_at'>): string {
  return `${last.created_at}.${last.id}`;
}

/** @throws {AppError} `invalid_request` */
export function pageStart(request: Request): { createdAt: number; id: string } | undefined {
  const text = new URL(request.url).searchParams.get('before');
  if (text === null) return undefined;
  const match = /^(\d{1,15})\.([a-z0-9][a-z0-9-]{0,63})$/.exec(text);
  if (match?.[1] !== undefined && match[2] !== undefined)
    return { createdAt: Number(match[1]), id: match[2] };
  throw new AppError({
    code: 'invalid_request',
    message: '"before" is not what a list gave as "next".',
  });
}
