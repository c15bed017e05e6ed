import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';

/** How a value is entered. `json`: as JSON text, for types without a dedicated field. */
type ArgumentKind = 'text' | 'number' | 'switch' | 'choice' | 'json';

/** A parameter of a tool as a field of a form. */
export interface ArgumentField {
  readonly name: string;
  readonly kind: ArgumentKind;
  readonly required: boolean;
  readonly description: string;
  /** For `choice`: the values as they are shown. */
  readonly choices: readonly string[];
  /** Whether the chosen value is a number. */
  readonly numeric: boolean;
  /** Shown in the empty field. */
  readonly placeholder: string;
}

/** Fields of one form. A tool with more is called with JSON for the rest by other means. */
const MAX_FIELDS = 60;

/** The fields of a tool's form, made from its JSON schema, which is untrusted. Pure. */
export function argumentFieldsOf(schema: JsonObject): ArgumentField[] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, property]) => ({ name, required: required.includes(name), ...fieldOf(property) }));
}

function fieldOf(property: JsonValue): Omit<ArgumentField, 'name' | 'required'> {
  if (!isRecord(property))
    return { kind: 'json', description: '', choices: [], numeric: false, placeholder: '' };
  const { type, description, enum: values, default: preset } = property;
  const choices = Array.isArray(values) ? values.filter(isPlain).map(String) : [];
  const kind = choices.length > 0 && type !== 'array' ? 'choice' : KINDS.get(String(type));
  return {
    kind: kind ?? 'json',
    description: typeof description === 'string' ? description.slice(0, 500) : '',
    choices,
    numeric: type === 'integer' || type === 'number',
    placeholder: isPlain(preset) ? String(preset).slice(0, 200) : '',
  };
}

const KINDS: ReadonlyMap<string, ArgumentKind> = new Map([
  ['string', 'text'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'switch'],
]);

/**
 * Reads the texts of a form. Empty fields are left out; the server checks the rest. Pure.
 *
 * @param texts what was entered, by the name of the field
 */
export function argumentsOf(
  fields: readonly ArgumentField[],
  texts: Readonly<Record<string, string>>,
): { ok: true; arguments: JsonObject } | { ok: false; problems: Record<string, string> } {
  const entries: [string, JsonValue][] = [];
  const problems: [string, string][] = [];
  for (const { name, kind, required, numeric } of fields) {
    const text = Object.hasOwn(texts, name) ? (texts[name] ?? '') : '';
    if (text === '') {
      if (required && kind !== 'text') problems.push([name, 'Enter a value.']);
      else if (required) entries.push([name, '']);
      continue;
    }
    const value = readValue(kind === 'choice' && numeric ? 'number' : kind, text);
    if (value === undefined)
      problems.push([name, kind === 'number' ? 'Enter a number.' : 'This is not JSON.']);
    else entries.push([name, value]);
  }
  if (problems.length > 0) return { ok: false, problems: Object.fromEntries(problems) };
  return { ok: true, arguments: Object.fromEntries(entries) };
}

function readValue(kind: ArgumentKind, text: string): JsonValue | undefined {
  switch (kind) {
    case 'text':
    case 'choice':
      return text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'switch':
      return text === 'true';
    case 'json':
      return parsed(text);
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined; // reported with its field
  }
}

function isPlain(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
