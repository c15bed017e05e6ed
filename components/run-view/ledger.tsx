'use client';

import { Fragment } from 'react';
import { ledgerOf } from '#lib/browser/state/ledger.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTokens,
} from '#lib/browser/words/format.ts';
import { formatWords } from '#lib/browser/words/parse-ladder.ts';
import { tokensPerSecond } from '#lib/events/speed.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { useNow } from '../hooks/use-now.ts';
import { EventLink } from '../ui/event-link.tsx';
import { Gauge } from '../ui/gauge.tsx';
import { useRun } from './run-context.tsx';
import { useRunScreen } from './screen-context.ts';

/** Gauges for every limit that can end the run. */
export function Ledger() {
  const { goTo } = useRunScreen();
  const run = useRun((view) => view.run);
  const timed = run.config?.budget.max_seconds !== undefined && run.phase !== 'ended';
  const now = useNow(timed);
  const gauges = ledgerOf(run, now);
  if (gauges.length === 0) return <p className="text-sm text-ink-3">Nothing yet.</p>;
  return (
    <div className="divide-y">
      {gauges.map((gauge) => (
        <Gauge key={gauge.id} gauge={gauge} onEvent={goTo} />
      ))}
    </div>
  );
}

/** The gauge closest to its limit, for small screens. */
export function NearestLimit() {
  const run = useRun((view) => view.run);
  const [nearest] = ledgerOf(run, run.updatedAt)
    // A full gauge without a warning shows a requested amount: the cycles of an exploration, a single
    // attempt.
    .filter(({ limit, used, tone }) => limit > 0 && (used < limit || tone !== 'calm'))
    .sort((a, b) => b.used / b.limit - a.used / a.limit);
  if (!nearest) return null;
  return (
    <span className="tnum flex min-w-0 gap-x-1 pl-4 text-xs font-normal text-ink-3">
      <span className="truncate">{nearest.label}</span> <span className="font-mono">{nearest.value}</span>
    </span>
  );
}

/** The totals of a run so far. */
export function Totals() {
  const run = useRun((view) => view.run);
  const ended = run.phase === 'ended';
  const read = formatWords(run.parsed);
  const { loaded } = run;
  return (
    <>
      <h2 className="caption mt-6 mb-2">{ended ? 'In total' : 'So far'}</h2>
      <dl className="tnum grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
        <Line name="Model calls">{formatCount(run.calls)}</Line>
        <Line name="Tool calls">
          {formatCount(run.toolCalls)}
          {run.failedToolCalls > 0 && (
            <span className="text-fail">, {formatCount(run.failedToolCalls)} failed</span>
          )}
        </Line>
        <Line name="Call formats">
          {read === undefined ? ended ? 'none' : 'none yet' : <Parts text={read} />}
        </Line>
        <Line name="Tokens">
          <Parts
            text={`${formatTokens(run.tokensIn, run.tokensEstimated)} in, ${formatTokens(run.tokensOut, run.tokensEstimated)} out`}
          />
        </Line>
        {run.costUsd !== undefined && <Line name="Cost">{formatUsd(run.costUsd)}</Line>}
        <Times />
        {loaded !== undefined && (
          <Line name="Model load">
            {loaded.remote_host !== undefined
              ? 'none: remote model'
              : loaded.already_loaded
                ? 'already loaded'
                : formatDuration(loaded.load_ms)}
          </Line>
        )}
        <Memory />
        {run.filesWritten.length > 0 && (
          <Line name="Files written">{formatCount(run.filesWritten.length)}</Line>
        )}
        {run.resumes > 0 && <Line name="Resumed">{formatCount(run.resumes)}</Line>}
      </dl>
    </>
  );
}

/** Time by activity and writing speed. Loading has its own line. */
function Times() {
  const { goTo } = useRunScreen();
  const { modelMs, toolMs, writtenTokens, writingMs } = useRun((view) => view.run.spent);
  const longest = useRun((view) => view.run.longestCall);
  const calls = useRun((view) => view.run.calls);
  const speed = tokensPerSecond(writtenTokens, writingMs);
  return (
    <>
      {modelMs > 0 && <Line name="Model time">{formatDuration(modelMs)}</Line>}
      {toolMs > 0 && <Line name="Tool time">{formatDuration(toolMs)}</Line>}
      {speed !== undefined && <Line name="Writing speed">{formatRate(speed)} tok/s</Line>}
      {longest && calls > 1 && (
        <Line name="Longest call">
          <EventLink seq={longest.seq} onGo={goTo}>
            {formatDuration(longest.ms)}
            <span className="sr-only"> in model call {longest.call}</span>
          </EventLink>
        </Line>
      )}
    </>
  );
}

/** A list whose parts do not break: a count is never separated from its word and never overflows. */
function Parts({ text }: { text: string }) {
  return text.split(/(?<=[,:]) /).map((part) => (
    <Fragment key={part}>
      <span className="whitespace-nowrap">{part}</span>{' '}
    </Fragment>
  ));
}

/** The requested, effective and maximum window, and whether the model is on the GPU. */
function Memory() {
  const loaded = useRun((view) => view.run.loaded);
  const asked = useRun((view) => view.run.config?.window_tokens);
  const most = useRun((view) => view.run.preflight?.max_context_tokens);
  if (!loaded || asked === undefined) return null;
  const effective = loaded.context_tokens;
  return (
    <>
      <Line name="Window requested">{formatCount(asked)}</Line>
      <Line name="Window in effect">
        <span className={effective !== undefined && effective < asked ? 'text-warn' : undefined}>
          {effective === undefined ? 'unknown' : formatCount(effective)}
        </span>
        {most !== undefined && <span className="text-ink-3"> of {formatCount(most)}</span>}
      </Line>
      {loaded.size_bytes ? (
        <Line name="On GPU">{formatPercent((loaded.vram_bytes ?? 0) / loaded.size_bytes)}</Line>
      ) : null}
    </>
  );
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="text-right font-mono text-xs leading-5">{children}</dd>
    </>
  );
}
