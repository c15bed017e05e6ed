'use client';

import { contextOf } from '#lib/browser/state/call-context.ts';
import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { replyRate } from '#lib/browser/words/call-phases.ts';
import { eatenReply } from '#lib/browser/words/eaten-reply.ts';
import { formatCount, formatDuration, formatRate, plural } from '#lib/browser/words/format.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { swallowedWords } from '#lib/events/swallowed-reply.ts';
import type { CallRow as CallRowData } from '#lib/events/timeline.ts';
import { Badge } from '../../ui/badge.tsx';
import { Clock } from '../../ui/clock.tsx';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { LayerBadge } from '../../ui/layer-badge.tsx';
import { ForkButton } from '../fork-button.tsx';
import { PromptProgress } from '../prompt-progress.tsx';
import { RerunAction, RerunButton } from '../rerun-button.tsx';
import { useRun } from '../run-context.tsx';
import { useUnfolded, useUnfoldedByFound } from '../screen-context.ts';
import { ContextScale } from './call-context.tsx';
import { LivePhase, PhaseStrip, PhaseTable } from './call-phases.tsx';
import { LongText } from './long-text.tsx';
import { MarkedReply, ParseLadder, Refusals, Repairs } from './parse-ladder.tsx';
import { Disclosure, Figures, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { SentRequestPanel } from './sent-request-panel.tsx';
import { wholeOf } from './whole-of.ts';
import { Writing } from './writing.tsx';

const loadSentRequest = async () => (await import('./sent-request.tsx')).SentRequest;

const nodes = {
  open: 'border-brass-fill breathe',
  ended: '',
  failed: 'border-fail',
  lost: 'border-warn',
};

/** A loaded model responds immediately; longer load times mean that the call loaded it. */
const COLD_MS = 1000;

const setAsideWords = {
  length: 'cut off, retried with a higher limit',
  malformed: 'broken call, retried',
  transient: 'failed temporarily, retried',
  overflow: 'too long, retried after shortening',
  thinking: 'thinking refused, retried',
};

/** A model call: the request, thinking and text of the reply, and how it was parsed. */
export function CallRow({ row }: { row: CallRowData }) {
  const [open, toggle] = useUnfolded(row.key);
  const speed = replyRate(row);
  const unreadable = row.failed?.kind === 'malformed_call';
  const isCut = useRun(({ run }) => contextOf(row, run).fate === 'cut');
  const eaten = eatenReply(row);
  const estimated = row.ended ?? row.failed;
  const coldMs = row.ended?.timings.loadMs ?? 0;
  return (
    <RowFrame node={<RailNode shape="ring" className={unreadable ? nodes.lost : nodes[row.status]} />}>
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">Model</span>
          <span className="sr-only">call {row.call}, what was sent and how the reply was parsed</span>
          {row.tryNumber > 1 && <span className="text-sm text-ink-3">try {row.tryNumber}</span>}
        </Disclosure>
        <ReadAs row={row} />
        {row.status === 'open' && <LivePhase row={row} reading={<PromptProgress row={row} />} />}
        {coldMs >= COLD_MS && <Badge tone="warn">loaded during the call, {formatDuration(coldMs)}</Badge>}
        {row.setAside && <Badge tone="warn">{setAsideWords[row.setAside]}</Badge>}
        {row.parsed?.cut && <Badge tone="warn">cut off by the limit</Badge>}
        {row.status === 'lost' && <Badge tone="warn">lost: server stopped</Badge>}
        {unreadable && !row.setAside && <Badge tone="warn">unreadable call</Badge>}
        {isCut && (
          <Badge tone="warn" title="Ollama dropped part of the prompt">
            prompt cut
          </Badge>
        )}
        <RerunButton row={row} />
        {row.parsed && (
          <ForkButton
            opening={{ place: { seq: row.parsed.seq }, words: 'after this reply', focus: 'reply' }}
          />
        )}
        <Figures>
          {row.ended?.prompt_tokens !== undefined && (
            <span title="Tokens read and written">
              {formatCount(row.ended.prompt_tokens)} → {formatCount(row.ended.reply_tokens ?? 0)} tok
            </span>
          )}
          {estimated?.estimated_reply_tokens !== undefined && (
            <span title="Estimated from the text: Ollama reported no token counts for this call">
              ≈{formatCount(estimated.estimated_prompt_tokens ?? 0)} → ≈
              {formatCount(estimated.estimated_reply_tokens)} tok
            </span>
          )}
          {speed !== undefined && <span className="max-md:hidden">{formatRate(speed)} tok/s</span>}
          <PhaseStrip row={row} className="h-1.5 w-14 self-center max-md:hidden" />
          {row.status === 'open' ? (
            <Clock since={row.started.at} className="w-10 text-right text-brass" />
          ) : (
            <span className="min-w-10 text-right">
              {formatDuration(row.ended?.duration_ms ?? row.failed?.duration_ms ?? 0)}
            </span>
          )}
        </Figures>
      </div>
      {eaten && (
        <p className="tnum mt-1 text-sm text-warn">
          {formatCount(eaten.thinkingTokens)} thinking tokens, 0 answer tokens, cut off by{' '}
          {eaten.by === 'num_predict' ? 'the reply limit' : 'the window'} ({formatCount(eaten.limit)}).
        </p>
      )}
      {row.parsed?.swallowed_tokens ? (
        <p className="tnum mt-1 text-sm text-warn">{swallowedWords(row.parsed.swallowed_tokens)}</p>
      ) : null}
      {open && <Sent row={row} />}
      {row.status === 'open' ? <Writing call={row.call} /> : <Said row={row} />}
      {row.failed && <Failure row={row} failed={row.failed} />}
      {!open && <Refusals row={row} brief />}
    </RowFrame>
  );
}

/** One badge per layer and format of the reply's calls. */
function ReadAs({ row }: { row: CallRowData }) {
  const { parsed } = row;
  if (!parsed || row.setAside) return null;
  if (parsed.outcome === 'empty') {
    const words = parsed.swallowed_tokens
      ? 'dropped by Ollama'
      : parsed.malformed
        ? 'broken call'
        : 'empty reply';
    return <Badge tone="warn">{words}</Badge>;
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

/** A text of a reply, and where to fetch it in full if it is truncated. */
interface ReplyText {
  text: string;
  whole: ReturnType<typeof wholeOf>;
}

function thinkingOf({ parsed, failed, ended }: CallRowData): ReplyText | undefined {
  if (failed?.partial_thinking) {
    return { text: failed.partial_thinking, whole: wholeOf(failed, 'partial_thinking') };
  }
  if (parsed?.thinking) return { text: parsed.thinking, whole: wholeOf(parsed, 'thinking') };
  if (!ended?.message.thinking) return undefined;
  return { text: ended.message.thinking, whole: wholeOf(ended, 'message.thinking') };
}

function textOf({ parsed, failed, ended }: CallRowData): ReplyText | undefined {
  if (parsed?.text) return { text: parsed.text, whole: wholeOf(parsed, 'text') };
  if (failed?.partial_text) return { text: failed.partial_text, whole: wholeOf(failed, 'partial_text') };
  // A parsed reply without text has only calls, whose raw form is not shown as text.
  if (parsed || !ended) return undefined;
  return { text: ended.message.content, whole: wholeOf(ended, 'message.content') };
}

function Said({ row }: { row: CallRowData }) {
  const thinking = thinkingOf(row);
  const said = textOf(row);
  // In an exploration the text is the reflection, which has its own row.
  const reflects =
    useRun((view) => modeFacts(view.run.config?.mode).hasCycles) && row.parsed?.calls.length === 0;
  return (
    <>
      {thinking && <Thinking id={row.key} {...thinking} />}
      {said?.text.trim() && !reflects && (
        <div className="mt-1.5">
          <LongText id={`${row.key}.text`} {...said} label="text" as="markdown" className="words" />
        </div>
      )}
    </>
  );
}

function Thinking({ id, text, whole }: ReplyText & { id: string }) {
  const [open, toggle] = useUnfoldedByFound(
    `${id}.thinking`,
    (words, isBeyond) => lacksFound('', text, words) || (isBeyond && whole !== undefined),
  );
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
            whole={whole}
            className="words [&_pre]:text-sm"
          />
        </div>
      )}
    </div>
  );
}

