'use client';

import { type SetStateAction, useEffect, useState } from 'react';
import { keepText, keptText } from '#lib/browser/drafts/kept-text.ts';

/** The text of a field, which survives a reload and leaving the page until it is emptied. @param name identifies the field */
export function useKeptText(name: string): [text: string, setText: (next: SetStateAction<string>) => void] {
  const [typed, setTyped] = useState<{ name: string; text: string }>();
  const text = typed?.name === name ? typed.text : undefined;
  useEffect(() => {
    // Not at the first render, which must be the same on the server.
    if (text === undefined) setTyped({ name, text: keptText(name) });
    else keepText(name, text);
  }, [name, text]);
  const setText = (next: SetStateAction<string>) =>
    setTyped((now) => ({
      name,
      text: typeof next === 'string' ? next : next(now?.name === name ? now.text : ''),
    }));
  return [text ?? '', setText];
}
