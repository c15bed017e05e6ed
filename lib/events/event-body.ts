/** What every event has: its place in a log. */
interface Placed {
  readonly run_id: string;
  readonly seq: number;
  readonly at: number;
}

const bodies = new WeakMap<Placed, string>();

/**
 * An event as JSON without its place in the log (`run_id`, `seq`, `at`). Made once per event: the same text is stored and
 * sent to viewers.
 */
export function eventBody(event: Placed): string {
  let text = bodies.get(event);
  if (text === undefined) {
    const { run_id: _run, seq: _seq, at: _at, ...body } = event;
    text = JSON.stringify(body);
    bodies.set(event, text);
  }
  return text;
}

/** An event as JSON, its place first. @param body from `eventBody` */
export function eventJson({ run_id, seq, at }: Placed, body: string): string {
  return `{"run_id":${JSON.stringify(run_id)},"seq":${seq},"at":${at},${body.slice(1)}`;
}
