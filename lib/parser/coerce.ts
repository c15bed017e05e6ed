import type { JsonObject, JsonValue } from '../util/json.ts';
import { readJson, UNSAFE_KEYS } from './json/json-reader.ts';
import { allowedTypes, alternatives, isOfType, type SchemaType } from './schema-types.ts';
import type { Coercion, ParameterSchema } from './types.ts';

/** Parameters that are integers by convention, for tools whose schema does not know them (P10). */
const KNOWN_INTEGERS: ReadonlySet<string> = new Set(['start_line', 'end_line', 'timeout_ms', 'max_results']);

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

export type CoercionNote = Omit<Coercion, 'call'>;

export interface CoercedArguments {
  arguments: JsonObject;
  coercions: CoercionNote[];
}

/**
 * Fits arguments to the tool's schema (P9, P10, P11). Only text is converted, and only where the schema asks for
 * something else: `"30"` to 30, `"true"` to true, `"[1]"` to a list, an enum value in the wrong case. A parameter that
 * takes text keeps it (K-4). What does not fit stays as it is, for `validateArguments` to name.
 *
 * @param schema the tool's `parameters`; `undefined` when the tool is unknown
 * @param untyped the values came from a format that writes only text, so literals are read where no schema decides
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
    const result: JsonObject = {};
    for (const [key, value] of Object.entries(given)) {
      const property = propertyOf(schema, key);
      if (property === undefined) result[key] = this.#unknown(value, key);
      else if (value === null && isDroppable(key, property, schema)) this.#note(key, null, undefined);
      else result[key] = this.#value(value, property, key);
    }
    return result;
  }

  /** A parameter that no schema knows. */
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
    const result: JsonObject = {};
    for (const [key, inner] of Object.entries(value)) {
      const property = propertyOf(branch, key);
      result[key] = property ? this.#value(inner, property, `${path}.${key}`) : inner;
    }
    return result;
  }

  #text(value: string, schema: ParameterSchema, path: string): JsonValue {
    const types = allowedTypes(schema);
    // Text stays text where text is allowed; only a value that came without a type is tried as the others first.
    const tryOthers = !types.includes('string') || this.#untyped;
    for (const type of types) {
      if (type === 'string' || (!tryOthers && type !== 'null')) continue;
      const converted = fromText(value, type);
      if (converted !== undefined) return this.#value(this.#note(path, value, converted), schema, path);
    }
    if (this.#untyped && types.includes('array') && !types.includes('string')) {
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

/** Reads text as a value of the type; `undefined` when it is none. */
function fromText(text: string, type: SchemaType): JsonValue | undefined {
  const trimmed = text.trim();
  switch (type) {
    case 'null':
      return /^(?:null|none)$/i.test(trimmed) ? null : undefined;
    case 'boolean':
      if (/^true$/i.test(trimmed)) return true;
      return /^false$/i.test(trimmed) ? false : undefined;
    case 'integer':
      return INTEGER.test(trimmed) && Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : undefined;
    case 'number':
      return DECIMAL.test(trimmed) && Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
    case 'object':
    case 'array': {
      const value = /^[{[]/.test(trimmed) ? readWhole(trimmed) : undefined;
      return value !== undefined && isOfType(value, type) ? value : undefined;
    }
    case 'string':
      return undefined;
  }
}

/** A number, boolean, null, list or object written as text; not a text in quotes. */
function readLiteral(text: string): JsonValue | undefined {
  const value = readWhole(text.trim());
  return typeof value === 'string' ? undefined : value;
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

/** An optional parameter that was given as null without allowing it: the model means to leave it out. */
function isDroppable(key: string, property: ParameterSchema, schema: ParameterSchema): boolean {
  const types = allowedTypes(property);
  return (
    types.length > 0 &&
    !types.includes('null') &&
    schema.required !== undefined &&
    !schema.required.includes(key)
  );
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
