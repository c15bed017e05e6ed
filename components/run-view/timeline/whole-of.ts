import type { Cut, ShownEvent } from '#lib/events/timeline.ts';

/** The location of the full text if it is truncated here; `undefined` if the event has it in full. */
export function wholeOf(
  event: { seq: number; cuts?: ShownEvent['cuts'] } | undefined,
  path: string,
): ({ seq: number } & Cut) | undefined {
  const cut = event?.cuts?.find((each) => each.path === path);
  return event && cut && { seq: event.seq, path, chars: cut.chars };
}
