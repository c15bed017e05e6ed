import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { RunEvent } from '../events/registry.ts';
import { exploreLog } from '../sharing/exports/explore-log.ts';
import { sessionLog } from '../sharing/exports/session-log.ts';

/** The formats of a run's log. */
const FORMATS = ['events', 'session', 'explore'] as const;
type Format = (typeof FORMATS)[number];

/**
 * Converts a log to the requested format: `?format=session` (S19) and `?format=explore` (X14-X16) for runs of these
 * modes, else unchanged events.
 *
 * @throws {AppError} `invalid_request` for an unknown format or one of another mode
 */
export function logInFormat(
  request: Request,
  mode: RunConfig['mode'],
  pages: AsyncGenerator<readonly RunEvent[]>,
): { format: Format; pages: AsyncGenerator<readonly unknown[]> } {
  const asked = new URL(request.url).searchParams.get('format') ?? 'events';
  const format = FORMATS.find((known) => known === asked);
  if (!format) {
    throw new AppError({
      code: 'invalid_request',
      message: `format is "${asked.slice(0, 40)}"; it must be one of ${FORMATS.join(', ')}.`,
    });
  }
  if (format === 'events') return { format, pages };
  if (format !== mode) {
    throw new AppError({
      code: 'invalid_request',
      message: `A run of mode "${mode}" has no log in the format "${format}".`,
      hint: 'Omit format to get the events.',
    });
  }
  return { format, pages: format === 'session' ? sessionLog(pages) : exploreLog(pages) };
}
