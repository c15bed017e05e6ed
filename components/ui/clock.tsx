'use client';

import { formatClock } from '#lib/browser/words/format.ts';
import { useNow } from '../hooks/use-now.ts';

/** A clock that runs from `since` (milliseconds since 1970). Only this element changes with the time. */
export function Clock({ since, className }: { since: number; className?: string }) {
  const now = useNow();
  return (
    <span className={className} suppressHydrationWarning>
      {formatClock(now === 0 ? 0 : now - since)}
    </span>
  );
}
