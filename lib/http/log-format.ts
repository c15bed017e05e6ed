import { AppError } from '../errors/app-error.ts';
import type { RunMode } from '../events/config.ts';
import type { RunEvent } from '../events/registry.ts';
import { exploreLog } from '../sharing/exports/explore-log.ts';
import { sessionLog } from '../sharing/exports/session-log.ts';
import { keysOf } from '../util/records.ts';
import { oneOf } from './query-choice.ts';

type Pages<Entry> = AsyncGenerator<readonly Entry[]>;

/** The modes with their own log format. */
const MODE_LOGS = { session: sessionLog, explore: exploreLog } satisfies Partial<
  Record<RunMode, (pages: Pages<RunEvent>) => Pages<unknown>>
>;

/** The formats of a run's log. */
const FORMATS = ['events', ...keysOf(MODE_LOGS)] as const;
type Format = (typeof FORMATS)[number];

/**
 * Converts a log to the requested format: `?format=session` (S19) and `?format=explore` (X14-X16) for runs of these
 * modes, else unchanged events.
 *
 * @throws {AppError} `invalid_request` for an unknown format or one of another mode
 */
export function logInFormat(
  request: Request,
  mode: RunMode,
  pages: Pages<RunEvent>,
): { format: Format; pages: Pages<unknown> } {
  const format = oneOf(new URL(request.url).searchParams, 'format', FORMATS) ?? 'events';
  if (format === 'events') return { format, pages };
  if (format !== mode) {
    throw new AppError({
      code: 'invalid_request',
      message: `A run of mode "${mode}" has no log in the format "${format}".`,
      hint: 'The log of its events is available in the format "events".',
    });
  }
  return { format, pages: MODE_LOGS[format](pages) };
}
