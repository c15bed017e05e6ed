/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** Parses JSON; returns `undefined` if the text is invalid. */
export function jsonValue(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON object; returns `undefined` if the text is invalid or is another value. */
export function jsonObject(text: string): JsonObject | undefined {
  const value = jsonValue(text);
  return isRecord(value) ? value : undefined;
}

/** Whether a value is an object with named values: neither `null` nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON has it, such as a request body: without the fields that are `undefined`. */
export function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** Whether a value is a JSON object within limits: characters as compact JSON, levels of nesting. */
export function isBoundedObject(
  value: unknown,
  { maxChars, maxDepth }: { maxChars: number; maxDepth: number },
): value is JsonObject {
  return isRecord(value) && isShallow(value, maxDepth) && JSON.stringify(value).length <= maxChars;
}

/**
 * Whether a value has at most this many levels of nesting: the recursion of `JSON.stringify` overflows the stack at
 * thousands.
 */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
