'use client';

import { useEffect, useRef, useState } from 'react';
import { rowIndexOfSeq } from '#lib/events/fold-timeline.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { wholeNumberIn } from '#lib/util/numbers.ts';
import { useRun, useRunSource } from '../run-context.tsx';

/** The event in the URL: `#12`, or `?seq=12` for links that cannot keep a hash. */
export function linkedSeq(): number | undefined {
  if (typeof location === 'undefined') return undefined;
  const digits = /^#(\d+)$/.exec(location.hash)?.[1] ?? new URLSearchParams(location.search).get('seq');
  return wholeNumberIn(digits ?? '');
}

/** The index of the row in the URL; -1 if it is not among the rows (yet), `undefined` if the URL has none. */
export function useLinkedIndex(rows: readonly TimelineRow[]): number | undefined {
  const seq = linkedSeq();
  const row = useRun(({ timeline }) =>
    seq === undefined ? undefined : timeline.rows[rowIndexOfSeq(timeline, seq) ?? -1],
  );
  if (seq === undefined) return undefined;
  return row === undefined ? -1 : rows.indexOf(row);
}

/** Goes to the row in the URL once it is there, and whenever the address changes, by Back and Forward too. */
export function useLinkedRow(rows: readonly TimelineRow[], goTo: (seq: number) => void): void {
  const store = useRunSource();
  const wanted = useRef<number>(undefined);
  /** Increases with every change; the row is scrolled to after its filter has rendered. */
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    wanted.current = linkedSeq();
    const changed = () => {
      wanted.current = linkedSeq();
      setChanges((count) => count + 1);
    };
    // Navigating back to another query fires no hashchange event, even if the hash differs.
    window.addEventListener('popstate', changed);
    window.addEventListener('hashchange', changed);
    return () => {
      window.removeEventListener('popstate', changed);
      window.removeEventListener('hashchange', changed);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows may bring the wanted one, and so may a new address
  useEffect(() => {
    const seq = wanted.current;
    if (seq === undefined || rowIndexOfSeq(store.view.getState().timeline, seq) === undefined) return;
    wanted.current = undefined;
    goTo(seq);
  }, [rows, changes, goTo, store]);
}
