import type { ViewEvent } from '../api/stream.ts';
import { eventBody, eventJson } from '../events/event-body.ts';
import { MAX_STREAMED_CHARS } from '../events/limits.ts';
import type { RunEvent } from '../events/registry.ts';
import { memoized } from '../util/memoized.ts';
import { textStart } from '../util/short-text.ts';

type Cut = NonNullable<ViewEvent['cuts']>[number];

/**
 * The event as viewers receive it: texts over 64 KB are truncated and listed in `cuts`. Returns the same object if
 * there are no such texts.
 */
export function viewEvent(event: RunEvent): ViewEvent {
  const cuts: Cut[] = [];
  const view = shorten(event, '', cuts);
  return cuts.length === 0 ? event : { ...view, cuts };
}

/** `viewEvent` as JSON, with the fields in the order in which the store returns them as text. */
export function viewEventJson(event: RunEvent): string {
  const body = eventBody(event);
  return isShort(body) ? eventJson(event, body) : longEventJson(event);
}

/** Shared by all viewers of a live run. */
const longEventJson = memoized((event: RunEvent) => viewJson(eventJson(event, eventBody(event))));

/** `viewEventJson` for an event that is already JSON. */
export function viewJson(text: string): string {
  if (isShort(text)) return text;
  const cuts: Cut[] = [];
  const view = shorten(JSON.parse(text), '', cuts);
  return cuts.length === 0 ? text : JSON.stringify({ ...view, cuts });
}

/** Whether the event cannot contain a long text, so that it need not be scanned. */
function isShort(json: string): boolean {
  return json.length <= MAX_STREAMED_CHARS;
}

function shorten<Value>(value: Value, path: string, cuts: Cut[]): Value;
function shorten(value: unknown, path: string, cuts: Cut[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_STREAMED_CHARS) return value;
    cuts.push({ path, chars: value.length });
    return textStart(value, MAX_STREAMED_CHARS);
  }
  const inner = (key: string | number) => (path === '' ? `${key}` : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, index) => shorten(item, inner(index), cuts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shorten(item, inner(key), cuts)]),
  );
}
