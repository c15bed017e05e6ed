'use client';

import { formatCount, formatDuration, formatPercent, plural } from '#lib/browser/words/format.ts';
import { senderWords } from '#lib/browser/words/reply-words.ts';
import { summarize } from '#lib/events/summarize.ts';
import { swallowedWords } from '#lib/events/swallowed-reply.ts';
import type { NoteRow as NoteRowData } from '#lib/events/timeline.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { RowLink } from '../../ui/event-link.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { ForkButton } from '../fork-button.tsx';
import { MessageStatus } from '../message-status.tsx';
import { useRun } from '../run-context.tsx';
import { RunImages } from '../run-images.tsx';
import { useOperatorWord, useRunScreen, useUnfolded } from '../screen-context.ts';
import { LongText } from './long-text.tsx';
import { Disclosure, Figures, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { wholeOf } from './whole-of.ts';

/** Rows of sessions and explorations: messages of Loupe, operator and agent, each in its own lane, and cycles. */
export function NoteRow({ row }: { row: NoteRowData }) {
  const { event } = row;
  switch (event.type) {
    case 'turn.paused':
      return (
        <RowFrame node={<RailNode shape="bar" className="bg-line-strong" />}>
          <span className="text-sm text-ink-3">Pause of {formatDuration(event.wait_ms)}</span>
        </RowFrame>
      );
    case 'harness.prompted':
      return (
        <RowFrame node={<RailNode shape="bar" />}>
          <p className="foreign text-sm text-ink-2">
            <span className="text-ink-3">Loupe: </span>
            <ForeignText text={event.text} />
          </p>
        </RowFrame>
      );
    case 'handover.started':
    case 'handover.ended':
      return <Handover row={row} event={event} />;
    case 'operator-call.started':
      return <OperatorRequest row={row} event={event} />;
    case 'message.awaited':
    case 'autopilot.switched':
    case 'operator-call.ended':
      return (
        <RowFrame node={<RailNode shape="ring" className="border-line-strong" />}>
          <span className="text-sm text-ink-3">{summarize(event)}</span>
        </RowFrame>
      );
    case 'cycle.started':
      return <CycleHeading row={row} cycle={event.cycle} />;
    case 'cycle.reflected':
      return (
        <Reflection
          row={row}
          cycle={event.cycle}
          text={event.text}
          byLimit={event.ended_by === 'call_limit'}
          swallowed={event.swallowed_tokens ?? 0}
        />
      );
    case 'diversity.advised':
      return <Diversity row={row} event={event} />;
    case 'memory.changed':
      return <MemoryLine event={event} id={row.key} />;
    case 'operator.messaged':
      return <Said by="you" event={event} id={row.key} messageId={event.message_id} />;
    case 'operator.delivered':
      return (
        <RowFrame node={<RailNode shape="dot" className="bg-brass-fill" />}>
          <span className="text-sm text-ink-3">
            {plural(event.message_ids.length, 'message')} delivered{' '}
            {event.as === 'user-message' ? 'as the next user message' : 'with the result of a call'}
          </span>
        </RowFrame>
      );
    case 'agent.messaged':
      return <Said by="agent" event={event} id={row.key} />;
  }
}

function CycleHeading({ row, cycle }: { row: NoteRowData; cycle: number }) {
  const line = row.event.type === 'cycle.started' ? row.event.line : undefined;
  return (
    <RowFrame node={<RailNode shape="dot" className="mt-7 size-2 bg-brass-fill" />} className="pt-8">
      <div className="flex flex-wrap items-baseline gap-x-3 border-b border-line-strong pb-1">
        <h2 className="text-lg font-semibold tracking-[-0.01em]">Cycle {formatCount(cycle)}</h2>
        {line !== undefined && (
          <span className="foreign text-sm text-ink-3">
            Loupe: <ForeignText text={line} />
          </span>
        )}
        <ForkButton
          opening={{ place: { before_cycle: cycle }, words: `before cycle ${formatCount(cycle)}` }}
        />
      </div>
    </RowFrame>
  );
}

function Reflection({
  row,
  cycle,
  text,
  byLimit,
  swallowed,
}: {
  row: NoteRowData;
  cycle: number;
  text: string;
  byLimit: boolean;
  swallowed: number;
}) {
  return (
    <RowFrame node={<RailNode shape="ring" className="border-brass-fill" />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold text-brass">Reflection</span>
        <span className="text-sm text-ink-3">of cycle {formatCount(cycle)}</span>
        {byLimit && <Badge tone="warn">ended by the call limit</Badge>}
      </div>
      {text.trim() ? (
        <div className="mt-1 border-l-2 border-brass-line pl-3">
          <LongText
            id={row.key}
            text={text}
            label="reflection"
            as="markdown"
            whole={wholeOf(row.event, 'text')}
            className="words"
          />
        </div>
      ) : (
        <p className="mt-0.5 text-sm text-ink-3">
          {swallowed > 0 ? swallowedWords(swallowed) : byLimit ? 'None: Loupe ended the cycle.' : 'Empty.'}
        </p>
      )}
    </RowFrame>
  );
}

function Diversity({
  row,
  event,
}: {
  row: NoteRowData;
  event: Extract<NoteRowData['event'], { type: 'diversity.advised' }>;
}) {
  const [open, toggle] = useUnfolded(row.key);
  const told = event.feedback !== undefined;
  return (
    <RowFrame node={<RailNode shape="bar" className={told ? 'bg-brass-fill' : undefined} />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Disclosure open={open} onToggle={toggle}>
          <span className={cx('font-semibold', told && 'text-brass')}>Diversity</span>
        </Disclosure>
        <span className="text-sm text-ink-2">
          {formatPercent(event.similarity)} like cycle {formatCount(event.nearest_cycle)}
          {told
            ? '; the model was asked for something new'
            : event.similarity >= event.threshold
              ? '; the model was not told'
              : '; different enough'}
        </span>
        <Figures>
          <span>from {formatPercent(event.threshold)}</span>
        </Figures>
      </div>
      {open && (
        <div className="mt-2 mb-1 grid gap-3">
          <Panel label="How it was measured">
            <p>
              {event.measure === 'ngram' ? 'shared groups of three words' : 'embeddings'}, compared with
              cycles {event.compared.join(', ')}
            </p>
          </Panel>
          {event.feedback !== undefined && (
            <Panel label="Added to every call of the cycle">
              <p className="foreign">
                <ForeignText text={event.feedback} />
              </p>
            </Panel>
          )}
        </div>
      )}
    </RowFrame>
  );
}

function MemoryLine({
  event,
  id,
}: {
  event: Extract<NoteRowData['event'], { type: 'memory.changed' }>;
  id: string;
}) {
  return (
    <RowFrame node={<RailNode shape="square" className="size-1.5 rotate-45 bg-brass-fill" />}>
      <p className="text-sm">
        <span className="text-ink-3">{event.operation === 'delete' ? 'Memory deleted: ' : 'Memory: '}</span>
        <code className={cx('foreign font-semibold', event.operation === 'delete' && 'line-through')}>
          <ForeignText text={event.key} />
        </code>
      </p>
      {event.value !== undefined && (
        <LongText
          id={id}
          text={event.value}
          label="memory"
          whole={wholeOf(event, 'value')}
          className="mt-0.5 text-sm text-ink-2 [&_pre]:font-sans [&_pre]:text-sm"
        />
      )}
    </RowFrame>
  );
}

/** The request for a summary, and the fresh context that begins with it. */
function Handover({
  row,
  event,
}: {
  row: NoteRowData;
  event: Extract<NoteRowData['event'], { type: 'handover.started' | 'handover.ended' }>;
}) {
  const [open, toggle] = useUnfolded(row.key);
  const { text } = event;
  const done = event.type === 'handover.ended' && event.outcome === 'done';
  return (
    <RowFrame node={<RailNode shape="bar" className={done ? 'bg-brass-fill' : undefined} />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        {text === undefined ? (
          <span className="font-semibold">Handover</span>
        ) : (
          <Disclosure open={open} onToggle={toggle}>
            <span className={cx('font-semibold', done && 'text-brass')}>Handover</span>
          </Disclosure>
        )}
        <span className="text-sm text-ink-2">
          {event.type === 'handover.started'
            ? `${event.measured ? '' : '≈ '}${formatCount(event.tokens)} of ${formatCount(event.limit_tokens)} tokens: the model is asked for a summary`
            : done
              ? 'a fresh context begins with the summary'
              : 'the model wrote no summary, so the conversation continues'}
        </span>
      </div>
      {open && text !== undefined && (
        <div className="mt-2 mb-1">
          <Panel label={done ? 'First message of the fresh context' : 'Added to the conversation'}>
            <LongText
              id={row.key}
              text={text}
              label="message"
              as={done ? 'markdown' : undefined}
              whole={wholeOf(event, 'text')}
              className="words"
            />
          </Panel>
        </div>
      )}
    </RowFrame>
  );
}

/** The request to the model that answers for the operator, with what it was sent. */
function OperatorRequest({
  row,
  event,
}: {
  row: NoteRowData;
  event: Extract<NoteRowData['event'], { type: 'operator-call.started' }>;
}) {
  const [open, toggle] = useUnfolded(row.key);
  return (
    <RowFrame node={<RailNode shape="ring" className="border-line-strong" />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">Operator</span>
        </Disclosure>
        <span className="foreign text-sm text-ink-2">
          <ForeignText text={event.model} /> is asked to answer
        </span>
      </div>
      {open && (
        <div className="mt-2 mb-1 grid gap-3">
          {event.messages.map(({ role, content }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of an event never change
            <Panel key={index} label={role === 'user' ? 'agent' : role === 'assistant' ? 'operator' : role}>
              <p className="foreign whitespace-pre-wrap">
                <ForeignText text={content} />
              </p>
            </Panel>
          ))}
        </div>
      )}
    </RowFrame>
  );
}

/** Messages between operator and agent; the operator's are indented. */
function Said({
  by,
  event,
  id,
  messageId,
}: {
  by: 'you' | 'agent';
  event: Extract<NoteRowData['event'], { type: 'operator.messaged' | 'agent.messaged' }>;
  id: string;
  messageId?: string;
}) {
  const { status, deliveredSeq } =
    useRun((view) => view.run.operatorMessages.find((message) => message.id === messageId)) ?? {};
  const { goTo } = useRunScreen();
  const operator = useOperatorWord();
  return (
    <RowFrame node={<RailNode shape="dot" className="size-2 bg-brass-fill" />}>
      <div
        className={cx(
          'w-fit max-w-2xl rounded-lg border px-3.5 py-2',
          by === 'you' ? 'ml-8 border-line-strong bg-raised' : 'border-brass-line bg-brass-wash',
        )}
      >
        <p className="mb-0.5 flex flex-wrap items-baseline gap-x-2 text-xs font-medium text-ink-3">
          {by === 'agent'
            ? `The agent, to ${operator}`
            : senderWords(event.type === 'operator.messaged' ? event.by : undefined, operator)}
          {status && <MessageStatus status={status} />}
          {deliveredSeq !== undefined && (
            <RowLink
              seq={deliveredSeq}
              onGo={goTo}
              className="tnum text-brass underline-offset-2 hover:underline"
            >
              #{deliveredSeq}
            </RowLink>
          )}
        </p>
        <LongText
          id={id}
          text={event.text}
          label="message"
          as={by === 'agent' ? 'markdown' : undefined}
          whole={wholeOf(event, 'text')}
          className="words"
        />
        {event.type === 'operator.messaged' && <RunImages images={event.images} />}
      </div>
    </RowFrame>
  );
}
