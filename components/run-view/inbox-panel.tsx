'use client';

import { useMemo } from 'react';
import { inboxMessages } from '#lib/browser/state/inbox.ts';
import { formatWhen } from '#lib/browser/words/format.ts';
import { senderWords } from '#lib/browser/words/reply-words.ts';
import { useNow } from '../hooks/use-now.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { RowLink } from '../ui/event-link.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { MessageStatus } from './message-status.tsx';
import { useRun } from './run-context.tsx';
import { useOperatorWord, useRunScreen } from './screen-context.ts';

/** Messages between operator and agent in the order of their talk (O14). */
export function InboxPanel() {
  const run = useRun((view) => view.run);
  const timeline = useRun((view) => view.timeline);
  const { goTo } = useRunScreen();
  const operator = useOperatorWord();
  const now = useNow();
  const all = useMemo(() => inboxMessages(run, timeline), [run, timeline]);
  if (all.length === 0) {
    return (
      <p className="mt-3 text-sm text-ink-3">No messages yet. Write one in the box below the timeline.</p>
    );
  }
  return (
    <ol className="mt-3 grid gap-2.5">
      {all.map((message) => (
        <li
          key={message.seq}
          className={cx(
            'min-w-0 rounded-md border px-3 py-2',
            message.from === 'operator' ? 'ml-6 bg-raised' : 'mr-6 border-brass-line bg-brass-wash',
          )}
        >
          <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-ink-3">
            <RowLink seq={message.seq} onGo={goTo} className="font-medium hover:underline">
              {message.from === 'agent' ? 'Agent' : senderWords(message.by, operator)}
            </RowLink>
            <span suppressHydrationWarning>{formatWhen(message.at, now)}</span>
            {message.status && <MessageStatus status={message.status} />}
            {message.isAwaited && <Badge tone="warn">waits for a reply</Badge>}
          </p>
          <p className="foreign mt-0.5 text-sm">
            <ForeignText text={message.text} />
          </p>
        </li>
      ))}
    </ol>
  );
}
