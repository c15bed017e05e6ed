import { useEffect, useRef, useState } from 'react';

/**
 * For live regions beside counts that also change by themselves, as in a run in progress: the words as they were when
 * their cause last changed, such as the query. None before.
 */
export function useLatched(words: string, cause: unknown): string {
  const [latched, setLatched] = useState('');
  const last = useRef(cause);
  useEffect(() => {
    if (cause === last.current) return;
    last.current = cause;
    setLatched(words);
  }, [cause, words]);
  return latched;
}
