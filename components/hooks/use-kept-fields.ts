'use client';

import { useEffect, useState } from 'react';
import { fieldsText, type KeptFields, readFieldsText } from '#lib/browser/drafts/kept-fields.ts';
import { keepText, keptText } from '#lib/browser/drafts/kept-text.ts';

interface KeptForm<Draft> {
  draft: Draft;
  /** Takes the changes, or a function that returns them for the fields as they are. */
  change: (changes: Partial<Draft> | ((current: Draft) => Partial<Draft>)) => void;
  isChanged: boolean;
  /** Call when it was sent or cancelled: the next form starts as `empty`. */
  forget: () => void;
}

/**
 * The fields of a form that opens in the browser only, so that a reload or a look at another page does not lose them.
 *
 * @param name identifies the form
 * @param kept its fields, which stay the same
 * @param empty what it holds when nothing was entered
 */
export function useKeptFields<Draft extends object>(
  name: string,
  kept: KeptFields<Draft>,
  empty: Draft,
): KeptForm<Draft> {
  const [first] = useState(empty);
  const [draft, setDraft] = useState<Draft>(() => ({ ...first, ...readFieldsText(kept, keptText(name)) }));
  const text = fieldsText(kept, draft, first);
  useEffect(() => keepText(name, text), [name, text]);
  return {
    draft,
    change: (changes) =>
      setDraft((current) => ({
        ...current,
        ...(typeof changes === 'function' ? changes(current) : changes),
      })),
    isChanged: text !== '',
    forget: () => keepText(name, ''),
  };
}
