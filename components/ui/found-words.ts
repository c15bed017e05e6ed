'use client';

import { createContext, useContext, useLayoutEffect } from 'react';
import { useLatest } from '../hooks/use-latest.ts';

/** A search that led to a row of a run. Each time it leads there is a new object. */
export interface Found {
  readonly words: readonly string[];
  /** Whether some of them are in no text of the row as it arrived, so only in the rest of a truncated one. */
  readonly isBeyond: boolean;
  /** Shows the words again, after a part has loaded the rest of its text. */
  readonly again: () => void;
}

/** The search that led to the row around it; none for all other rows. */
export const FoundContext = createContext<Found | undefined>(undefined);

/** Calls `unfold` for a part of a row when a search leads to that row, so that it can show words that it folded. */
export function useFound(
  unfold: (words: readonly string[], isBeyond: boolean, again: () => void) => void,
): void {
  const found = useContext(FoundContext);
  const latest = useLatest(unfold);
  // Before the next frame, in which the row is checked for the words.
  useLayoutEffect(() => {
    if (found) latest.current(found.words, found.isBeyond, found.again);
  }, [found, latest]);
}
