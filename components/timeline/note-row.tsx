'use client';

import type { NoteRow as NoteRowData } from '#lib/events/fold-timeline.ts';
import { summarize } from '#lib/events/summarize.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { RailNode, RowFrame } from './row-frame.tsx';

/** What a session or an exploration adds to the story, in one line. */
export function NoteRow({ row }: { row: NoteRowData }) {
  return (
    <RowFrame node={<RailNode shape="bar" />}>
      <span className="text-sm text-ink-2">
        <ForeignText text={summarize(row.event)} />
      </span>
    </RowFrame>
  );
}
