import type { RunState } from '../events/run-state.ts';
import type { RunLog } from './run-log.ts';

/**
 * A signal that fires as soon as the log's state fulfils a condition, such as a forced stop.
 *
 * @param until ends the watching; the signal then never fires
 */
export function signalWhen(
  log: RunLog,
  condition: (state: RunState) => boolean,
  until: AbortSignal,
): AbortSignal {
  const controller = new AbortController();
  const watch = async () => {
    while (!until.aborted && !condition(log.state)) await log.changed(log.state.seq, until);
    if (!until.aborted) controller.abort();
  };
  // A log that cannot be watched can be stopped no more: what runs under the signal ends with the log's error.
  watch().catch((error: unknown) => controller.abort(error));
  return controller.signal;
}

/** The work was asked to stop and did not in time. It goes on by itself; nobody waits for it any more. */
export const ABANDONED = Symbol('abandoned');

/**
 * The work's outcome, or `ABANDONED` when it has not ended some time after the signal fired: a tool or a connection
 * that ignores its signal must not hold up a stop.
 *
 * @param isTidying asked when that time is up: whether the work has stopped and only puts in order what it leaves behind,
 *   which is waited for
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
