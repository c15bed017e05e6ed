import type { ViewEvent } from '../api/stream.ts';
import type { RunEvent } from '../events/registry.ts';
import { textStart } from '../util/short-text.ts';

type Cut = NonNullable<ViewEvent['cuts']>[number];

/** Longer texts are truncated for viewers, in UTF-16 units; the full event can be requested. */
const MAX_TEXT_CHARS = 65_536;

/**
 * The event as viewers receive it: texts over 64 KB are truncated and listed in `cuts`. Returns the same object if there
 * are none.
 */
export function viewEvent(event: RunEvent): ViewEvent {
  const cuts: Cut[] = [];
  const view = shorten(event, '', cuts);
  return cuts.length === 0 ? event : { ...view, cuts };
}

/** `viewEvent` as JSON. A short event cannot contain a long text, so it is not scanned. */
export function viewEventJson(event: RunEvent): string {
  return viewJson(JSON.stringify(event));
}

/** `viewEventJson` for an event that is already JSON. */
export function viewJson(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const cuts: Cut[] = [];
  const view = shorten(JSON.parse(text), '', cuts);
  return cuts.length === 0 ? text : JSON.stringify({ ...view, cuts });
}

function shorten<Value>(value: Value, path: string, cuts: Cut[]): Value;
function shorten(value: unknown, path: string, cuts: Cut[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_TEXT_CHARS) return value;
    cuts.push({ path, chars: value.length });
    return textStart(value, MAX_TEXT_CHARS);
  }
  const inner = (key: string | number) => (path === '' ? `${key}` : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, index) => shorten(item, inner(index), cuts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shorten(item, inner(key), cuts)]),
  );
}
