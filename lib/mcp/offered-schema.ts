import type { ParameterSchema } from '../parser/types.ts';
import { isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { textStart } from '../util/short-text.ts';
import { cleanText } from './clean-text.ts';
import { MAX_NAME_CHARS, MAX_PARAMETER_CHARS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES } from './limits.ts';

/** A schema that models cannot be given; the message says why. */
export class SchemaError extends Error {}

/** Keywords that are passed on unchanged. */
const PLAIN = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
] as const;
const MAX_ENUM = 200;
const MAX_PLAIN_CHARS = 500;

/**
 * A tool's input schema in the form that models and their templates understand: references resolved, texts cleaned and
 * shortened, unknown keywords left out. Arguments are still validated against the server's own schema. Pure.
 *
 * @param schema within the limits on size and depth
 * @throws {SchemaError} if it does not describe an object, or grows too large when its references are resolved
 */
export function offeredSchema(schema: JsonObject): ParameterSchema {
  const reader = new SchemaReader(schema);
  const read = reader.read(schema, [], 0);
  const type = read.type ?? 'object';
  if (type !== 'object') throw new SchemaError('Its input schema does not describe an object.');
  return { ...read, type, properties: read.properties ?? {} };
}

class SchemaReader {
  readonly #root: JsonObject;
  #nodes = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** @param path the references on the way here, to detect cycles */
  read(schema: JsonValue, path: readonly string[], depth: number): ParameterSchema {
    this.#nodes++;
    if (this.#nodes > MAX_SCHEMA_NODES || depth > MAX_SCHEMA_DEPTH) {
      throw new SchemaError(
        `Its input schema has more than ${MAX_SCHEMA_NODES} parts or is nested too deeply.`,
      );
    }
    if (!isRecord(schema)) return {};
    if (typeof schema.$ref === 'string') return this.#resolved(schema, schema.$ref, path, depth);
    const { type, description, properties, required, items, additionalProperties } = schema;
    const inner = (value: JsonValue) => this.read(value, path, depth + 1);
    const branches = listOf(schema.anyOf ?? schema.oneOf).map(inner);
    const all = listOf(schema.allOf).map(inner);
    return {
      ...mergedAll(all),
      ...(isType(type) ? { type } : {}),
      ...(typeof description === 'string'
        ? { description: shortened(description, MAX_PARAMETER_CHARS) }
        : {}),
      ...enumOf(schema),
      ...(isRecord(properties) ? { properties: this.#properties(properties, path, depth) } : {}),
      ...(Array.isArray(required) ? { required: required.filter((name) => typeof name === 'string') } : {}),
      ...(isRecord(items) ? { items: inner(items) } : {}),
      ...(branches.length > 0 ? { anyOf: branches } : {}),
      ...(additionalProperties === false ? { additionalProperties } : {}),
      ...plainKeywords(schema),
    };
  }

  #properties(
    properties: JsonObject,
    path: readonly string[],
    depth: number,
  ): Record<string, ParameterSchema> {
    const entries = Object.entries(properties).map(([name, value]): [string, ParameterSchema] => {
      if (name === '__proto__' || name.length > MAX_NAME_CHARS || cleanText(name).text !== name) {
        throw new SchemaError('A parameter has a name that cannot be used.');
      }
      return [name, this.read(value, path, depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  /** At a cycle, any value is allowed: the server checks it. */
  #resolved(schema: JsonObject, reference: string, path: readonly string[], depth: number): ParameterSchema {
    const target = path.includes(reference) ? undefined : this.#target(reference);
    const found = target === undefined ? {} : this.read(target, [...path, reference], depth + 1);
    const { $ref: _, ...beside } = schema;
    return { ...found, ...(Object.keys(beside).length > 0 ? this.read(beside, path, depth + 1) : {}) };
  }

  /** The part of the schema that a reference points to. External references, such as URLs, are never followed. */
  #target(reference: string): JsonValue | undefined {
    if (!reference.startsWith('#/')) return reference === '#' ? this.#root : undefined;
    let found: JsonValue = this.#root;
    for (const step of reference.slice(2).split('/')) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined;
      found = found[key] ?? null;
    }
    return found;
  }
}

/** Merges the parameters of `allOf`. */
function mergedAll(parts: readonly ParameterSchema[]): ParameterSchema {
  const merged: ParameterSchema = Object.assign({}, ...parts);
  const properties = parts.flatMap((part) => Object.entries(part.properties ?? {}));
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  if (properties.length > 0) merged.properties = Object.fromEntries(properties);
  if (required.size > 0) merged.required = [...required];
  return merged;
}

function enumOf({ enum: values, const: only }: JsonObject): { enum?: JsonValue[] } {
  const all = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const plain = all.filter((value) => typeof value !== 'object' || value === null).slice(0, MAX_ENUM);
  if (plain.length === 0) return {};
  return {
    enum: plain.map((value) => (typeof value === 'string' ? shortened(value, MAX_NAME_CHARS) : value)),
  };
}

function plainKeywords(schema: JsonObject): Record<string, JsonValue> {
  const found: Record<string, JsonValue> = {};
  for (const keyword of PLAIN) {
    const value = schema[keyword];
    if (typeof value === 'number') found[keyword] = value;
    else if (typeof value === 'string' && value.length <= MAX_PLAIN_CHARS)
      found[keyword] = cleanText(value).text;
  }
  const { default: preset } = schema;
  const isPlain = preset !== undefined && (typeof preset !== 'object' || preset === null);
  if (isPlain && JSON.stringify(preset).length <= MAX_PLAIN_CHARS) found.default = cleanValue(preset);
  return found;
}

function cleanValue(value: JsonValue): JsonValue {
  return typeof value === 'string' ? cleanText(value).text : value;
}

function shortened(text: string, maxChars: number): string {
  return textStart(cleanText(textStart(text, 4 * maxChars)).text, maxChars);
}

function isType(type: unknown): type is string | string[] {
  const isName = (name: unknown) => typeof name === 'string' && name.length <= 50;
  return isName(type) || (Array.isArray(type) && type.length > 0 && type.length <= 10 && type.every(isName));
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
