'use client';

import type { ApiError } from '#lib/browser/api.ts';
import { Problem } from './problem.tsx';

/** A page before what it shows has been read, or where that has failed. Its title is for screen readers. */
export function UnreadPage({
  title,
  error,
  onRetry,
}: {
  title: string;
  error: ApiError | undefined;
  onRetry: () => void;
}) {
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6" aria-busy={!error}>
      <h1 className="sr-only">{title}</h1>
      {error && <Problem error={error} onRetry={onRetry} />}
    </main>
  );
}
