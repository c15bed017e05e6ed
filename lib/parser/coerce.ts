import type { JsonObject, JsonValue } from '../util/json.ts';
import { readJson, UNSAFE_KEYS } from './json/json-reader.ts';
import { allowedTypes, alternatives, isOfType, type SchemaType } from './schema-types.ts';
import type { Coercion, ParameterSchema } from './types.ts';

/** Parameters that are integers by convention, for tools whose schema does not declare them (P10). */
const KNOWN_INTEGERS: ReadonlySet<string> = new Set(['start_line', 'end_line', 'timeout_ms', 'max_results']);

const INTEGER = /^[+-]?\d+$/;
const NULL_LITERALS = new Set(['null', 'None']);
/** An integer, possibly written as a decimal: `4.0`. */
const WHOLE = /^[+-]?\d+(?:\.0*)?$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

type CoercionNote = Omit<Coercion, 'call'>;

export interface CoercedArguments {
  arguments: JsonObject;
  coercions: CoercionNote[];
}

/**
 * Coerces arguments to the tool's schema (P9, P10, P11). Only text is converted, and only where the schema expects
 * another type: `"30"` to 30, `"true"` to true, `"[1]"` to a list, an enum value in the wrong case. A parameter that
 * accepts text keeps it (K-4). Values that do not fit stay unchanged; `validateArguments` reports them.
 *
 * @param schema the tool's `parameters`; `undefined` for an unknown tool
 * @param untyped the values come from a text-only format, so literals are read where no schema decides
 */
export function coerceArguments(
  given: JsonObject,
  schema: ParameterSchema | undefined,
  { untyped = false }: { untyped?: boolean } = {},
): CoercedArguments {
  const coercer = new Coercer(untyped);
  return { arguments: coercer.parameters(given, schema ?? {}), coercions: coercer.coercions };
}

class Coercer {
  readonly coercions: CoercionNote[] = [];
  readonly #untyped: boolean;

  constructor(untyped: boolean) {
    this.#untyped = untyped;
  }

  parameters(given: JsonObject, schema: ParameterSchema): JsonObject {
    const required = schema.required && new Set(schema.required);
    return changed(given, (value, key) => {
      const property = propertyOf(schema, key);
      if (property === undefined) return this.#unknown(value, key);
      const isOptional = required !== undefined && !required.has(key);
      if (value === null && isOptional && forbidsNull(property)) return this.#note(key, null, undefined);
      return this.#value(value, property, key);
    });
  }

  /** A parameter that is missing from the schema. */
  #unknown(value: JsonValue, key: string): JsonValue {
    if (typeof value !== 'string') return value;
    if (value === 'true' || value === 'false') return this.#note(key, value, value === 'true');
    const isKnownInteger = KNOWN_INTEGERS.has(key) && INTEGER.test(value);
    if (isKnownInteger && Number.isSafeInteger(Number(value))) return this.#note(key, value, Number(value));
    if (!this.#untyped) return value;
    const literal = readLiteral(value);
    return literal === undefined ? value : this.#note(key, value, literal);
  }

  #value(value: JsonValue, schema: ParameterSchema, path: string): JsonValue {
    if (typeof value === 'string') return this.#text(value, schema, path);
    if (Array.isArray(value)) {
      const items = branchFor(schema, 'array')?.items;
      return items ? value.map((item, index) => this.#value(item, items, `${path}.${index}`)) : value;
    }
    if (typeof value === 'object' && value !== null) return this.#object(value, schema, path);
    return value;
  }

