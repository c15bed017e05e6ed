import { errorParts } from '../errors/app-error.ts';
import { MAX_SERVER_WAITS } from '../events/retry-limits.ts';
import type { FailedCall, RunState } from '../events/run-state.ts';
import { limitWords } from '../util/durations.ts';
import { type Decision, type ErrorShape, ended, type ReadyState } from './rule.ts';

type Failure = Pick<FailedCall, 'kind' | 'transient' | 'code' | 'message' | 'hint'>;

/** Pauses before the first checks whether a server is back, in milliseconds; the last one repeats. */
const POLL_MS: readonly number[] = [1000, 2000, 4000, 5000];

/** The pause before the next check of a server that is down. @param checks number of checks made so far */
export function serverPollMs(checks: number): number {
  return POLL_MS[Math.min(checks, POLL_MS.length - 1)] ?? 0;
}

/**
 * Whether a failure means that nothing listens at the server's address: a refused connection, an unknown host. A server
 * that accepts connections but stays silent, or drops one, is handled by retries.
 */
function isOutage({ kind, code, transient }: Failure): boolean {
  return kind === 'unreachable' && code !== 'ollama_not_responding' && transient;
}

/**
 * Waits for a server that is down, up to the limit of the run. Outages without an answered call in between share one
 * limit, and their number is limited, so an unstable server cannot keep the run forever.
 *
 * @param now milliseconds since 1970
 * @returns `undefined` for other failures, and for runs older than this limit
 */
export function waitForServer(state: ReadyState, failure: Failure, now: number): Decision | undefined {
  const { server_wait_seconds: limit } = state.config;
  if (limit === undefined || !isOutage(failure)) return undefined;
  const error = errorParts(failure);
  const { since = now, waits = 0 } = state.serverDown ?? {};
  if (limit === 0 || waits >= MAX_SERVER_WAITS) return ended('error', { error });
  const limit_ms = Math.ceil(limit * 1000 - (now - since));
  if (limit_ms <= 0) return ended('error', { error: gaveUp(error, limit * 1000) });
  return { type: 'append', events: [{ type: 'server-wait.started', error, limit_ms }] };
}

/** The end of a run whose server did not come back in time. */
export function serverStayedAway(state: ReadyState, wait: NonNullable<RunState['serverWait']>): Decision {
  const { server_wait_seconds: limit } = state.config;
  return ended('error', {
    error: gaveUp(wait.error, limit === undefined ? wait.limitMs : limit * 1000),
  });
}

function gaveUp(error: ErrorShape, limitMs: number): ErrorShape {
  return { ...error, message: `${error.message} Loupe waited ${limitWords(limitMs)} for it.` };
}
