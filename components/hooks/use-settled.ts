'use client';

import { useEffect, useState } from 'react';

/** How long typing must pause before runs are searched, in milliseconds. */
export const TYPING_MS = 180;

/** A text once typing has paused, so that not every key sends a request. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
