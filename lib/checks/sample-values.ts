import type { ParameterSchema } from '../parser/types.ts';
import { isBoundedObject, type JsonObject, type JsonValue } from '../util/json.ts';

const MAX_DEPTH = 4;

/** Plausible texts for parameters, by a word in their name. The first match is used. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/e-?mail/i, 'ada@example.com'],
  [/ur[il]|link|href/i, 'https://example.com/guide'],
  [/dir|folder/i, 'notes'],
  [/path|file/i, 'notes/plan.txt'],
  [/date|day/i, '2026-03-14'],
  [/time/i, '2026-03-14T09:30:00Z'],
  [/lang/i, 'en'],
  [/city|location|place/i, 'Lisbon'],
  [/country/i, 'Portugal'],
  [/pattern|query|search|term|keyword/i, 'harbor'],
  [/title|subject|heading/i, 'Weekly plan'],
  [/user|author|owner|person/i, 'ada'],
  [/name/i, 'harbor'],
  [/id$|_id|key|slug/i, 'item-42'],
  [/colou?r/i, 'blue'],
  [/message|text|content|body|note|comment/i, 'Water the plants on Monday.'],
];

const FORMATS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    email: 'ada@example.com',
    uri: 'https://example.com/guide',
    date: '2026-03-14',
    'date-time': '2026-03-14T09:30:00Z',
    time: '09:30:00Z',
    uuid: '2f1e7c1a-5b0e-4c1e-9a57-6d2f3b8c9d10',
  }),
);

/**
 * A value that fits a parameter, the same each time. Pure.
 *
 * @param choice which value of an enum to take
 * @returns `undefined` if no value can be made up, as for a pattern or an empty schema
 */
export function sampleValue(
  name: string,
  schema: ParameterSchema,
  choice = 0,
  depth = 0,
): JsonValue | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { enum: values, anyOf } = schema;
  if (Array.isArray(values) && values.length > 0) return values[choice % values.length];
  const branch = anyOf?.find((each) => each.type !== 'null');
  if (branch) return sampleValue(name, branch, choice, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  switch (type) {
    case 'string':
      return sampleText(name, schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return schema.default !== true;
    case 'array':
      return sampleList(name, schema, depth);
    case 'object':
      return sampleObject(schema, depth);
    default:
      return undefined;
  }
}

/** Values for the required parameters of an object, and for the given optional ones. Pure. */
export function sampleArguments(
  { properties = {}, required = [] }: ParameterSchema,
  { optional }: { optional: boolean },
): JsonObject | undefined {
  const values: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    if (!isRequired && !optional) continue;
    const value = sampleValue(name, schema);
    if (value !== undefined) values[name] = value;
    else if (isRequired) return undefined;
  }
  return values;
}

function sampleText(name: string, schema: ParameterSchema): string | undefined {
  if (schema.pattern !== undefined) return undefined;
  const text = FORMATS.get(schema.format) ?? TEXTS.find(([word]) => word.test(name))?.[1] ?? 'harbor';
  const min = numberOf(schema.minLength) ?? 0;
  const max = numberOf(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  if (min > 200) return undefined;
  return text.repeat(Math.ceil(Math.max(1, min) / text.length)).slice(0, max);
}

function sampleNumber(schema: ParameterSchema): number {
  const [above, below] = [numberOf(schema.exclusiveMinimum), numberOf(schema.exclusiveMaximum)];
  const min = numberOf(schema.minimum) ?? (above ?? -1) + 1;
  const max = numberOf(schema.maximum) ?? (below ?? Number.POSITIVE_INFINITY) - 1;
  // No whole number lies between limits such as 0 and 1.
  if (min > max && above !== undefined && below !== undefined && above < below) return (above + below) / 2;
  const wanted = min <= 7 && max >= 7 ? 7 : min;
  const value = Math.min(max, wanted);
  return schema.type === 'integer' ? Math.ceil(value) : value;
}

function sampleList(
  name: string,
  { items = {}, minItems, maxItems }: ParameterSchema,
  depth: number,
): JsonValue | undefined {
  const most = numberOf(maxItems) ?? Number.POSITIVE_INFINITY;
  const length = Math.min(most, Math.max(2, numberOf(minItems) ?? 0));
  if (length > 10) return undefined;
  const singular = name.replace(/s$/, '');
  const made = Array.from({ length }, (_, index) => sampleValue(singular, items, index, depth + 1));
  const values = made.flatMap((value) => (value === undefined ? [] : [value]));
  if (values.length < length) return undefined;
  // Identical items would not show whether each was passed on.
  return values.map((value, index) =>
    typeof value === 'string' && !items.enum ? `${value}${index + 1}` : value,
  );
}

function sampleObject(schema: ParameterSchema, depth: number): JsonObject | undefined {
  const values: JsonObject = {};
  for (const name of schema.required ?? []) {
    const value = sampleValue(name, schema.properties?.[name] ?? {}, 0, depth + 1);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return isBoundedObject(values, { maxChars: 2000, maxDepth: 10 }) ? values : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
