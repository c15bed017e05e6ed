'use client';

import { useCallback, useMemo } from 'react';
import { type RowFilter, readRowFilter, writeRowFilter } from '#lib/browser/state/row-filter.ts';
import { type AddressChange, useAddressQuery } from '../../hooks/use-address-query.ts';
import { useLatest } from '../../hooks/use-latest.ts';

const MAX_FIND_CHARS = 500;

export interface AddressedRows {
  filter: RowFilter;
  problems: readonly string[];
  changeFilter: (filter: RowFilter, how?: AddressChange) => void;
  /** The search words in a link; the search opens with them. */
  find: string | undefined;
  forgetFind: () => void;
}

/** The filter and search from the URL. */
export function useRowFilter(): AddressedRows {
  const [query, changeQuery] = useAddressQuery();
  const { filter, problems } = useMemo(() => readRowFilter(query), [query]);
  // The same function for as long as the page is open, so that a choice does not scroll to the linked row again.
  const latest = useLatest(query);
  const changeFilter = useCallback(
    (next: RowFilter, how?: AddressChange) =>
      changeQuery(withoutRowLink(writeRowFilter(latest.current, next)), how),
    [changeQuery, latest],
  );
  const find = query.get('find')?.slice(0, MAX_FIND_CHARS) || undefined;
  const forgetFind = useCallback(() => {
    const rest = new URLSearchParams(latest.current);
    rest.delete('find');
    changeQuery(rest, { hash: location.hash, replace: true });
  }, [changeQuery, latest]);
  return { filter, problems, changeFilter, find, forgetFind };
}

/** Drops a link to one row: it no longer tells where the reader is, and that row may now be hidden. */
function withoutRowLink(query: URLSearchParams): URLSearchParams {
  const written = new URLSearchParams(query);
  written.delete('seq');
  return written;
}
