import { type RefObject, useEffect, useRef } from 'react';
import { useLatest } from './use-latest.ts';

/**
 * Takes over what was typed into a field before the page was hydrated; a controlled field would lose it when it is
 * rendered again.
 *
 * @param take sets the state that the field shows
 * @returns the ref of the field
 */
export function useTypedEarly(take: (text: string) => void): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  const latest = useLatest(take);
  useEffect(() => {
    if (field.current?.value) latest.current(field.current.value);
  }, [latest]);
  return field;
}
