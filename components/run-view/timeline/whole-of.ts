import type { Cut, ShownEvent } from '#lib/events/timeline.ts';

/** Where the whole of a text stands that is only here in part; `undefined` when the event has it in full. */
export function wholeOf(
  event: { seq: number; cuts?: ShownEvent['cuts'] } | undefined,
  path: string,
): ({ seq: number } & Cut) | undefined {
  const cut = event?.cuts?.find((each) => each.path === path);
  return event && cut && { seq: event.seq, path, chars: cut.chars };
}
