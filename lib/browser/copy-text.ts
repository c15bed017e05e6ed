/** Said where a browser does not let a page copy. */
export const NOT_COPIED = 'The browser blocked copying. Select the text and copy it yourself.';

/**
 * Copies a text to the clipboard. Pages that come without encryption from another machine, as shared runs do in a local network,
 * have no clipboard of their own: there the text is marked and copied the old way.
 *
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return copyMarked(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    // The browser does not let this page copy, or the page is not the one that is looked at.
    if (error instanceof DOMException) return false;
    throw error;
  }
}

function copyMarked(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('aria-hidden', 'true');
  field.className = 'fixed top-0 left-0 opacity-0';
  const before = document.activeElement;
  // A modal dialog keeps the focus to itself: the field has to stand in it.
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return copied;
}
