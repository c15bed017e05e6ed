'use client';

import type { CallRow } from '#lib/events/timeline.ts';
import { useRunScreen } from './screen-context.ts';

/**
 * Opens the editor that sends a model call again. Subtle until the row is hovered, but always available to keyboard and
 * touch. Hidden without a server, in a replay, and while the call is open.
 */
export function RerunButton({ row }: { row: CallRow }) {
  const { server } = useRunScreen();
  const rerun = server?.operates ? server.rerun : undefined;
  if (!rerun || row.status === 'open') return null;
  return (
    <button
      type="button"
      aria-label={`Re-run call ${row.call}`}
      title="Re-run this call: send its request again, with changes, outside of the run"
      onClick={() => rerun(row)}
      className="reach inline-flex size-6 shrink-0 items-center justify-center self-center rounded-sm text-ink-3 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 hover:bg-brass-wash hover:text-brass focus-visible:opacity-100 pointer-coarse:opacity-100 print:hidden"
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
