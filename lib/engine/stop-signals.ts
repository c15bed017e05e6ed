import type { RunState } from '../events/run-state.ts';
import type { RunLog } from './run-log.ts';

/**
 * A signal that is aborted as soon as the log's state meets a condition, such as a forced stop.
 *
 * @param until stops watching; the signal is then never aborted
 */
export function signalWhen(
  log: RunLog,
  condition: (state: RunState) => boolean,
  until: AbortSignal,
): AbortSignal {
  const controller = new AbortController();
  const watch = async () => {
    await log.when(condition, until);
    if (!until.aborted) controller.abort();
  };
  // If the log cannot be watched, a stop could not be noticed, so abort with the log's error.
  watch().catch((error: unknown) => controller.abort(error));
  return controller.signal;
}

/**
 * A signal that is aborted as soon as one of the given signals is. Each call of a run adds and removes listeners, which
 * takes about twice as long on a signal of `AbortSignal.any`.
 *
 * @param until stops watching; the signal is then never aborted
 */
export function firstAborted(signals: readonly AbortSignal[], until: AbortSignal): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else
      signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true, signal: until });
  }
  return controller.signal;
}

/** The work did not stop in time. It continues in the background without anyone waiting for it. */
export const ABANDONED = Symbol('abandoned');

/**
 * The result of the work, or `ABANDONED` if it has not ended within the grace period after the signal: a tool or
 * connection that ignores its signal must not delay a stop.
 *
 * @param isTidying called after the grace period: whether the work has stopped and is only cleaning up, in which case
 *   it is awaited
 */
export async function withinGrace<T>(
  work: Promise<T>,
  signal: AbortSignal,
  { graceMs, isTidying }: { graceMs: number; isTidying?: () => boolean },
): Promise<T | typeof ABANDONED> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start: () => void = () => {};
  const late = new Promise<typeof ABANDONED>((resolve) => {
    start = () => {
      timer = setTimeout(() => {
        if (!isTidying?.()) resolve(ABANDONED);
      }, graceMs);
    };
  });
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', start);
  }
}
