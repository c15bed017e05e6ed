'use client';

import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Announcements } from './announcements.tsx';
import { cx } from './cx.ts';

/**
 * A modal dialog on the browser's own element, which keeps the focus inside, makes the page behind inert, closes on
 * Escape and returns the focus (decision 36). Its content exists only while it is open.
 */
export function Dialog({
  open,
  onClose,
  dismissable = false,
  keepsOnEscape = false,
  className,
  children,
  ...name
}: {
  open: boolean;
  /** May be called more than once for one closing. */
  onClose: () => void;
  /** Closes it on a press outside. */
  dismissable?: boolean;
  /**
   * Stays open on Escape, which would discard what was typed: `typed` once something was. Browsers close it on a second
   * Escape all the same.
   */
  keepsOnEscape?: boolean | 'typed';
  className: string;
  children: ReactNode;
} & ({ 'aria-label': string } | { 'aria-labelledby': string })) {
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useRef(false);
  // A layout effect, because a dialog that is removed while open does not return the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!open || !element) return;
    typed.current = false;
    element.showModal();
    return () => element.close();
  }, [open]);
  return (
    <dialog
      {...name}
      ref={dialog}
      onInput={() => {
        typed.current = true;
      }}
      onCancel={(event) => {
        // A choice of files that is cancelled sends this event, too.
        if (event.target !== event.currentTarget) return;
        const keeps = keepsOnEscape === 'typed' ? typed.current : keepsOnEscape;
        if (keeps && event.cancelable) event.preventDefault();
        else onClose();
      }}
      // Fires in a later task, when the dialog may be open again.
      onClose={(event) => {
        if (!event.currentTarget.open) onClose();
      }}
      onPointerDown={(event) => {
        if (dismissable && event.target === event.currentTarget) onClose();
      }}
      className={cx(
        'm-auto max-w-[calc(100vw-2rem)] rounded-lg border bg-raised text-left text-ink shadow-xl backdrop:bg-sunken/70',
        className,
      )}
    >
      {open && (
        <>
          {children}
          <Announcements />
        </>
      )}
    </dialog>
  );
}
