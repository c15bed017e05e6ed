import { useEffect, useRef } from 'react';

/**
 * Returns a function that does nothing once the component has been removed: a late answer to a dialog that was closed
 * must not close the next one.
 */
export function useWhileMounted(act: () => void): () => void {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return () => {
    if (isMounted.current) act();
  };
}
