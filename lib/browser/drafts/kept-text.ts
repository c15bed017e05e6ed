/**
 * Text that was typed but not sent, kept for this tab until it is sent. Storage may be switched off; then nothing is kept,
 * and nothing breaks.
 *
 * @param text an empty text removes the draft
 */
export function keepText(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(name));
    else sessionStorage.setItem(keyOf(name), text);
  } catch (error) {
    console.info('This browser keeps no drafts:', error);
  }
}

/** The kept text; empty if there is none. */
export function keptText(name: string): string {
  try {
    return sessionStorage.getItem(keyOf(name)) ?? '';
  } catch {
    // Storage is switched off: the same as nothing kept.
    return '';
  }
}

function keyOf(name: string): string {
  return `loupe.draft.${name}`;
}