/** The details of the request, and each step of the parse ladder. */
function Sent({ row }: { row: CallRowData }) {
  const { started, ended, parsed } = row;
  const loaded = useRun((view) => view.run.loaded);
  const preflight = useRun((view) => view.run.preflight);
  const compactAt = useRun((view) => view.run.config?.compact_at);
  return (
    <div className="mt-2 mb-1 grid gap-3">
      <Panel label="Sent">
        <dl className="tnum grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5">
          <Fact name="messages">{formatCount(started.message_count)}</Fact>
          <Fact name="tools">{formatCount(started.tool_count)}</Fact>
          <Fact name="context">
            <ContextScale context={contextOf(row, { loaded, preflight })} compactAt={compactAt} />
          </Fact>
          <Fact name="options">
            {Object.entries(started.options)
              .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
              .join(', ')}
          </Fact>
          <Fact name="think">{String(started.think)}</Fact>
          <Fact name="stream">{String(started.stream)}</Fact>
          {ended && (
            <Fact name="time">
              <PhaseTable row={row} />
            </Fact>
          )}
          {ended?.done_reason && <Fact name="ended by">{ended.done_reason}</Fact>}
        </dl>
      </Panel>
      <SentRequestPanel call={row.call} id={`${row.key}.saw`} load={loadSentRequest} />
      <RerunAction row={row} />
      {parsed && <ParseLadder parsed={parsed} />}
      <Refusals row={row} brief={false} />
      {parsed && <Repairs parsed={parsed} />}
      <MarkedReply row={row} />
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

/** Shorter cleanups only checked whether there was anything to clean up. */
const CLEANUP_MS = 100;

/** A call without a reply. A call that Ollama could not parse is the model's error, not an outage (T22). */
function Failure({ row, failed }: { row: CallRowData; failed: NonNullable<CallRowData['failed']> }) {
  const unreadable = failed.kind === 'malformed_call';
  return (
    <div className="mt-1.5 grid gap-1.5 text-sm">
      {unreadable && <p className="font-medium text-warn">Ollama could not read the model's call.</p>}
      <ForeignMessage text={failed.error.message} className={unreadable ? 'text-ink-2' : 'text-fail'} />
      {failed.error.hint && <ForeignMessage text={failed.error.hint} className="text-ink-2" />}
      {!row.started.stream && (failed.kind === 'aborted' || failed.kind === 'timeout') && (
        <p className="text-ink-2">The reply was not streamed, so the text written so far is lost.</p>
      )}
      {(failed.cleanup_ms ?? 0) >= CLEANUP_MS && (
        <p className="text-ink-2">
          Cleanup after the call: {formatDuration(failed.cleanup_ms ?? 0)}
          {failed.server_idle_ms !== undefined &&
            `, Ollama idle after ${formatDuration(failed.server_idle_ms)}`}
        </p>
      )}
      {failed.freed_slot && (
        <p className="text-sm text-warn">
          Ollama leaked the slot of this call and would not have served another, so the model was unloaded to
          free it.
        </p>
      )}
      {failed.raw && (
        <Panel label="What the model wrote" tone={unreadable ? 'warn' : undefined}>
          <LongText id={`${row.key}.failed`} text={failed.raw} label="text" whole={wholeOf(failed, 'raw')} />
        </Panel>
      )}
    </div>
  );
}
