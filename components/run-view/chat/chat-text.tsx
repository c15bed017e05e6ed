'use client';

import { memo } from 'react';
import { useStore } from 'zustand';
import type { ChatText } from '#lib/browser/state/chat-items.ts';
import { formatSecond } from '#lib/browser/words/format.ts';
import type { ImageRef } from '#lib/events/image.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { Badge } from '../../ui/badge.tsx';
import { Clock } from '../../ui/clock.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { FoundContext } from '../../ui/found-words.ts';
import { MessageStatus } from '../message-status.tsx';
import { PromptProgress } from '../prompt-progress.tsx';
import { useRun } from '../run-context.tsx';
import { RunImages } from '../run-images.tsx';
import { useFoundRow, useOperatorWord, useRunScreen } from '../screen-context.ts';
import { LivePhase } from '../timeline/call-phases.tsx';
import { LongText } from '../timeline/long-text.tsx';
import { RowBoundary } from '../timeline/row-boundary.tsx';
import { wholeOf } from '../timeline/whole-of.ts';
import { Writing } from '../timeline/writing.tsx';
import { chatColumn } from './chat-column.ts';

/** A message of the person, or a text of the model. */
export const ChatTextItem = memo(function ChatTextItem({
  item,
  position,
}: {
  item: ChatText;
  position: number;
}) {
  const { reading } = useRunScreen();
  const atCursor = useStore(reading, (state) => state.cursor === item.key);
  const operator = useOperatorWord();
  const person = operator === 'you' ? 'You' : 'The operator';
  const { row } = item;
  const found = useFoundRow(row.key);
  return (
    <article
      id={`row-${item.key}`}
      aria-label={item.from === 'person' ? `${person} said` : 'Answer'}
      aria-posinset={position}
      aria-setsize={-1}
      data-kind={`chat-${item.from}`}
      tabIndex={atCursor ? 0 : -1}
      className={chatColumn(atCursor)}
    >
      <FoundContext value={found}>
        <RowBoundary seq={item.seq}>
          <div className="max-w-3xl">
            {row.kind === 'call' ? (
              <ModelText row={row} at={item.at} />
            ) : (
              <PersonText item={item} name={person} />
            )}
          </div>
        </RowBoundary>
      </FoundContext>
    </article>
  );
});

function PersonText({ item, name }: { item: ChatText; name: string }) {
  const { row } = item;
  const id = row.kind === 'note' && row.event.type === 'operator.messaged' ? row.event.message_id : undefined;
  const status = useRun((view) => view.run.operatorMessages.find((message) => message.id === id)?.status);
  return (
    <div className="ml-auto w-fit max-w-[88%] rounded-2xl rounded-br-sm border border-line-strong bg-raised px-4 py-2.5 my-3">
      <p className="mb-0.5 flex flex-wrap items-baseline gap-x-2 text-xs font-medium text-ink-3">
        <span title={formatSecond(item.at)}>{name}</span>
        {status && status !== 'delivered' && <MessageStatus status={status} />}
      </p>
      <LongText id={item.key} {...personText(row)} label="message" className="words" startsUnfolded />
      <RunImages images={personImages(row)} />
    </div>
  );
}

function personImages(row: ChatText['row']): readonly ImageRef[] | undefined {
  if (row.kind === 'created') return row.event.config.images;
  return row.kind === 'note' && row.event.type === 'operator.messaged' ? row.event.images : undefined;
}

function personText(row: ChatText['row']): { text: string; whole?: ReturnType<typeof wholeOf> } {
  if (row.kind === 'created')
    return { text: row.event.config.task, whole: wholeOf(row.event, 'config.task') };
  if (row.kind === 'note' && row.event.type === 'operator.messaged') {
    return { text: row.event.text, whole: wholeOf(row.event, 'text') };
  }
  return { text: '' };
}

function ModelText({ row, at }: { row: CallRow; at: number }) {
  const model = useRun((view) => view.run.config?.model ?? '');
  const { parsed, status } = row;
  return (
    <div className={cx('my-3', status === 'open' && 'min-h-12')}>
      <p className="mb-1 flex flex-wrap items-baseline gap-x-2 text-xs font-medium text-ink-3">
        <span className="foreign font-mono" title={formatSecond(at)}>
          <ForeignName text={model} max={60} />
        </span>
        {status === 'open' && (
          <>
            <LivePhase row={row} reading={<PromptProgress row={row} />} />
            <Clock since={row.started.at} className="tnum text-brass" />
          </>
        )}
        {parsed?.cut && <Badge tone="warn">cut off by the limit</Badge>}
      </p>
      {status === 'open' ? (
        <Writing call={row.call} />
      ) : (
        parsed && (
          <LongText
            id={`${row.key}.chat`}
            text={parsed.text}
            whole={wholeOf(parsed, 'text')}
            label="answer"
            as="markdown"
            startsUnfolded
            className="words"
          />
        )
      )}
    </div>
  );
}
