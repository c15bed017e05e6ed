'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

/**
 * The query of the address, and functions to change it. `push` adds a history entry; `replace` does not, for text that
 * is still being typed. The page itself stays as it is.
 */
export function useQuery(): [
  query: URLSearchParams,
  change: (query: URLSearchParams, how: 'push' | 'replace') => void,
] {
  const query = useSearchParams();
  const path = usePathname();
  const change = useCallback(
    (next: URLSearchParams, how: 'push' | 'replace') => {
      const text = next.toString();
      const address = `${path}${text === '' ? '' : `?${text}`}${location.hash}`;
      if (how === 'push') history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    },
    [path],
  );
  return [query, change];
}
