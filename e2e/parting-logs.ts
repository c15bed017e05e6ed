import type { RunEvent } from '../lib/events/registry.ts';
import { longLog } from '../lib/testing/sample-logs.ts';

/**
 * Two long runs that are the same until an iteration, and differ in every one from there on.
 *
 * @param options.apartAt the first iteration that differs, from 1
 * @param options.textChars how many characters the texts of both grow by where they differ
 */
export function partingLogs(options: { events: number; apartAt: number; textChars?: number }): {
  a: readonly RunEvent[];
  b: readonly RunEvent[];
} {
  const { events, apartAt, textChars = 0 } = options;
  const told = (words: string) => {
    let iteration = 0;
    return longLog(events).events.map((event): RunEvent => {
      if (event.type === 'iteration.started') iteration += 1;
      if (event.type !== 'reply.parsed' || iteration < apartAt) return event;
      return { ...event, text: `${event.text} ${words} ${'and so on. '.repeat(textChars / 11)}` };
    });
  };
  return { a: told('The left way.'), b: told('The other way, to the right.') };
}
