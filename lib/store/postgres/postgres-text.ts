// PostgreSQL keeps any text but NUL and halves of surrogate pairs, which models and tools do write. They are kept behind a
// mark that stands for nothing in Unicode, and so is the mark itself: what is read is exactly what was written.
const MARK = '\u{10FFFF}';
const UNKEEPABLE = /[\0\u{10FFFF}]|\p{Cs}/gu;
const KEPT = /\u{10FFFF}([0-9a-f]{4}|m)/gu;

/** A text as PostgreSQL can keep it. */
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
 * SQL for the JSON in a column of text. PostgreSQL reads no field of JSON that has an escape anywhere which no text of it
 * can hold: NUL or half of a surrogate pair. These are replaced; every other field stays as it is.
 */
export function jsonIn(column: string): string {
  return `regexp_replace(${column}, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'gi')::json`;
}
