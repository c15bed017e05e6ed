import type { JsonObject, JsonValue } from '../../util/json.ts';

/** The parts of a tool's schema that are needed here. */
export interface KnownParameters {
  properties?: Readonly<Record<string, { type?: unknown }>>;
}

/** One argument of a call while a person edits it. */
export interface EditField {
  readonly name: string;
  readonly text: string;
  /** The text is the value itself; otherwise it is JSON. */
  readonly plain: boolean;
  /** The model left it out: an empty text leaves it out again. */
  readonly missing: boolean;
}

/** The arguments as texts to edit: first those the model gave, then the others that the tool knows. */
export function argumentFields(args: JsonObject, schema: KnownParameters | undefined): EditField[] {
  const given = Object.entries(args).map(([name, value]: [string, JsonValue]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    plain: typeof value === 'string',
    missing: false,
  }));
  const others = Object.entries(schema?.properties ?? {})
    .filter(([name]) => !Object.hasOwn(args, name))
    .map(([name, { type }]) => ({ name, text: '', plain: type === 'string', missing: true }));
  return [...given, ...others];
}

/** Converts texts back to arguments, or returns the problem. The server validates them against the tool. */
export function editedArguments(
  fields: readonly EditField[],
): { ok: true; arguments: JsonObject } | { ok: false; name: string; problem: string } {
  const entries: [string, JsonValue][] = [];
  for (const { name, text, plain, missing } of fields) {
    if (missing && text === '') continue;
    if (plain) {
      entries.push([name, text]);
      continue;
    }
    try {
      const value: JsonValue = JSON.parse(text);
      entries.push([name, value]);
    } catch {
      return { ok: false, name, problem: `${name} is not JSON.` };
    }
  }
  return { ok: true, arguments: Object.fromEntries(entries) };
}
