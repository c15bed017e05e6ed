/**
 * The first `max` UTF-16 units of a text, with an ellipsis when something was left out. Never splits a surrogate
 * pair (E5).
 */
export function shortText(text: string, max: number): string {
  return text.length <= max ? text : `${textStart(text, max - 1)}…`;
}

/** The first `max` UTF-16 units of a text, or one less where the last would be half a character. */
export function textStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
