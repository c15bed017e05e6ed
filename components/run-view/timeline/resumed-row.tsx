'use client';

import { formatDuration } from '#lib/browser/words/format.ts';
import type { ResumedRow as ResumedRowData } from '#lib/events/timeline.ts';
import { RailNode, RowFrame } from './row-frame.tsx';

/** An interruption: the server was lost, and another worker took over the run (D19). */
export function ResumedRow({ row }: { row: ResumedRowData }) {
  if (row.event.after_wait) {
    return (
      <RowFrame node={<RailNode shape="bar" className="bg-line-strong" />}>
        <span className="text-sm text-ink-3">Continued after the wait</span>
      </RowFrame>
    );
  }
  return (
    <RowFrame node={<RailNode shape="bar" className="bg-warn" />}>
      <span className="font-semibold text-warn">Interrupted and resumed</span>{' '}
      <span className="text-sm text-ink-2">
        The server was down for {formatDuration(row.silentMs)}. The run resumed from its log.
      </span>
    </RowFrame>
  );
}
