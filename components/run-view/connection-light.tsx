'use client';

import type { ConnectionStatus } from '#lib/browser/state/connection.ts';
import { cx } from '../ui/cx.ts';
import { useRun } from './run-context.tsx';

const looks: Record<ConnectionStatus, { words: string; dot: string; title: string }> = {
  connecting: { words: 'Connecting', dot: 'bg-line-strong', title: 'Waiting for the server' },
  'catching-up': { words: 'Catching up', dot: 'bg-brass-fill', title: 'Loading earlier events' },
  live: { words: 'Live', dot: 'bg-ok', title: 'Showing all events' },
  reconnecting: {
    words: 'Reconnecting',
    dot: 'bg-brass-fill breathe',
    title: 'Connection lost; nothing is missing',
  },
  offline: { words: 'Offline', dot: 'bg-fail', title: 'The server is not responding; retrying' },
  refused: { words: 'Not available', dot: 'bg-fail', title: 'The server refused this run' },
  closed: { words: 'Complete', dot: 'bg-line-strong', title: 'The run has ended and is fully shown' },
};

/** The connection state, always visible because stale data looks like live data. */
export function ConnectionLight() {
  const status = useRun((view) => view.connection.status);
  const look = looks[status];
  return (
    <span
      className="flex items-center gap-1.5 text-xs text-ink-3"
      title={look.title}
      data-connection={status}
    >
      <span className={cx('size-1.5 rounded-full', look.dot)} aria-hidden="true" />
      {look.words}
    </span>
  );
}
