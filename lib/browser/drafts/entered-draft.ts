import { contentProblems } from '../../events/entered-content.ts';
import type { AskedField, EnteredContent, EnteredValue } from '../../events/mcp-request.ts';

/** The values of a server's form while it is filled in: texts, or the chosen options. */
export type EnteredTexts = Readonly<Record<string, string | readonly string[]>>;

/** The form as the server suggests it. */
export function presetTexts(fields: readonly AskedField[]): EnteredTexts {
  return Object.fromEntries(
    fields.flatMap(({ name, preset }) => {
      if (preset === undefined) return [];
      return [[name, Array.isArray(preset) ? preset : String(preset)] as const];
    }),
  );
}

/** Reads a filled form. Empty fields are left out. Pure. */
export function enteredContent(
  fields: readonly AskedField[],
  texts: EnteredTexts,
): { ok: true; content: EnteredContent } | { ok: false; problems: Readonly<Record<string, string>> } {
  const content = Object.fromEntries(
    fields.flatMap((field) => {
      const value = enteredValue(field, Object.hasOwn(texts, field.name) ? texts[field.name] : undefined);
      return value === undefined ? [] : [[field.name, value] as const];
    }),
  );
  const problems = contentProblems(fields, content);
  return Object.keys(problems).length === 0 ? { ok: true, content } : { ok: false, problems };
}

function enteredValue(
  { kind, required }: AskedField,
  text: string | readonly string[] | undefined,
): EnteredValue | undefined {
  if (kind === 'choices') return Array.isArray(text) && (text.length > 0 || required) ? [...text] : undefined;
  if (typeof text !== 'string' || text === '') return undefined;
  if (kind === 'switch') return text === 'true';
  // Not a number; the validation of the field reports it.
  if (kind === 'number' || kind === 'integer') return text.trim() === '' ? undefined : Number(text);
  return text;
}
