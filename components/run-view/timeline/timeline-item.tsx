'use client';

import { Link as LinkIcon } from 'lucide-react';
import { memo } from 'react';
import { useStore } from 'zustand';
import { formatOffset, formatSecond } from '#lib/browser/words/format.ts';
import type { RunMode } from '#lib/events/config.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { RowLink } from '../../ui/event-link.tsx';
import { FoundContext } from '../../ui/found-words.ts';
import { useRun } from '../run-context.tsx';
import { useFoundRow, useRunScreen } from '../screen-context.ts';
import { AttemptRow } from './attempt-row.tsx';
import { CallRow } from './call-row.tsx';
import { CreatedRow } from './created-row.tsx';
import { EndRow } from './end-row.tsx';
import { IterationRow } from './iteration-row.tsx';
import { linkToRow } from './link-to-row.ts';
import { NoteRow } from './note-row.tsx';
import { PolicyRow } from './policy-row.tsx';
import { PreparationRow } from './preparation-row.tsx';
import { ResumedRow } from './resumed-row.tsx';
import { RowBoundary } from './row-boundary.tsx';
import { rowWords } from './row-words.ts';
import { ServerWaitRow } from './server-wait-row.tsx';
import { StopRow } from './stop-row.tsx';
import { ToolRow } from './tool-row.tsx';
import { VerificationRow } from './verification-row.tsx';

/** Few runs are forks. */
const ForkedRow = lazyComponent(async () => (await import('./forked-row.tsx')).ForkedRow);

/** One row of the list. Draws again only when its row changes: rows keep their identity until then (D20). */
export const TimelineItem = memo(function TimelineItem({
  row,
  position,
}: {
  row: TimelineRow;
  position: number;
}) {
  const { reading } = useRunScreen();
  const atCursor = useStore(reading, (state) => state.cursor === row.key);
  const mode = useRun((view) => view.run.config?.mode);
  const found = useFoundRow(row.key);
  return (
    <article
      id={`row-${row.key}`}
      aria-label={rowLabel(row, mode)}
      aria-posinset={position}
      aria-setsize={-1}
      data-kind={row.kind}
      data-status={row.kind === 'tool' ? row.status : undefined}
      tabIndex={atCursor ? 0 : -1}
      className={cx(
        'group/row relative isolate mx-auto max-w-page scroll-my-4 px-3 sm:px-6 md:pl-20',
        'outline-offset-[-2px]',
        atCursor && 'bg-brass-wash/60',
      )}
    >
      {row.kind !== 'end' && row.kind !== 'iteration' && (
        <Anchor seq={row.seq} at={row.at} low={row.kind === 'note' && row.event.type === 'cycle.started'} />
      )}
      <FoundContext value={found}>
        <RowBoundary seq={row.seq}>
          <Row row={row} />
        </RowBoundary>
      </FoundContext>
      <CopyButton
        text={() => linkToRow(row.seq)}
        label="Copy the link to this row"
        icon={LinkIcon}
        tabIndex={atCursor ? 0 : -1}
        className="absolute top-[var(--row-y)] right-0 opacity-0 transition-opacity group-hover/row:opacity-100 focus-visible:opacity-100 max-md:hidden print:hidden"
      />
    </article>
  );
});

/** The row's start time relative to the run's start, linking to the row. `low`: next to a heading. */
function Anchor({ seq, at, low }: { seq: number; at: number; low: boolean }) {
  const { goTo } = useRunScreen();
  // Copied events count from the beginning of the run they come from.
  const start = useRun(({ run, timeline }) =>
    run.forked && seq < run.forked.seq ? (timeline.rows[0]?.at ?? run.createdAt) : run.createdAt,
  );
  return (
    <RowLink
      seq={seq}
      onGo={goTo}
      title={`Event ${seq}, ${formatSecond(at)}`}
      className={cx(
        'tnum absolute top-(--row-y) left-0 hidden w-[4.25rem] text-right font-mono text-2xs leading-6 text-ink-3 hover:text-brass hover:underline md:block',
        low && 'mt-7',
      )}
    >
      <span className="sr-only">Event {seq} at </span>+{formatOffset(at - start)}
    </RowLink>
  );
}

function Row({ row }: { row: TimelineRow }) {
  switch (row.kind) {
    case 'created':
      return <CreatedRow row={row} />;
    case 'forked':
      return <ForkedRow row={row} />;
    case 'preparation':
      return <PreparationRow row={row} />;
    case 'attempt':
      return <AttemptRow row={row} />;
    case 'iteration':
      return <IterationRow row={row} />;
    case 'call':
      return <CallRow row={row} />;
    case 'tool':
      return <ToolRow row={row} />;
    case 'policy':
      return <PolicyRow row={row} />;
    case 'note':
      return <NoteRow row={row} />;
    case 'verification':
      return <VerificationRow row={row} />;
    case 'stop':
      return <StopRow row={row} />;
    case 'resumed':
      return <ResumedRow row={row} />;
    case 'server-wait':
      return <ServerWaitRow row={row} />;
    case 'end':
      return <EndRow row={row} />;
  }
}

/** The row's accessible name: description and state. */
function rowLabel(row: TimelineRow, mode: RunMode | undefined): string {
  const words = rowWords(row, mode);
  return row.kind === 'tool' || row.kind === 'call' ? `${words}, ${row.status}` : words;
}
