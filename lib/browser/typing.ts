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
