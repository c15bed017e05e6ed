import type { JsonValue } from './json.ts';

/**
 * JSON text with the keys of every object sorted: equal values give equal texts.
 *
 * @param indent blanks of each level, a field per line; all in one line unless given
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
