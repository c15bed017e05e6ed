/**
 * The first `max` UTF-16 units of a text, with an ellipsis when something was left out. Never splits a surrogate
 * pair (E5).
 */
export function shortText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = max - 1;
  const last = text.charCodeAt(end - 1);
  const splits = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splits ? end - 1 : end)}…`;
}
