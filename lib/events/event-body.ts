import { memoized } from '../util/memoized.ts';

/** The fields of every event: its position in a log. */
interface Placed {
  readonly run_id: string;
  readonly seq: number;
  readonly at: number;
}

/**
 * An event as JSON without its place in the log (`run_id`, `seq`, `at`). The same text is stored and sent to viewers.
 */
export const eventBody = memoized((event: Placed): string => {
  const text = JSON.stringify(event);
  const place = placeJson(event);
  // `placeEvents` puts the place first; leaving it out of a copy of the event takes longer than the rest.
  if (text.startsWith(place)) return `{${text.slice(place.length)}`;
  const { run_id: _run, seq: _seq, at: _at, ...body } = event;
  return JSON.stringify(body);
});

/** An event as JSON, its place first. @param body from `eventBody` */
export function eventJson(event: Placed, body: string): string {
  return placeJson(event) + body.slice(1);
}

function placeJson({ run_id, seq, at }: Placed): string {
  return `{"run_id":${JSON.stringify(run_id)},"seq":${seq},"at":${at},`;
}
