'use client';

import { formatCount, formatDuration, formatPercent, plural, tokensPerSecond } from '#lib/browser/format.ts';
import type { CallRow as CallRowData } from '#lib/events/fold-timeline.ts';
import { useLive, useRun, useUnfolded } from '../run/run-context.tsx';
import { Badge } from '../ui/badge.tsx';
import { Clock } from '../ui/clock.tsx';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { JsonFields } from './json-fields.tsx';
import { LayerBadge } from './layer-badge.tsx';
import { LongText } from './long-text.tsx';
import { Disclosure, Figures, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { BeforeAfter, LiveTail } from './tool-row.tsx';

const nodes = {
  open: 'border-brass-fill breathe',
  ended: '',
  failed: 'border-fail',
  lost: 'border-warn',
};

const setAsideWords = {
  length: 'cut off, asked again with a higher limit',
  malformed: 'broken call, asked again',
  transient: 'failed for now, asked again',
  overflow: 'too long, asked again after shortening',
  thinking: 'only thought, asked again',
};

/** One request to the model: what was sent, what it thought and said, and how its reply was read. */
export function CallRow({ row }: { row: CallRowData }) {
  const [open, toggle] = useUnfolded(row.key, false);
  const speed = tokensPerSecond(row.ended?.reply_tokens, row.ended?.timings.evalMs);
  return (
    <RowFrame node={<RailNode shape="ring" className={nodes[row.status]} />}>
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">Model</span>
          <span className="sr-only">call {row.call}, what was sent and how the reply was read</span>
          {row.tryNumber > 1 && <span className="text-sm text-ink-3">try {row.tryNumber}</span>}
        </Disclosure>
        <ReadAs row={row} />
        {row.setAside && <Badge tone="warn">{setAsideWords[row.setAside]}</Badge>}
        {row.parsed?.cut && <Badge tone="warn">cut off by the limit</Badge>}
        {row.status === 'lost' && <Badge tone="warn">lost with the server</Badge>}
        <Figures>
          {row.ended?.prompt_tokens !== undefined && (
            <span title="Tokens read and written">
              {formatCount(row.ended.prompt_tokens)} → {formatCount(row.ended.reply_tokens ?? 0)} tok
            </span>
          )}
          {speed !== undefined && (
            <span className="max-md:hidden">{speed.toFixed(speed < 10 ? 1 : 0)} tok/s</span>
          )}
          {row.status === 'open' ? (
            <Clock since={row.started.at} className="w-10 text-right text-brass" />
          ) : (
            <span className="min-w-10 text-right">
              {formatDuration(row.ended?.duration_ms ?? row.failed?.duration_ms ?? 0)}
            </span>
          )}
        </Figures>
      </div>
      {open && <Sent row={row} />}
      {row.status === 'open' ? <Writing call={row.call} /> : <Said row={row} />}
      {row.failed && (
        <div className="mt-1.5 text-sm">
          <p className="foreign text-fail">
            <ForeignText text={row.failed.error.message} />
          </p>
          {row.failed.error.hint && (
            <p className="foreign text-ink-2">
              <ForeignText text={row.failed.error.hint} />
            </p>
          )}
        </div>
      )}
      {row.parsed && row.parsed.refusals.length > 0 && <Refusals row={row} />}
    </RowFrame>
  );
}

/** One badge per way in which calls of this reply were read. */
function ReadAs({ row }: { row: CallRowData }) {
  const { parsed } = row;
  if (!parsed || row.setAside) return null;
  if (parsed.outcome === 'empty') {
    return <Badge tone="warn">{parsed.malformed ? 'broken call' : 'empty reply'}</Badge>;
  }
  if (parsed.calls.length === 0) return null;
  const layers = [...new Map(parsed.calls.map((call) => [`${call.layer} ${call.format}`, call])).values()];
  return (
    <>
      <span className="text-sm text-ink-2">asked for {plural(parsed.calls.length, 'call')}</span>
      {layers.map((call) => (
        <LayerBadge key={`${call.layer} ${call.format}`} layer={call.layer} format={call.format} />
      ))}
    </>
  );
}

function Writing({ call }: { call: number }) {
  const mine = useLive((live) => live.call === call);
  const thinking = useLive((live) => live.thinking);
  const text = useLive((live) => live.text);
  if (!mine) return null;
  return (
    <>
      {thinking?.text && (
        <p className="foreign mt-1.5 border-l-2 border-line-strong pl-3 text-ink-2 italic">
          <LiveTail live={thinking} />
        </p>
      )}
      {text?.text && (
        <p className="foreign mt-1.5">
          <LiveTail live={text} />
        </p>
      )}
    </>
  );
}

function Said({ row }: { row: CallRowData }) {
  const thinking = row.parsed?.thinking || row.ended?.message.thinking || '';
  const text =
    row.parsed?.text || row.failed?.partial_text || (row.parsed ? '' : (row.ended?.message.content ?? ''));
  const cutOf = (path: string) => row.cuts.find((cut) => cut.path === path);
  const textCut = cutOf('message.content');
  const seq = row.ended?.seq ?? row.seq;
  return (
    <>
      {thinking && <Thinking id={row.key} text={thinking} />}
      {text.trim() && (
        <div className="mt-1.5">
          <LongText
            id={`${row.key}.text`}
            text={text}
            label="text"
            whole={textCut && { seq, path: 'message.content', chars: textCut.chars }}
            className="font-sans [&_pre]:font-sans [&_pre]:text-base"
          />
        </div>
      )}
    </>
  );
}

function Thinking({ id, text }: { id: string; text: string }) {
  const [open, toggle] = useUnfolded(`${id}.thinking`, false);
  const short = text.trim().replace(/\s+/g, ' ').slice(0, 400);
  return (
    <div className="mt-1 text-sm text-ink-2">
      <Disclosure open={open} onToggle={toggle}>
        <span className="shrink-0 text-ink-3">Thought</span>
        {!open && (
          <span className="foreign line-clamp-1 min-w-0 italic">
            <ForeignText text={short} />
          </span>
        )}
      </Disclosure>
      {open && (
        <div className="mt-1 border-l-2 border-line-strong pl-3 italic">
          <LongText
            id={`${id}.thinking`}
            text={text.trim()}
            label="thinking"
            className="font-sans [&_pre]:font-sans [&_pre]:text-sm"
          />
        </div>
      )}
    </div>
  );
}

/** What went out with the request, and each rung of the parse ladder. */
function Sent({ row }: { row: CallRowData }) {
  const { started, ended, parsed } = row;
  const window = useRun((view) => view.run.loaded?.context_tokens ?? view.run.config?.window_tokens);
  const measured = ended?.prompt_tokens;
  const timings = ended?.timings;
  return (
    <div className="mt-2 mb-1 grid gap-3">
      <Panel label="Sent">
        <dl className="tnum grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5">
          <Fact name="messages">{formatCount(started.message_count)}</Fact>
          <Fact name="tools">{formatCount(started.tool_count)}</Fact>
          <Fact name="prompt">
            ≈ {formatCount(started.estimated_tokens)} tokens estimated
            {measured !== undefined && <>, {formatCount(measured)} measured</>}
            {window !== undefined && (
              <span className="text-ink-3">
                {' '}
                of {formatCount(window)} ({formatPercent((measured ?? started.estimated_tokens) / window)})
              </span>
            )}
          </Fact>
          <Fact name="options">
            {Object.entries(started.options)
              .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
              .join(', ')}
          </Fact>
          <Fact name="think">{String(started.think)}</Fact>
          <Fact name="stream">{String(started.stream)}</Fact>
          {timings && (
            <Fact name="time">
              {[
                ['load', timings.loadMs],
                ['prompt', timings.promptEvalMs],
                ['writing', timings.evalMs],
              ]
                .flatMap(([name, ms]) => (typeof ms === 'number' ? [`${name} ${formatDuration(ms)}`] : []))
                .join(', ')}
            </Fact>
          )}
          {ended?.done_reason && <Fact name="ended by">{ended.done_reason}</Fact>}
        </dl>
      </Panel>
      {parsed && (
        <Panel label="How the reply was read">
          <ol className="grid gap-0.5">
            {parsed.attempts.map((attempt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rungs of a reply never move
              <li key={index} className={cx('flex gap-2', attempt.found === 0 && 'text-ink-3')}>
                <span className="w-24">
                  {attempt.format ? `${attempt.layer} / ${attempt.format}` : attempt.layer}
                </span>
                <span>{attempt.found === 0 ? 'nothing' : plural(attempt.found, 'call')}</span>
              </li>
            ))}
          </ol>
        </Panel>
      )}
      {ended && (
        <Panel label="The reply as Ollama sent it">
          <JsonFields
            id={`${row.key}.raw`}
            value={{ ...ended.message, tool_calls: ended.message.tool_calls ?? [] }}
            label="reply"
            seq={ended.seq}
            path="message"
            cuts={row.cuts}
          />
        </Panel>
      )}
      {row.failed?.raw && (
        <Panel label="What the model wrote" tone="warn">
          <LongText id={`${row.key}.failed`} text={row.failed.raw} label="text" />
        </Panel>
      )}
      {parsed?.repairs.map((repair) => (
        <Panel key={repair.rule + repair.before} label={`Repaired: ${repair.rule}`}>
          <BeforeAfter before={repair.before} after={repair.after} />
        </Panel>
      ))}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="foreign min-w-0">{children}</dd>
    </>
  );
}

function Refusals({ row }: { row: CallRowData }) {
  return (
    <ul className="mt-1.5 grid gap-1.5" aria-label="Not taken as calls">
      {row.parsed?.refusals.map((refusal) => (
        <li key={refusal.reason + refusal.raw} className="text-sm">
          <span className="text-warn">Not taken as a call: </span>
          <span className="foreign text-ink-2">
            <ForeignText text={refusal.message} />
            {refusal.nearest && (
              <>
                {' '}
                The nearest is <code>{refusal.nearest}</code>.
              </>
            )}
          </span>
          <pre className="foreign mt-1 line-clamp-2 text-xs text-ink-3">
            <ForeignText text={refusal.raw} />
          </pre>
        </li>
      ))}
    </ul>
  );
}
