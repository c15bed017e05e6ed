'use client';

import { ArrowDown } from 'lucide-react';
import { useRef } from 'react';
import { plural } from '#lib/browser/words/format.ts';
import { useRun } from '../run-context.tsx';

/**
 * Counts the rows that arrived since the reader left the end. Rows that existed when the page opened are not new,
 * whichever row a link opened.
 *
 * @param options.opensAtTask a shared page does not know how long its log was when it opened, so nothing is new to a
 *   reader who never followed it
 */
export function useNewRows(
  count: number,
  { following, catchingUp, opensAtTask }: { following: boolean; catchingUp: boolean; opensAtTask: boolean },
): number {
  const seen = useRef(count);
  const neverFollowed = useRef(opensAtTask);
  if (following) neverFollowed.current = false;
  if (following || catchingUp || neverFollowed.current || seen.current > count) seen.current = count;
  return count - seen.current;
}

/** A button back to the end, with the number of new rows. */
export function NewRows({ count, onClick }: { count: number; onClick: () => void }) {
  const running = useRun((view) => view.run.phase !== 'ended');
  if (count === 0 && !running) return null;
  return (
    <button
      type="button"
      onClick={onClick}
      className="tnum print:hidden absolute bottom-4 left-1/2 flex -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3.5 py-1.5 text-sm font-medium shadow-lg hover:border-ink-3"
    >
      <ArrowDown className="size-3.5" aria-hidden="true" />
      {count > 0 ? plural(count, 'new row') : 'Follow'}
    </button>
  );
}
