'use client';

import type { RerunResult } from '#lib/api/rerun-call.ts';
import { replyTexts } from '#lib/browser/state/rerun-tries.ts';
import { formatCount, formatDuration } from '#lib/browser/words/format.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { plural } from '#lib/util/numbers.ts';
import { PhaseTable } from '../run-view/timeline/call-phases.tsx';
import { LongText } from '../run-view/timeline/long-text.tsx';
import { ParseLadder, Refusals, Repairs } from '../run-view/timeline/parse-ladder.tsx';
import { Panel } from '../run-view/timeline/row-frame.tsx';
import { FileDiff } from '../ui/content/file-diff.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { LayerBadge } from '../ui/layer-badge.tsx';

/** One reply: its text, thinking and calls, how they were parsed, tokens and times. */
export function ReplyColumn({ name, row, result }: { name: string; row: CallRow; result?: RerunResult }) {
  const { parsed, failed } = row;
  const { text, thinking } = replyTexts(row);
  const id = `${row.key}.reply`;
  return (
    <section aria-label={name} className="grid min-w-0 content-start gap-3">
      <h4 className="font-semibold">{name}</h4>
      {row.status === 'lost' && (
        <p className="text-sm text-ink-3">The reply was lost when the server stopped.</p>
      )}
      {failed && <ErrorNote error={failed.error} />}
      {thinking.trim() !== '' && (
        <Panel label="Thinking">
          <LongText id={`${id}.thinking`} text={thinking.trim()} label="thinking" />
        </Panel>
      )}
      {text.trim() !== '' && (
        <Panel label="Text">
          <LongText id={`${id}.text`} text={text.trim()} label="text" />
        </Panel>
      )}
      {failed?.raw && (
        <Panel label="What the model wrote" tone="warn">
          <LongText id={`${id}.raw`} text={failed.raw} label="text" />
        </Panel>
      )}
      {parsed && parsed.calls.length > 0 && (
        <Panel label={result ? 'Tool calls (not run)' : 'Tool calls'}>
          <ul className="grid gap-2">
            {parsed.calls.map((call) => (
              <li key={call.call_id} className="min-w-0">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-semibold">
                    <ShortName text={call.name} />
                  </span>
                  <LayerBadge layer={call.layer} format={call.format} />
                </p>
                <LongText
                  id={`${id}.${call.call_id}`}
                  text={JSON.stringify(call.arguments, null, 2)}
                  label={`arguments of ${call.name}`}
                />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {parsed && <ParseLadder parsed={parsed} />}
      <Refusals row={row} brief={false} />
      {parsed && <Repairs parsed={parsed} />}
      <Panel label="Tokens and times">
        <ReplyFigures row={row} result={result} />
      </Panel>
    </section>
  );
}

function ReplyFigures({ row, result }: { row: CallRow; result: RerunResult | undefined }) {
  const { ended, failed } = row;
  const facts = [
    ended?.prompt_tokens === undefined ? undefined : `${plural(ended.prompt_tokens, 'token')} read`,
    ended?.reply_tokens === undefined ? undefined : `${plural(ended.reply_tokens, 'token')} written`,
    formatDuration(ended?.duration_ms ?? failed?.duration_ms ?? 0),
    ended?.done_reason && `ended by ${ended.done_reason}`,
    result && `window ${formatCount(result.window_tokens)}`,
    result && result.load_ms > 0 ? `loaded in ${formatDuration(result.load_ms)}` : undefined,
  ];
  return (
    <div className="grid gap-1.5">
      <p className="tnum">{facts.filter(Boolean).join(' · ')}</p>
      <PhaseTable row={row} />
    </div>
  );
}

const COMPARED = [
  { part: 'text', label: 'Text' },
  { part: 'thinking', label: 'Thinking' },
  { part: 'calls', label: 'Tool calls' },
] as const;

/** The differences between two replies, line by line. */
export function ReplyChanges({
  names: [first, second],
  before,
  after,
}: {
  names: readonly [string, string];
  before: CallRow;
  after: CallRow;
}) {
  const [a, b] = [replyTexts(before), replyTexts(after)];
  const differing = COMPARED.filter(({ part }) => a[part] !== b[part]);
  return (
    <section aria-label="Differences" className="grid min-w-0 gap-2">
      <h4 className="font-semibold">
        {first} → {second}
      </h4>
      {differing.length === 0 && (
        <p className="text-sm text-ink-2">The text, the thinking and the tool calls are the same.</p>
      )}
      {differing.map(({ part, label }) => (
        <FileDiff key={part} path={label} before={a[part]} after={b[part]} />
      ))}
    </section>
  );
}
