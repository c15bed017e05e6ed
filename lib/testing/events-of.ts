import type { EventOf, RunEvent, RunEventType } from '../events/registry.ts';

/** The events of one type. */
export function eventsOf<T extends RunEventType>(events: readonly RunEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}
