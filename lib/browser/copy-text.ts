/** Shown if the browser does not let the page copy. */
export const NOT_COPIED = 'The browser blocked copying. Select the text and copy it yourself.';

/**
 * Copies a text to the clipboard. Pages that another machine serves unencrypted, such as shared runs in a local
 * network, cannot use the clipboard API: there the text is selected and copied with the old command.
 *
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return copyMarked(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    // The browser does not let this page copy, or the page is not focused.
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
  // A modal dialog traps the focus, so the field must be inside it.
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return copied;
}
