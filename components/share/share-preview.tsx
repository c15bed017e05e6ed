'use client';

import { useContext, useMemo } from 'react';
import type { SharePreviewReply } from '#lib/api/share.ts';
import { createRunStore } from '#lib/browser/state/run-store.ts';
import type { ShownEvent } from '#lib/events/timeline.ts';
import { RunProvider, useRun } from '../run-view/run-context.tsx';
import { createReading, ScreenContext } from '../run-view/screen-context.ts';
import { TimelineItem } from '../run-view/timeline/timeline-item.tsx';

const MAX_ROWS = 200;

/** The rows of the shared page, drawn from the very events that would be sent. */
export function SharePreview({ preview }: { preview: SharePreviewReply | undefined }) {
  const images = useContext(ScreenContext)?.images;
  const context = useMemo(() => {
    if (!preview) return undefined;
    const store = createRunStore('', () => () => {}, Date.now);
    // Validated by the server: these are the events of the shared page.
    store.receive(preview.events as ShownEvent[]);
    store.flush();
    store.signal({ type: 'finished' });
    return { store, reading: createReading(), goTo: () => {}, images };
  }, [preview, images]);
  if (!context) return <div className="flex-1" aria-busy="true" />;
  return (
    <RunProvider value={context}>
      <div className="min-h-0 flex-1 py-3 lg:overflow-y-auto">
        <Rows />
      </div>
    </RunProvider>
  );
}

function Rows() {
  const rows = useRun((view) => view.timeline.rows);
  return (
    <>
      {rows.slice(0, MAX_ROWS).map((row, index) => (
        // The run itself is on the same page: its rows have these names already.
        <TimelineItem key={row.key} row={{ ...row, key: `preview-${row.key}` }} position={index + 1} />
      ))}
      {rows.length > MAX_ROWS && (
        <p className="px-6 py-4 text-center text-sm text-ink-3">
          The shared page continues from here with the same masking.
        </p>
      )}
    </>
  );
}
