import type { JsonValue } from './json.ts';

/**
 * Serializes JSON with sorted keys, so that equal values give equal texts.
 *
 * @param indent spaces per level; everything is on one line by default
 */
export function sortedJson(value: JsonValue, indent?: number): string {
  return JSON.stringify(withSortedKeys(value), null, indent);
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
