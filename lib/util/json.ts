/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** Parses JSON; returns `undefined` if the text is invalid. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object within limits: characters as compact JSON, levels of nesting. */
export function isBoundedObject(
  value: unknown,
  { maxChars, maxDepth }: { maxChars: number; maxDepth: number },
): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return isShallow(value, maxDepth) && JSON.stringify(value).length <= maxChars;
}

/** Whether a value has at most so many levels of nesting: the recursion of `JSON.stringify` overflows the stack at thousands. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
