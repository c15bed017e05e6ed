import { isRecord, type JsonValue } from '../util/json.ts';
import { memoized } from '../util/memoized.ts';
import type { ParameterSchema } from './types.ts';

export type SchemaType = 'null' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'string';

const SCHEMA_TYPES: readonly SchemaType[] = [
  'null',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'string',
];

/** Other names for these types in schemas: from Python, databases and other protocols. */
const ALIASES: readonly (readonly [RegExp, SchemaType])[] = [
  [/^(?:none|nonetype|nil)$/, 'null'],
  [/^(?:u?int\d*|bigint|long|short|unsigned)$/, 'integer'],
  [/^(?:num|float\d*|double|decimal|real)$/, 'number'],
  [/^bool$/, 'boolean'],
  [/^(?:obj|dict|dictionary|map|mapping|record|struct)$/, 'object'],
  [/^(?:arr|list|tuple|set|sequence)$/, 'array'],
  [/^(?:str|text|char|varchar)$/, 'string'],
];
/** Type arguments: `list[str]`, `dict<string, int>`. */
const TYPE_ARGUMENTS = /[[<(].*$/s;

/** Maximum nesting of `anyOf`. */
const MAX_LEVELS = 4;

/** The alternatives of a schema, with `anyOf`, `oneOf` and a single-entry `allOf` expanded. */
export function alternatives(schema: ParameterSchema, level = 0): ParameterSchema[] {
  const allOf = schemasIn(schema.allOf);
  const inner = [
    ...schemasIn(schema.anyOf),
    ...schemasIn(schema.oneOf),
    ...(allOf.length === 1 ? allOf : []),
  ];
  if (inner.length === 0 || level >= MAX_LEVELS) return [schema];
  return inner.flatMap((branch) => alternatives(branch, level + 1));
}

/** The schemas in a list of a schema that anyone may have written. */
export function schemasIn(list: unknown): ParameterSchema[] {
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** Sound forms by schema. */
const SOUND = new WeakMap<ParameterSchema, ParameterSchema>();
/** Schemas nested deeper allow anything. */
const MAX_SCHEMA_DEPTH = 200;

/**
 * A schema without the parts that have the wrong form, as anyone may have written it: `required` that is not a list, `null` in
 * place of a schema. `true`, which is a schema, and whatever else is no object allow any value.
 */
export function soundSchema(given: ParameterSchema, depth = 0): ParameterSchema {
  const known = SOUND.get(given);
  if (known) return known;
  const inner = (value: unknown) =>
    isSchema(value) && depth < MAX_SCHEMA_DEPTH ? soundSchema(value, depth + 1) : {};
  const { properties, required, items, enum: values, anyOf, oneOf, allOf, ...rest } = given;
  const schema: ParameterSchema = {
    ...rest,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, inner(value)])),
    }),
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
    ...(isSchema(items) && { items: inner(items) }),
    ...(Array.isArray(values) && { enum: values }),
    ...(anyOf !== undefined && { anyOf: schemasIn(anyOf).map(inner) }),
    ...(oneOf !== undefined && { oneOf: schemasIn(oneOf).map(inner) }),
    ...(allOf !== undefined && { allOf: schemasIn(allOf).map(inner) }),
  };
  SOUND.set(given, schema).set(schema, schema);
  return schema;
}

function isSchema(value: unknown): value is ParameterSchema {
  return isRecord(value);
}

/** The types that a schema allows, in a fixed order; empty when it declares none. */
export const allowedTypes: (schema: ParameterSchema) => readonly SchemaType[] = memoized(readTypes);

function readTypes(schema: ParameterSchema): SchemaType[] {
  const named = alternatives(schema).flatMap((branch) => branch.type ?? schema.type ?? []);
  const known = new Set(named.map(schemaType));
  return SCHEMA_TYPES.filter((type) => known.has(type));
}

function schemaType(written: unknown): SchemaType | undefined {
  const name = String(written).toLowerCase().replace(TYPE_ARGUMENTS, '').trim();
  const known = SCHEMA_TYPES.find((type) => type === name);
  return known ?? ALIASES.find(([pattern]) => pattern.test(name))?.[1];
}

/** Whether a value is of a type; an integer is a number too. */
export function isOfType(value: JsonValue, type: SchemaType): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}
