'use client';

import { useId, useState } from 'react';
import { focusFirstField, focusSoon } from '#lib/browser/focus-soon.ts';

export interface InlineForm {
  isOpen: boolean;
  /** Opens the form and focuses its first field. */
  open: () => void;
  /** Opens the form without a user action, so the focus stays. */
  show: () => void;
  /** Closes the form and focuses the button that opens it, unless the reader has moved the focus out of the form. */
  close: () => void;
  /** The `id` of the form. */
  formId: string;
  /** The `id` of the button. */
  buttonId: string;
}

/** A form that a button opens in the page. @param isOpenAtFirst whether it is open when the page is */
export function useInlineForm(isOpenAtFirst = false): InlineForm {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  const formId = `${id}-form`;
  const buttonId = `${id}-button`;
  return {
    ...{ isOpen, formId, buttonId },
    open: () => {
      setOpen(true);
      focusFirstField(formId);
    },
    show: () => setOpen(true),
    close: () => {
      setOpen(false);
      const { activeElement, body } = document;
      const form = document.getElementById(formId);
      if (activeElement === body || form?.contains(activeElement))
        focusSoon(() => document.getElementById(buttonId));
    },
  };
}
