'use client';

import { useMemo, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
/** In place of the address where that cannot be changed, as for a file in some browsers. */
let kept: string | undefined;

function read(): string {
  return kept ?? location.search;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/** How the address changes. */
export interface AddressChange {
  /** The place on the page, such as `#12`; none unless given. */
  readonly hash?: string;
  /** Replaces the current history entry instead of adding one. */
  readonly replace?: boolean;
}

/** Changes the query of the URL, as the function of `useAddressQuery` does. */
export function changeAddress(
  query: URLSearchParams,
  { hash = '', replace = false }: AddressChange = {},
): void {
  const text = query.toString() === '' ? '' : `?${query}`;
  const address = `${location.pathname}${text}${hash}`;
  try {
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    kept = undefined;
  } catch {
    kept = text;
  }
  for (const notify of listeners) notify();
}

/**
 * The query of the URL, and a function that changes it in a step that the browser's Back button undoes. The old `#`
 * fragment pointed into the old page, so it is dropped unless a new one is given. Like `useQuery`, for parts that are
 * also shown outside of the dashboard, where there is no router.
 */
export function useAddressQuery(): [
  query: URLSearchParams,
  change: (query: URLSearchParams, how?: AddressChange) => void,
] {
  const text = useSyncExternalStore(subscribe, read, () => '');
  const query = useMemo(() => new URLSearchParams(text), [text]);
  return [query, changeAddress];
}
