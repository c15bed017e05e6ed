/**
 * A name in braces, with all braces that touch it. A single pair makes it a placeholder; a name in more pairs is text, and
 * loses one pair when the template is filled in, so `{{name}}` stands for `{name}`.
 */
const BRACED = /(\{+)([\p{L}_][\p{L}\p{N}_-]{0,39})(\}+)/gu;

/** The names of the placeholders of a template, each once, in order. Pure. */
export function placeholderNames(template: string): string[] {
  const names = [...template.matchAll(BRACED)].flatMap(([, open = '', name = '', close = '']) =>
    Math.min(open.length, close.length) === 1 ? [name] : [],
  );
  return [...new Set(names)];
}

/**
 * Replaces the placeholders of a template. Values are inserted unchanged and not searched for placeholders. A
 * placeholder without a value stays. Pure.
 */
export function fillIn(template: string, values: ReadonlyMap<string, string>): string {
  return template.replaceAll(BRACED, (braced: string, open: string, name: string, close: string) => {
    if (Math.min(open.length, close.length) > 1) return `${open.slice(1)}${name}${close.slice(1)}`;
    const value = values.get(name);
    return value === undefined ? braced : `${open.slice(1)}${value}${close.slice(1)}`;
  });
}

/** A template without placeholders that yields exactly this text. Pure. */
export function escapePlaceholders(text: string): string {
  return text.replaceAll(
    BRACED,
    (_, open: string, name: string, close: string) => `{${open}${name}${close}}`,
  );
}
