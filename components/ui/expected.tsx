'use client';

import { formatEstimate } from '#lib/browser/words/format.ts';
import { useNow } from '../hooks/use-now.ts';

/** Estimated time until `at` (milliseconds since 1970); empty once it has passed. */
export function Expected({ at, lead }: { at: number; lead?: string }) {
  const now = useNow();
  if (now === 0 || at <= now) return null;
  return (
    <span title="An estimate, from how long the last runs of the same mode and model took">
      {lead}
      {formatEstimate(at - now)} estimated
    </span>
  );
}
