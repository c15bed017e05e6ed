import { isRecord, type JsonValue } from '../util/json.ts';

/** Levels of a schema that refers to itself. */
const MAX_DEPTH = 8;

/**
 * A value that fits a JSON schema as far as scripts need it (types, properties, items, `enum`, `const`, the first of
 * `anyOf` and `oneOf`, lower limits): as from a model that may only choose tokens that fit. Pure.
 */
export function sampleOfSchema(schema: JsonValue | undefined, text = 'A sample.', depth = 0): JsonValue {
  if (!isRecord(schema) || depth > MAX_DEPTH) return text;
  const { const: constant, enum: values, anyOf, oneOf, type, properties, required, items } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(values) && values[0] !== undefined) return values[0];
  const branches = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(branches)) return sampleOfSchema(branches[0], text, depth + 1);
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'object' || (kind === undefined && isRecord(properties))) {
    const fields = isRecord(properties) ? properties : {};
    const names = [
      ...new Set([...Object.keys(fields), ...(Array.isArray(required) ? required.map(String) : [])]),
    ];
    return Object.fromEntries(names.map((name) => [name, sampleOfSchema(fields[name], text, depth + 1)]));
  }
  switch (kind) {
    case 'array': {
      const length = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 100) : 1;
      return Array.from({ length }, () => sampleOfSchema(items, text, depth + 1));
    }
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return text;
  }
}
