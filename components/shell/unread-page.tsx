'use client';

import type { ApiError } from '#lib/browser/api.ts';
import { Missing } from './missing.tsx';
import { Problem } from './problem.tsx';

/** A page whose data is loading or could not be loaded. Its title is for screen readers. */
export function UnreadPage({
  title,
  error,
  onRetry,
  href,
  back,
}: {
  title: string;
  error: ApiError | undefined;
  onRetry: () => void;
  /** The list that the page belongs to, in case the data does not exist. */
  href: string;
  back: string;
}) {
  if (error?.status === 404) {
    return (
      <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-16 sm:px-6">
        <Missing message={error.message} announced href={href} back={back} />
      </main>
    );
  }
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6" aria-busy={!error}>
      <h1 className="sr-only">{title}</h1>
      {error && <Problem error={error} onRetry={onRetry} />}
    </main>
  );
}
