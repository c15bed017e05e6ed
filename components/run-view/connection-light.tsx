'use client';

import type { ConnectionStatus } from '#lib/browser/state/connection.ts';
import { cx } from '../ui/cx.ts';
import { useRun } from './run-context.tsx';

const looks: Record<ConnectionStatus, { words: string; dot: string; title: string }> = {
  connecting: { words: 'Connecting', dot: 'bg-line-strong', title: 'Waiting for the server' },
  'catching-up': { words: 'Catching up', dot: 'bg-brass-fill', title: 'Reading what happened so far' },
  live: { words: 'Live', dot: 'bg-ok', title: 'Everything that is stored is shown' },
  reconnecting: {
    words: 'Reconnecting',
    dot: 'bg-brass-fill breathe',
    title: 'The stream broke; nothing is lost',
  },
  offline: { words: 'Offline', dot: 'bg-fail', title: 'The server does not answer; trying again' },
  refused: { words: 'Not available', dot: 'bg-fail', title: 'The server does not give this run' },
  closed: { words: 'Complete', dot: 'bg-line-strong', title: 'The run is over and wholly shown' },
};

/** How the page is connected: always visible, since an old picture looks like a new one. */
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
