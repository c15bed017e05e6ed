import type { ReactNode } from 'react';
import { ErrorNote } from './error-note.tsx';

/** Scroll padding for a dialog with this footer, so that a focused field is not scrolled below it. */
export const ABOVE_FOOTER = 'scroll-pb-20';

/**
 * The buttons of a form in a dialog that scrolls as a whole, and why its last request failed: always in view, at the end of
 * content with a padding of `p-4 sm:p-5`.
 */
export function DialogFooter({
  problem,
  children,
}: {
  problem?: { message: string; hint?: string };
  children: ReactNode;
}) {
  return (
    <footer className="sticky bottom-0 -mx-4 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t bg-raised px-4 py-3 sm:-mx-5 sm:-mb-5 sm:px-5">
      {problem && (
        <div className="max-h-[30dvh] w-full overflow-y-auto">
          <ErrorNote error={problem} />
        </div>
      )}
      {children}
    </footer>
  );
}
