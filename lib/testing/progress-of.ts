import type { ProgressEvent } from '../events/progress.ts';
import { emptyProgress, projectEvent } from '../events/project-progress.ts';
import type { RunEvent } from '../events/registry.ts';

/** The progress events of a log, numbered as a follower of the whole run gets them. */
export function progressOf(events: readonly RunEvent[]): ProgressEvent[] {
  const all: ProgressEvent[] = [];
  let state = emptyProgress(events[0]?.run_id ?? 'run');
  for (const event of events) {
    const next = projectEvent(state, event);
    state = next.state;
    for (const body of next.progress) {
      all.push({ ...body, run_id: event.run_id, seq: all.length + 1, timestamp: event.at });
    }
  }
  return all;
}
