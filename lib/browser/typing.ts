/** Whether keys currently enter text and are not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

export function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/**
 * Whether a key belongs to an input method, as for Japanese. In Safari, the Enter or Escape that ends a composition comes
 * after its end: only its code tells (https://bugs.webkit.org/show_bug.cgi?id=165004).
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}
