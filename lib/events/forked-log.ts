import type { RunConfig } from './config.ts';
import { placeEvents } from './place-events.ts';
import type { NewEvent, RunEvent } from './registry.ts';

/**
 * The initial log of a fork: the source run's events up to the fork, with their numbers and times, under the fork's
 * own configuration and log file; then the new events, `run.forked` first. `parent` in the first event marks the
 * copies: all events up to `parent.seq`.
 *
 * @param options.prefix the events of the source run, `run.created` first
 * @param options.at time of the fork, in milliseconds since 1970
 * @throws {RangeError} when the prefix is not a complete beginning of a log
 */
export function forkedLog(options: {
  id: string;
  config: RunConfig;
  parent: { run_id: string; seq: number };
  prefix: readonly RunEvent[];
  events: readonly NewEvent[];
  at: number;
}): RunEvent[] {
  const { id, config, parent, prefix, events } = options;
  const [created, ...rest] = prefix;
  if (created?.type !== 'run.created' || prefix.at(-1)?.seq !== parent.seq) {
    throw new RangeError(`Run ${parent.run_id} has no log up to event ${parent.seq}`);
  }
  const forkedAt = { runId: id, seq: parent.seq, updatedAt: prefix.at(-1)?.at ?? 0 };
  return [
    { ...created, run_id: id, config, parent },
    ...rest.map((event): RunEvent => ({ ...event, run_id: id, ...ownLogFile(event, events) })),
    ...placeEvents(forkedAt, events, options.at),
  ];
}

/** The log file of a session is named where its conversation starts. A fork writes its own. */
function ownLogFile(copied: RunEvent, events: readonly NewEvent[]): { log_path?: string } {
  if (copied.type !== 'attempt.started' || copied.log_path === undefined) return {};
  const forked = events.find(({ type }) => type === 'run.forked');
  return forked?.type === 'run.forked' ? { log_path: forked.log_path } : {};
}