  #object(value: JsonObject, schema: ParameterSchema, path: string): JsonObject {
    const branch = branchFor(schema, 'object');
    if (!branch?.properties) return value;
    return changed(value, (inner, key) => {
      const property = propertyOf(branch, key);
      return property ? this.#value(inner, property, `${path}.${key}`) : inner;
    });
  }

  #text(value: string, schema: ParameterSchema, path: string): JsonValue {
    const types = allowedTypes(schema);
    // Text stays text where the schema allows it, except that untyped values are tried as the other types first.
    const tryOthers = !types.includes('string') || this.#untyped;
    for (const type of types) {
      if (type === 'string' || (!tryOthers && type !== 'null')) continue;
      // Where text is allowed, `none` and `NULL` are text; only the JSON and Python literals mean null.
      if (type === 'null' && types.includes('string') && !NULL_LITERALS.has(value.trim())) continue;
      const converted = fromText(value, type);
      if (converted !== undefined) return this.#value(this.#note(path, value, converted), schema, path);
    }
    // Text that starts like a list but cannot be read does not become a list of one string.
    if (this.#untyped && types.includes('array') && !types.includes('string') && !/^\s*\[/.test(value)) {
      return this.#value(this.#note(path, value, [value]), schema, path);
    }
    const fitting = enumValue(value, schema);
    return fitting === undefined ? value : this.#note(path, value, fitting);
  }

  #note<T extends JsonValue | undefined>(path: string, before: JsonValue, after: T): T {
    this.coercions.push({ path, before, after });
    return after;
  }
}

/** Reads text as a value of a type; `undefined` when it is not one. */
function fromText(text: string, type: SchemaType): JsonValue | undefined {
  const trimmed = text.trim();
  switch (type) {
    case 'null':
      return /^(?:null|none)$/i.test(trimmed) ? null : undefined;
    case 'boolean':
      if (/^true$/i.test(trimmed)) return true;
      return /^false$/i.test(trimmed) ? false : undefined;
    case 'integer':
      return WHOLE.test(trimmed) && Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : undefined;
    case 'number':
      return DECIMAL.test(trimmed) && Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
    case 'object':
    case 'array': {
      const value = /^[{[]/.test(trimmed) ? (readWhole(trimmed) ?? readEscaped(trimmed)) : undefined;
      return value !== undefined && isOfType(value, type) ? value : undefined;
    }
    case 'string':
      return undefined;
  }
}

/** A number, boolean, null, list or object written as text, but not a quoted string. */
function readLiteral(text: string): JsonValue | undefined {
  const value = readWhole(text.trim());
  return typeof value === 'string' ? undefined : value;
}

/** A list or object whose quotes are all escaped, as inside a string: `[{\"id\": 1}]`. */
function readEscaped(text: string): JsonValue | undefined {
  if (!/^[[{][\s[{]*\\"/.test(text)) return undefined;
  const inner = readWhole(`"${text}"`);
  return typeof inner === 'string' ? readWhole(inner.trim()) : undefined;
}

function readWhole(text: string): JsonValue | undefined {
  const reading = readJson(text, 0);
  const whole =
    reading.ok && reading.closed && reading.end === text.length && reading.unsafeKey === undefined;
  return whole ? reading.value : undefined;
}

function enumValue(value: string, schema: ParameterSchema): JsonValue | undefined {
  const values = alternatives(schema).flatMap((branch) => (Array.isArray(branch.enum) ? branch.enum : []));
  if (values.length === 0 || values.includes(value)) return undefined;
  const wanted = value.trim().toLowerCase();
  const same = values.filter((candidate) => String(candidate).toLowerCase() === wanted);
  return same.length === 1 ? same[0] : undefined;
}

/** Whether a parameter rejects null. For an optional one, null then means to omit it. */
function forbidsNull(property: ParameterSchema): boolean {
  const types = allowedTypes(property);
  return types.length > 0 && !types.includes('null');
}

/**
 * Replaces each value of an object; `undefined` removes it. The object is copied only when a value changes, since most
 * values already fit.
 */
function changed(
  given: JsonObject,
  replace: (value: JsonValue, key: string) => JsonValue | undefined,
): JsonObject {
  let copy: JsonObject | undefined;
  for (const key of Object.keys(given)) {
    const value = given[key] ?? null;
    const replaced = replace(value, key);
    if (replaced === value) continue;
    copy ??= { ...given };
    if (replaced === undefined) delete copy[key];
    else copy[key] = replaced;
  }
  return copy ?? given;
}

function branchFor(schema: ParameterSchema, type: SchemaType): ParameterSchema | undefined {
  const branches = alternatives(schema);
  return branches.length === 1 ? branches[0] : branches.find((branch) => allowedTypes(branch).includes(type));
}

function propertyOf(schema: ParameterSchema, key: string): ParameterSchema | undefined {
  const { properties } = schema;
  if (!properties || UNSAFE_KEYS.has(key) || !Object.hasOwn(properties, key)) return undefined;
  return properties[key];
}
