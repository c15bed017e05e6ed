'use client';

import { useNow } from '../hooks/use-now.ts';

/** Time until `at` (milliseconds since 1970) in whole seconds: `in 4 s`, then `now`. */
export function SecondsUntil({ at }: { at: number }) {
  const now = useNow();
  const seconds = Math.ceil((at - now) / 1000);
  return <span suppressHydrationWarning>{now === 0 || seconds <= 0 ? 'now' : `in ${seconds} s`}</span>;
}
