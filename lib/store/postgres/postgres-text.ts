// PostgreSQL stores any text except NUL and lone surrogates, which models and tools do write. They are escaped
// with a mark that has no meaning in Unicode, as is the mark itself, so that exactly what was written is read.
const MARK = '\u{10FFFF}';
const UNKEEPABLE = /[\0\u{10FFFF}]|\p{Cs}/gu;
const KEPT = /\u{10FFFF}([0-9a-f]{4}|m)/gu;

/** A text in a form that PostgreSQL can store. */
export function toPostgresText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(MARK)) return text;
  return text.replaceAll(UNKEEPABLE, (found) =>
    found === MARK ? `${MARK}m` : `${MARK}${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The text that `toPostgresText` was given. */
export function fromPostgresText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replaceAll(KEPT, (_, code: string) =>
    code === 'm' ? MARK : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/**
 * SQL for the JSON in a text column. PostgreSQL reads no field of JSON that contains an escape for NUL or a lone
 * surrogate anywhere. These are replaced; all other fields are unchanged.
 */
export function jsonIn(column: string): string {
  return `regexp_replace(${column}, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'gi')::json`;
}
