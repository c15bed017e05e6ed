import type { JsonValue } from '../util/json.ts';
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

/** A schema and its alternatives, `anyOf` and `oneOf` opened up one level. */
export function alternatives(schema: ParameterSchema): ParameterSchema[] {
  const oneOf = Array.isArray(schema.oneOf) ? (schema.oneOf as ParameterSchema[]) : [];
  const inner = [...(schema.anyOf ?? []), ...oneOf].filter(
    (branch) => typeof branch === 'object' && branch !== null,
  );
  return inner.length > 0 ? inner : [schema];
}

/** The types a schema allows, in a fixed order; empty when it does not say. */
export function allowedTypes(schema: ParameterSchema): SchemaType[] {
  const named = new Set(alternatives(schema).flatMap((branch) => branch.type ?? []));
  return SCHEMA_TYPES.filter((type) => named.has(type));
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
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
