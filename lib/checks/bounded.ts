import type { JsonValue } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { shortText } from '../util/short-text.ts';

/** Evidence is for people to read, so a longer text shows only its start. */
const MAX_TEXT_CHARS = 8000;
const MAX_ENTRIES = 100;
/** For all texts of one value combined. */
const MAX_CHARS = 60_000;
const MAX_DEPTH = 50;

/** A text as evidence, truncated if necessary, with its full length. */
export function boundedText(text: string, max = MAX_TEXT_CHARS): string {
  return text.length <= max
    ? text
    : `${shortText(text, max)} (${formatCount(text.length)} characters in all)`;
}

/** A value as evidence. Long texts and lists are truncated and marked as such. */
export function boundedJson(value: JsonValue): JsonValue {
  let left = MAX_CHARS;
  const text = (long: string) => {
    const shown = boundedText(long, Math.max(0, Math.min(MAX_TEXT_CHARS, left)));
    left -= shown.length;
    return shown;
  };
  const visit = (inner: JsonValue, depth: number): JsonValue => {
    if (typeof inner === 'string') return text(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (depth >= MAX_DEPTH || left <= 0) return '…';
    if (Array.isArray(inner)) {
      const shown = inner.slice(0, MAX_ENTRIES).map((entry) => visit(entry, depth + 1));
      return inner.length > MAX_ENTRIES ? [...shown, `… (${inner.length} entries in all)`] : shown;
    }
    const fields = Object.entries(inner);
    const shown = fields
      .slice(0, MAX_ENTRIES)
      .map(([key, entry]): [string, JsonValue] => [text(key), visit(entry, depth + 1)]);
    if (fields.length > MAX_ENTRIES) shown.push(['…', `${fields.length} fields in all`]);
    return Object.fromEntries(shown);
  };
  return visit(value, 0);
}
