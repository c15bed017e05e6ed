'use client';

import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { CheckCriterion, CheckExchange, CheckVerdict, ProbeResult } from '#lib/api/model-check.ts';
import { formatDuration, plural } from '#lib/browser/words/format.ts';
import { swallowedWords } from '#lib/events/swallowed-reply.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { JsonBlock } from '../ui/json-block.tsx';
import { LayerBadge } from '../ui/layer-badge.tsx';
import { Tabs } from '../ui/tabs.tsx';

const SHORT_CHARS = 80;

const tones = { pass: 'ok', fail: 'warn', unknown: undefined } as const;
const words: Record<CheckVerdict, string> = { pass: 'passed', fail: 'failed', unknown: 'not judged' };

/** One probe: its result and, expanded, its rules, requests, replies and parsing. */
export function ProbeRow({
  id,
  probe,
  badge,
  open,
  onToggle,
}: {
  id: string;
  probe: ProbeResult;
  /** Replaces the badge of the verdict. */
  badge?: ReactNode;
  open: boolean;
  onToggle: () => void;
}) {
  return (
    <li data-probe={probe.id} data-verdict={probe.verdict}>
      <button
        id={id}
        type="button"
        aria-expanded={open}
        className="flex w-full items-center gap-2.5 py-2 text-left hover:bg-surface"
        onClick={onToggle}
      >
        <ChevronRight
          aria-hidden="true"
          className={cx('size-3.5 shrink-0 text-ink-3 transition-transform', open && 'rotate-90')}
        />
        <span className="foreign min-w-0 flex-1">
          <ForeignText text={probe.title} />
        </span>
        {badge ?? <Badge tone={tones[probe.verdict]}>{words[probe.verdict]}</Badge>}
        <span className="tnum w-14 text-right font-mono text-xs text-ink-3">
          {formatDuration(probe.duration_ms)}
        </span>
      </button>
      {open && (
        <div className="grid gap-4 pb-4 sm:pl-6">
          <p className="foreign max-w-prose text-ink-2">
            <span className="text-ink-3">Asked: </span>
            <ForeignText text={probe.task} />
          </p>
          <ul aria-label="Rules" className="grid gap-1.5">
            {probe.criteria.map((criterion) => (
              <Rule key={`${criterion.axis} ${criterion.rule}`} criterion={criterion} />
            ))}
          </ul>
          {probe.exchanges.map((exchange, index) => (
            <Exchange
              // biome-ignore lint/suspicious/noArrayIndexKey: what happened stays in its order
              key={index}
              exchange={exchange}
              number={index + 1}
              of={probe.exchanges.length}
            />
          ))}
        </div>
      )}
    </li>
  );
}

const signs: Record<CheckVerdict, { sign: string; className: string }> = {
  pass: { sign: '✓', className: 'text-ok' },
  fail: { sign: '✕', className: 'text-warn' },
  unknown: { sign: '?', className: 'text-ink-3' },
};

function Rule({ criterion: { verdict, rule, found } }: { criterion: CheckCriterion }) {
  const { sign, className } = signs[verdict];
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-1.5 text-sm">
      <span aria-hidden="true" className={cx('font-mono', className)}>
        {sign}
      </span>
      <div className="min-w-0">
        <p>
          <span className="sr-only">{words[verdict]}: </span>
          {rule}
        </p>
        <p className="foreign text-ink-3">
          <ForeignText text={found} />
        </p>
      </div>
    </li>
  );
}

type Part = 'read' | 'reply' | 'request';

/** One model call: the parsed reply, the raw reply and the request. */
function Exchange({ exchange, number, of }: { exchange: CheckExchange; number: number; of: number }) {
  const [part, setPart] = useState<Part>('read');
  const { request, reply, error, reply_tokens, duration_ms } = exchange;
  return (
    <section className="min-w-0 rounded-md border bg-raised px-3 py-2" aria-label={`Reply ${number}`}>
      <p className="tnum mb-1.5 flex flex-wrap gap-x-3 text-xs text-ink-3">
        <span className="font-medium text-ink-2">
          Reply {number} of {of}
        </span>
        {reply_tokens !== undefined && <span>{plural(reply_tokens, 'token')}</span>}
        <span>{formatDuration(duration_ms)}</span>
      </p>
      <Tabs<Part>
        label={`Reply ${number}`}
        tabs={[
          { id: 'read', label: 'Read' },
          { id: 'reply', label: 'Raw reply' },
          { id: 'request', label: 'Sent' },
        ]}
        chosen={part}
        onChoose={setPart}
      >
        {part === 'read' && <ReadPart exchange={exchange} />}
        {part === 'reply' && <JsonBlock label="Copy the reply" value={reply ?? error ?? null} />}
        {part === 'request' && <JsonBlock label="Copy the request" value={request} />}
      </Tabs>
    </section>
  );
}

function ReadPart({ exchange: { read, error } }: { exchange: CheckExchange }) {
  if (!read) return error ? <ErrorNote error={error} /> : null;
  const notes = [
    ...read.repairs.map(({ rule, before, after }) => `Repaired (${rule}): ${before} → ${after}`),
    ...read.coercions.map(
      ({ path, before, after }) =>
        `Type converted: ${path} ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
    ),
    ...read.refusals.map(({ message, raw }) => `Not taken as a call: ${message} ${raw}`),
    ...(read.swallowed_tokens
      ? [swallowedWords(read.swallowed_tokens)]
      : read.malformed
        ? ['It contained a call that could not be parsed.']
        : []),
    ...(read.cut ? ['It was cut off by the reply limit.'] : []),
    ...(read.thinking_chars > 0 ? [`Thinking: ${plural(read.thinking_chars, 'character')}.`] : []),
  ];
  return (
    <div className="grid gap-2 text-sm">
      {read.calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of one reply never move
        <div key={index} className="min-w-0">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <code className="foreign font-medium">
              <ShortName text={call.name} />
            </code>
            <LayerBadge layer={call.layer} format={call.format} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <pre tabIndex={0} className="foreign max-h-60 overflow-auto font-mono text-xs leading-relaxed">
            <ForeignText text={argumentsText(call.arguments)} />
          </pre>
          {call.problems.map((problem) => (
            <p key={problem} className="foreign text-warn">
              <ForeignText text={problem} />
            </p>
          ))}
        </div>
      ))}
      {read.text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <p tabIndex={0} className="foreign max-h-60 overflow-auto whitespace-pre-wrap">
          <ForeignText text={read.text} />
        </p>
      )}
      {read.calls.length === 0 && read.text === '' && <p className="text-ink-3">No call and no text.</p>}
      {notes.map((note) => (
        <p key={note} className="foreign text-xs text-ink-3">
          <ForeignText text={note} />
        </p>
      ))}
    </div>
  );
}

/** In one line while it is short. */
function argumentsText(value: CheckExchange['request']): string {
  const line = JSON.stringify(value);
  return line.length <= SHORT_CHARS ? line : JSON.stringify(value, null, 2);
}
