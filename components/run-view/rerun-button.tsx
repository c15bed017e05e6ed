'use client';

import type { CallRow } from '#lib/events/timeline.ts';
import { Button } from '../ui/button.tsx';
import { useRunScreen } from './screen-context.ts';

/** Opens the editor for a call; `undefined` without a server, in a replay, and while the call is open. */
function useOpenRerun(row: CallRow): (() => void) | undefined {
  const { server } = useRunScreen();
  const rerun = server?.operates ? server.rerun : undefined;
  return rerun && row.status !== 'open' ? () => rerun(row) : undefined;
}

/** Opens the editor that sends a model call again, from the details of its row. */
export function RerunAction({ row }: { row: CallRow }) {
  const open = useOpenRerun(row);
  if (!open) return null;
  return (
    <Button size="sm" className="justify-self-start max-sm:my-1 print:hidden" onClick={open}>
      Re-run this call
    </Button>
  );
}

/**
 * Opens the editor that sends a model call again. Subtle until the row is hovered, but always available to keyboard and
 * touch. In narrow rows without room for it, it is in the details.
 */
export function RerunButton({ row }: { row: CallRow }) {
  const open = useOpenRerun(row);
  if (!open) return null;
  return (
    <button
      type="button"
      aria-label={`Re-run call ${row.call}`}
      title="Re-run this call: send its request again, with changes, outside of the run"
      onClick={open}
      className="reach inline-flex size-6 shrink-0 items-center justify-center self-center rounded-sm text-ink-3 opacity-0 max-sm:hidden group-focus-within/row:opacity-100 group-hover/row:opacity-100 hover:bg-brass-wash hover:text-brass focus-visible:opacity-100 pointer-coarse:opacity-100 print:hidden"
    >
      <svg
        viewBox="0 0 20 20"
        className="size-4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        aria-hidden="true"
      >
        <path d="M15.5 6.5A6.5 6.5 0 1 0 16.5 11M16 2.5v4.5h-4.5" />
      </svg>
    </button>
  );
}
