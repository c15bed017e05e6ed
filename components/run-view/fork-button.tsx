'use client';

import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import { ForkMark } from './fork-mark.tsx';
import { useRunScreen } from './screen-context.ts';

/**
 * Opens the fork dialog at a row. Subtle until the row is hovered, but always available to keyboard and touch. Hidden
 * without a server and in a replay.
 */
export function ForkButton({ opening }: { opening: ForkOpening }) {
  const { server } = useRunScreen();
  const fork = server?.operates ? server.fork : undefined;
  if (!fork) return null;
  return (
    <button
      type="button"
      aria-label={`Fork ${opening.words}`}
      title={`Fork ${opening.words}: a new run continues from here, with changes`}
      onClick={() => fork(opening)}
      className="reach z-1 inline-flex size-6 shrink-0 items-center justify-center self-center rounded-sm text-ink-3 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 hover:bg-brass-wash hover:text-brass focus-visible:opacity-100 pointer-coarse:opacity-100 print:hidden"
    >
      <ForkMark className="size-4" />
    </button>
  );
}
