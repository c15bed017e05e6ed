import type { KeyboardEvent, RefObject } from 'react';
import { isComposing } from '#lib/browser/typing.ts';

/** Text typed into the palette's field before its search was loaded. */
export interface Typed {
  text: string;
  /** Position of the caret. */
  caret: number;
  /** Arrow keys, and Enter as the last one. */
  keys: string[];
}

export const NOTHING_TYPED: Typed = { text: '', caret: 0, keys: [] };

/** The palette's field looks the same before and after its search is loaded. */
export const COMMAND_FIELD = {
  'aria-label': 'Command',
  spellCheck: false,
  placeholder: 'What next? Or search all runs',
  className:
    'block w-full border-b bg-transparent px-4 py-3 text-lg placeholder:text-ink-3 placeholder:opacity-100 focus-visible:outline-none',
};

/** The palette's field while its search is loaded: keeps all that is typed. */
export function CommandField({
  field,
  keys,
}: {
  field: RefObject<HTMLInputElement | null>;
  /** Receives the keys that move in the list or choose from it. */
  keys: string[];
}) {
  const pressed = (event: KeyboardEvent) => {
    const chosen = keys.at(-1) === 'Enter';
    if (!chosen && !['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return;
    // After Enter, nothing more belongs to the search. Escape still closes the dialog.
    if (event.key === 'Escape' || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    if (!chosen) keys.push(event.key);
  };
  return (
    <input
      ref={field}
      {...COMMAND_FIELD}
      onKeyDown={pressed}
      onCompositionStart={({ currentTarget }) => {
        currentTarget.dataset.composing = 'true';
      }}
      onCompositionEnd={({ currentTarget }) => {
        delete currentTarget.dataset.composing;
      }}
    />
  );
}
