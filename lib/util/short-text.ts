/** The length to which a quoted name is cut. */
const MAX_NAME_CHARS = 60;

/** The first `max` UTF-16 units of a text, with an ellipsis if it was cut. Never splits a surrogate pair (E5). */
export function shortText(text: string, max: number): string {
  return text.length <= max ? text : `${textStart(text, max - 1)}…`;
}

/** Like `shortText` with the ellipsis in the middle, for paths, whose end is the most telling part. */
export function shortMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = textStart(text, Math.ceil((max - 1) / 2));
  const first = text.length - Math.floor((max - 1) / 2);
  const code = text.charCodeAt(first);
  return `${start}…${text.slice(code >= 0xdc00 && code <= 0xdfff ? first + 1 : first)}`;
}

/** The first `max` UTF-16 units of a text, or one fewer if the last would be half a surrogate pair. */
export function textStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/** A name from a file or request, shortened and without invisible characters. */
export function quotedName(text: string): string {
  return shortText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�'), MAX_NAME_CHARS);
}
