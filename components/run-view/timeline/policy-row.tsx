'use client';

import { formatCount, formatDuration, formatShortCount, plural } from '#lib/browser/words/format.ts';
import { stepWord } from '#lib/browser/words/mode-words.ts';
import type { EventOf } from '#lib/events/registry.ts';
import type { PolicyRow as PolicyRowData } from '#lib/events/timeline.ts';
import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { toneText } from '../../ui/tone.ts';
import { useRun } from '../run-context.tsx';
import { useUnfolded } from '../screen-context.ts';
import { LongText } from './long-text.tsx';
import { RestoredMessage } from './restored-message.tsx';
import { Disclosure, Figures, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { usedWords } from './used-words.ts';
import { wholeOf } from './whole-of.ts';

const NUDGE_CAUSES: Readonly<Record<EventOf<'policy.nudged'>['cause'], string>> = {
  empty: 'The reply was empty, so the model was told to act.',
  plan: 'The reply was only a plan, so the model was told to act.',
  malformed: 'The call could not be parsed, so the model was told to try again.',
  schema: 'The answer does not fit the schema, so the model was asked for it again, as JSON only.',
};

/** Few prompts are cut. */
const PromptCut = lazyComponent(async () => (await import('./prompt-cut.tsx')).PromptCut);

/** Decisions of Loupe: nudges, retries, shortening, warnings, a spent budget (D9). */
export function PolicyRow({ row }: { row: PolicyRowData }) {
  const [open, toggle] = useUnfolded(row.key);
  const mode = useRun((view) => view.run.config?.mode);
  const { event } = row;
  switch (event.type) {
    case 'policy.nudged':
      return (
        <Notice
          tone="warn"
          title={`${event.cause === 'schema' ? 'Schema retry' : 'Nudge'} ${event.count} of ${event.limit}`}
          detail={
            event.swallowed_tokens
              ? `None of the ${formatCount(event.swallowed_tokens)} generated tokens arrived, so the model was told to try again.`
              : NUDGE_CAUSES[event.cause]
          }
          open={open}
          onToggle={toggle}
        >
          <Panel label="Message to the model">
            <p className="foreign">{event.text}</p>
          </Panel>
        </Notice>
      );
    case 'answer.checked':
      return (
        <Notice
          tone={event.fits ? 'ok' : 'warn'}
          title={event.fits ? 'The answer fits the schema' : 'The answer does not fit the schema'}
          detail={event.problem}
        />
      );
    case 'policy.retried':
      return (
        <Notice
          tone="warn"
          title="Retry"
          detail={event.message}
          figure={event.wait_ms > 0 ? `after ${formatDuration(event.wait_ms)}` : undefined}
        />
      );
    case 'policy.compacted':
      return (
        <Notice
          tone="live"
          title="Older results shortened"
          detail={`${plural(event.folded.length, 'message')} shortened in requests from here on. The log keeps the full text.`}
          figure={`${formatShortCount(event.before_tokens)} → ${formatShortCount(event.after_tokens)} of ${formatShortCount(event.limit_tokens)} tok`}
          open={open}
          onToggle={toggle}
        >
          <ShortenedMessages event={event} rowKey={row.key} />
        </Notice>
      );
    case 'policy.warned':
      if (event.code === 'prompt_cut') {
        return (
          <Notice
            tone="fail"
            title="Prompt cut"
            detail={event.message
              .replace(/^Prompt cut: /, '')
              .replace(/ (Most likely lost|No message|The oldest messages go first).*$/s, '')}
            open
          >
            <PromptCut event={event} />
          </Notice>
        );
      }
      return <Notice tone="warn" title="Note" detail={event.message} />;
    case 'budget.checked':
      return (
        <Notice
          tone="warn"
          title="Budget spent"
          detail={`The ${event.exceeded ?? 'budget'} limit was passed before ${stepWord(mode).toLowerCase()} ${row.step + 1}.`}
          figure={spentWords(event)}
        />
      );
  }
}

/** The messages that a compaction shortened. */
function ShortenedMessages({ event, rowKey }: { event: EventOf<'policy.compacted'>; rowKey: string }) {
  const call = useRun(({ timeline }) => {
    const place = timeline.rowOfSeq[event.seq] ?? 0;
    const next = timeline.rows.slice(place, place + 4).find((row) => row.kind === 'call');
    return next?.kind === 'call' ? next.call : undefined;
  });
  return (
    <>
      {event.folded.map((entry, index) => (
        <Panel
          key={entry.message}
          label={`Message ${entry.message + 1}, ${entry.kind === 'one-line' ? 'one line' : 'head and tail'} instead of ${formatCount(entry.before_chars)} characters`}
        >
          <LongText
            id={`${rowKey}.${entry.message}`}
            text={entry.content}
            label="shortened message"
            whole={wholeOf(event, `folded.${index}.content`)}
          />
          <RestoredMessage call={call} index={entry.message} id={`${rowKey}.${entry.message}`} />
        </Panel>
      ))}
    </>
  );
}

function spentWords(budget: EventOf<'budget.checked'>): string {
  return `${usedWords(budget)}, ${formatDuration(budget.seconds_used * 1000)}`;
}

const bars = { ok: 'bg-ok', warn: 'bg-warn', live: 'bg-brass-fill', fail: 'bg-fail' };

function Notice({
  tone,
  title,
  detail,
  figure,
  open,
  onToggle,
  children,
}: {
  tone: 'ok' | 'warn' | 'live' | 'fail';
  title: string;
  detail?: string | undefined;
  figure?: string;
  open?: boolean;
  onToggle?: () => void;
  children?: React.ReactNode;
}) {
  const heading = <span className={cx('font-semibold', toneText[tone])}>{title}</span>;
  return (
    <RowFrame node={<RailNode shape="bar" className={bars[tone]} />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        {onToggle && open !== undefined ? (
          <Disclosure open={open} onToggle={onToggle}>
            {heading}
          </Disclosure>
        ) : (
          heading
        )}
        {detail !== undefined && <ForeignMessage text={detail} className="min-w-0 text-sm text-ink-2" />}
        {figure && (
          <Figures>
            <span>{figure}</span>
          </Figures>
        )}
      </div>
      {open && <div className="mt-2 mb-1 grid gap-3">{children}</div>}
    </RowFrame>
  );
}
