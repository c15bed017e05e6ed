import type { JsonObject, JsonValue } from '../util/json.ts';
import { allowedTypes, alternatives, isOfType, schemasIn, soundSchema } from './schema-types.ts';
import type { ParameterSchema } from './types.ts';

export interface ArgumentProblem {
  /** Dotted path of the argument: `items.0.count`. */
  field: string;
  /** Names the field, the expected type and the actual value, so that the model can correct it. */
  message: string;
}

/**
 * Validates arguments against the tool's schema, after coercion and before the tool runs (O4).
 *
 * Supports the keywords that Ollama's tool definitions use: `type`, `required`, `properties`, `items`, `enum`, `anyOf`/`oneOf`
 * (one alternative must fit), `allOf`, `additionalProperties: false`, `minimum`, `maximum`, `minLength`, `maxLength`, `minItems`, `maxItems`.
 *
 * @returns one problem per invalid field, `[]` when all fit
 */
export function validateArguments(args: JsonObject, schema: ParameterSchema): ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  checkKeywords(args, soundSchema(schema), '', problems);
  return problems;
}

function checkObject(
  value: JsonObject,
  schema: ParameterSchema,
  path: string,
  problems: ArgumentProblem[],
): void {
  const properties = schema.properties ?? {};
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(value, key)) continue;
    const field = join(path, key);
    const expected = Object.hasOwn(properties, key) ? ` (${expectation(properties[key] ?? {})})` : '';
    problems.push({ field, message: `"${field}" is missing; it is required${expected}.` });
  }
  for (const [key, inner] of Object.entries(value)) {
    const field = join(path, key);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property) checkValue(inner, property, field, problems);
    else if (schema.additionalProperties === false) {
      const known = Object.keys(properties).join(', ') || 'none';
      problems.push({ field, message: `"${field}" is not a known parameter; known: ${known}.` });
    }
  }
}

function checkValue(
  value: JsonValue,
  schema: ParameterSchema,
  field: string,
  problems: ArgumentProblem[],
): void {
  const types = allowedTypes(schema);
  const isTyped = alternatives(schema).every(({ type = schema.type }) => type !== undefined);
  if (isTyped && types.length > 0 && !types.some((type) => isOfType(value, type))) {
    problems.push({ field, message: `"${field}" must be ${expectation(schema)}, not ${show(value)}.` });
    return;
  }
  checkKeywords(value, schema, field, problems);
}

/** Checks a value by everything but the type of its schema. */
function checkKeywords(
  value: JsonValue,
  schema: ParameterSchema,
  field: string,
  problems: ArgumentProblem[],
): void {
  const before = problems.length;
  if (!isListed(value, schema)) {
    const expected = expectation({ enum: schema.enum });
    problems.push({ field, message: `"${field}" must be ${expected}, not ${show(value)}.` });
    return;
  }
  checkLimits(value, schema, field, problems);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items)
      for (const [index, item] of value.entries()) checkValue(item, items, `${field}.${index}`, problems);
  } else if (typeof value === 'object' && value !== null) checkObject(value, schema, field, problems);
  if (problems.length > before) return;
  checkAlternatives(value, schemasIn(schema.anyOf), field, problems);
  checkAlternatives(value, schemasIn(schema.oneOf), field, problems);
  for (const part of schemasIn(schema.allOf)) checkValue(value, part, field, problems);
}

/** Reports what is wrong by the first alternative of the value's type if none fits. */
function checkAlternatives(
  value: JsonValue,
  branches: readonly ParameterSchema[],
  field: string,
  problems: ArgumentProblem[],
): void {
  let first: ArgumentProblem[] | undefined;
  for (const branch of branches) {
    const found: ArgumentProblem[] = [];
    checkValue(value, branch, field, found);
    if (found.length === 0) return;
    if (fits(value, branch)) first ??= found;
  }
  if (branches.length === 0) return;
  if (!first) {
    const name = field === '' ? 'The arguments' : `"${field}"`;
    const expected = expectation({ anyOf: [...branches] });
    first = [{ field, message: `${name} must be ${expected}, not ${show(value)}.` }];
  }
  for (const problem of first) problems.push(problem);
}

function fits(value: JsonValue, branch: ParameterSchema): boolean {
  const types = allowedTypes(branch);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  return isListed(value, branch);
}

function isListed(value: JsonValue, { enum: values }: ParameterSchema): boolean {
  return !Array.isArray(values) || values.some((allowed) => allowed === value);
}

function checkLimits(
  value: JsonValue,
  schema: ParameterSchema,
  field: string,
  problems: ArgumentProblem[],
): void {
  const measured = measure(value);
  if (measured === undefined) return;
  const { size, unit, minimum, maximum } = measured;
  const lowest = schema[minimum];
  const highest = schema[maximum];
  if (typeof lowest === 'number' && size < lowest) {
    problems.push({ field, message: `"${field}" must be at least ${unit(lowest)}, not ${size}.` });
  }
  if (typeof highest === 'number' && size > highest) {
    problems.push({ field, message: `"${field}" must be at most ${unit(highest)}, not ${size}.` });
  }
}

function measure(
  value: JsonValue,
): { size: number; unit: (size: number) => string; minimum: string; maximum: string } | undefined {
  if (typeof value === 'number') return { size: value, unit: String, minimum: 'minimum', maximum: 'maximum' };
  if (typeof value === 'string') {
    return { size: value.length, unit: long('character'), minimum: 'minLength', maximum: 'maxLength' };
  }
  if (Array.isArray(value)) {
    return { size: value.length, unit: long('item'), minimum: 'minItems', maximum: 'maxItems' };
  }
  return undefined;
}

function expectation(schema: ParameterSchema): string {
  const values = alternatives(schema).flatMap((branch) => (Array.isArray(branch.enum) ? branch.enum : []));
  if (values.length > 0) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  return allowedTypes(schema).map(withArticle).join(' or ') || 'a value';
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The value as shortened JSON. Containers can be large, so only their kind is named. */
function show(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function long(noun: string): (size: number) => string {
  return (size) => `${size} ${noun}${size === 1 ? '' : 's'} long`;
}
