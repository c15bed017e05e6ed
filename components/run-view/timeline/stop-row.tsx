'use client';

import type { StopRow as StopRowData } from '#lib/events/timeline.ts';
import { useOperatorWord } from '../screen-context.ts';
import { RailNode, RowFrame } from './row-frame.tsx';

/** A request to stop, by the operator or by a server that shuts down. */
export function StopRow({ row }: { row: StopRowData }) {
  const { event } = row;
  const operator = useOperatorWord();
  return (
    <RowFrame node={<RailNode shape="bar" />}>
      <span className="font-semibold">{event.force ? 'Stop now' : 'Stop after this step'}</span>{' '}
      <span className="text-sm text-ink-2">
        requested by {event.by === 'operator' ? operator : 'the server, which is shutting down'}
      </span>
    </RowFrame>
  );
}
