import type { ViewEvent } from '../api/replies.ts';
import type { RunEvent } from '../events/registry.ts';

type Cut = NonNullable<ViewEvent['cuts']>[number];

/** Longer texts are cut for viewers, in UTF-16 units; the whole event is one request away. */
const MAX_TEXT_CHARS = 65_536;

/** The event as viewers get it: texts over 64 KB cut, and where. The event itself when nothing is that long. */
export function viewEvent(event: RunEvent): ViewEvent {
  const cuts: Cut[] = [];
  const view = shorten(event, '', cuts);
  return cuts.length === 0 ? event : { ...view, cuts };
}

const texts = new WeakMap<RunEvent, string>();

/** `viewEvent` as JSON text; written once for all who follow a run live. */
export function viewEventJson(event: RunEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(viewEvent(event));
  texts.set(event, text);
  return text;
}

function shorten<Value>(value: Value, path: string, cuts: Cut[]): Value;
function shorten(value: unknown, path: string, cuts: Cut[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_TEXT_CHARS) return value;
    cuts.push({ path, chars: value.length });
    const last = value.charCodeAt(MAX_TEXT_CHARS - 1);
    return value.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TEXT_CHARS - 1 : MAX_TEXT_CHARS);
  }
  const inner = (key: string | number) => (path === '' ? `${key}` : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, index) => shorten(item, inner(index), cuts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shorten(item, inner(key), cuts)]),
  );
}
