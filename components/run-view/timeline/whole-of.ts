import type { Cut, ShownEvent } from '#lib/events/timeline.ts';

/** Where the full text is, if only part of it is here; `undefined` when the event has it in full. */
export function wholeOf(
  event: { seq: number; cuts?: ShownEvent['cuts'] } | undefined,
  path: string,
): ({ seq: number } & Cut) | undefined {
  const cut = event?.cuts?.find((each) => each.path === path);
  return event && cut && { seq: event.seq, path, chars: cut.chars };
}
