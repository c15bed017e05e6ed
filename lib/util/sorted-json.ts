import type { JsonValue } from './json.ts';

/**
 * Serializes JSON with sorted keys, so that equal values give equal texts.
 *
 * @param indent spaces per level; everything is on one line by default
 */
export function sortedJson(value: JsonValue, indent?: number): string {
  return JSON.stringify(withSortedKeys(value), null, indent);
}

/** Each value once, by its content. */
export function distinctValues<Value extends JsonValue>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [sortedJson(value), value])).values()];
}

function withSortedKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, withSortedKeys(value[key] ?? null)]),
  );
}
