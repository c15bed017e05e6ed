import type { RunConfig } from './config.ts';
import type { NewEvent, RunEvent } from './registry.ts';

/**
 * The log with which a fork begins: the events of the other run up to the fork, each with its number and the time at which
 * it happened there, under a configuration of its own; then what is new, `run.forked` first. Which events are copies is
 * told by `parent` in the first one: all up to `parent.seq`.
 *
 * @param options.prefix the events of the other run, `run.created` first
 * @param options.at when the fork is made, in milliseconds since 1970
 * @throws {RangeError} when the prefix is not a whole beginning of a log
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
  const at = Math.max(options.at, prefix.at(-1)?.at ?? 0);
  return [
    { ...created, run_id: id, config, parent },
    ...rest.map((event): RunEvent => ({ ...event, run_id: id })),
    ...events.map((event, index): RunEvent => ({ ...event, run_id: id, seq: parent.seq + index + 1, at })),
  ];
}
