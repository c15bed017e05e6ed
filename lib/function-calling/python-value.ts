import type { JsonValue } from '../util/json.ts';

/** A number that Python reads as a float. JSON writes it with a point or an exponent. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A JSON value as Python reads it, where `1` and `1.0` have different types. A plain number is an integer. */
export type PythonValue =
  | string
  | number
  | boolean
  | null
  | Float
  | readonly PythonValue[]
  | { readonly [key: string]: PythonValue };

export type PythonObject = { readonly [key: string]: PythonValue };

export type PythonType = 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict' | 'NoneType';

/** Python's `type(value).__name__`. */
export function typeOf(value: PythonValue): PythonType {
  if (value === null) return 'NoneType';
  if (value instanceof Float) return 'float';
  if (isList(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'int' : 'dict';
}

export function isList(value: PythonValue): value is readonly PythonValue[] {
  return Array.isArray(value);
}

export function isObject(value: PythonValue | undefined): value is PythonObject {
  return typeof value === 'object' && value !== null && !(value instanceof Float) && !Array.isArray(value);
}

/** Python's `==`: numbers and booleans compare by their amount, lists and dicts by their content. */
export function equals(one: PythonValue, other: PythonValue): boolean {
  const amount = amountOf(one);
  if (amount !== undefined) return amount === amountOf(other);
  if (isList(one)) {
    return (
      isList(other) &&
      one.length === other.length &&
      one.every((entry, index) => equals(entry, other[index] ?? null))
    );
  }
  if (isObject(one)) {
    if (!isObject(other)) return false;
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && equals(one[key] ?? null, other[key] ?? null))
    );
  }
  return one === other;
}

/** Python's `value in list`. */
export function isAmong(value: PythonValue, list: readonly PythonValue[]): boolean {
  return list.some((entry) => equals(value, entry));
}

function amountOf(value: PythonValue): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Float) return value.value;
  return typeof value === 'number' ? value : undefined;
}

/**
 * A parsed JSON value as Python would hold it. JavaScript has lost how a whole number was written, so it counts as an
 * integer; Ollama writes whole arguments without a point, too.
 */
export function pythonValue(value: JsonValue): PythonValue {
  if (typeof value === 'number') return Number.isInteger(value) ? value : new Float(value);
  if (Array.isArray(value)) return value.map(pythonValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, pythonValue(entry)]));
}

/** Parses JSON as Python does. @throws {SyntaxError} */
export function parsePythonJson(text: string): PythonValue {
  return JSON.parse(text, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' && /[.eE]/.test(context?.source ?? '') ? new Float(value) : value,
  );
}

/** The value as plain JSON, to be stored and shown. */
export function plainValue(value: PythonValue): JsonValue {
  if (value instanceof Float) return value.value;
  if (isList(value)) return value.map(plainValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plainValue(entry)]));
}

/** The value in messages. */
export function shown(value: PythonValue): string {
  const text = JSON.stringify(plainValue(value));
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
