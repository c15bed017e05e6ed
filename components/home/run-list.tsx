'use client';

import { useState } from 'react';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { isDemoRun } from '#lib/browser/state/models.ts';
import { endWords, type Tone } from '#lib/browser/words/end-words.ts';
import {
  formatCount,
  formatDuration,
  formatShortCount,
  formatTokens,
  formatWhen,
  plural,
} from '#lib/browser/words/format.ts';
import { extentWords, modeWords } from '#lib/browser/words/mode-words.ts';
import { plainVisibleLine, withoutLineBreaks } from '#lib/browser/words/visible-text.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { checksBeside } from '#lib/events/outcome.ts';
import type { RunPhase } from '#lib/events/run-phase.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { useNow } from '../hooks/use-now.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Clock } from '../ui/clock.tsx';
import { cx } from '../ui/cx.ts';
import { Expected } from '../ui/expected.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { TickScale } from '../ui/tick-scale.tsx';
import { toneText } from '../ui/tone.ts';

const phaseWords: Record<RunPhase, string> = {
  queued: 'Waiting in queue',
  starting: 'Starting',
  loading: 'Loading the model',
  between: 'Between steps',
  calling: 'Model at work',
  deciding: 'Reading the reply',
  'awaiting-approval': 'Waiting for you',
  executing: 'Running tools',
  verifying: 'Checking the work',
  ended: 'Ended',
};

const phaseTones: Partial<Record<RunPhase, Tone>> = { queued: 'calm', 'awaiting-approval': 'warn' };

const dots: Record<Tone, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  fail: 'bg-fail',
  calm: 'bg-ink-3',
  live: 'bg-brass-fill breathe',
};

/** The runs, those at work first. Two of them can be marked to be compared. */
export function RunList({ runs }: { runs: readonly RunSummary[] }) {
  const active = runs.filter((run) => run.phase !== 'ended');
  const ended = runs.filter((run) => run.phase === 'ended');
  // Keep the complete run: it stays marked while a filter hides it.
  const [marked, setMarked] = useState<readonly RunSummary[]>([]);
  const mark = (run: RunSummary, on: boolean) =>
    setMarked((before) => [...before.filter(({ id }) => id !== run.id), ...(on ? [run] : [])]);
  const group = { marked, onMark: mark };
  return (
    <>
      {active.length > 0 && <Group title="At work" runs={active} {...group} />}
      {ended.length > 0 && <Group title={active.length > 0 ? 'Earlier' : 'Runs'} runs={ended} {...group} />}
      <CompareBar marked={marked} onClear={() => setMarked([])} />
    </>
  );
}

function Group({
  title,
  runs,
  marked,
  onMark,
}: {
  title: string;
  runs: readonly RunSummary[];
  marked: readonly RunSummary[];
  onMark: (run: RunSummary, on: boolean) => void;
}) {
  return (
    <section aria-label={title} className="mt-8">
      <div className="flex items-baseline justify-between border-b border-line-strong pb-1.5">
        <h2 className="caption">{title}</h2>
        <span className="tnum font-mono text-xs text-ink-3">{formatCount(runs.length)}</span>
      </div>
      <ul className="divide-y">
        {runs.map((run) => {
          const on = marked.some(({ id }) => id === run.id);
          return (
            <li key={run.id} className="group/line relative">
              <RunLine run={run} />
              {/* In the margin, where there is one; a finger goes by the link under the list. */}
              <input
                type="checkbox"
                aria-label={`Mark to compare: ${plainVisibleLine(run.title)}`}
                title={!on && marked.length === 2 ? 'Two runs are marked already' : 'Mark to compare'}
                checked={on}
                disabled={!on && marked.length === 2}
                onChange={(event) => onMark(run, event.target.checked)}
                className="absolute top-4 -left-8 size-4 accent-brass-fill opacity-0 group-hover/line:opacity-100 checked:opacity-100 focus-visible:opacity-100 max-lg:hidden"
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What is marked, and the way to see both side by side. */
function CompareBar({ marked, onClear }: { marked: readonly RunSummary[]; onClear: () => void }) {
  const [a, b] = marked;
  if (!a) return null;
  return (
    <section
      aria-label="Marked runs"
      className="sticky bottom-4 z-10 mt-6 flex items-center gap-3 rounded-lg border border-line-strong bg-raised py-2 pr-2 pl-4 shadow-lg"
    >
      <p className="flex min-w-0 flex-1 gap-1.5 text-sm whitespace-nowrap text-ink-3">
        <span className="foreign max-w-1/2 shrink-0 truncate font-medium text-ink">
          <ForeignText text={withoutLineBreaks(a.title)} />
        </span>
        {b ? 'and' : <span className="truncate">is marked. Mark another run to compare it with.</span>}
        {b && (
          <span className="foreign truncate font-medium text-ink">
            <ForeignText text={withoutLineBreaks(b.title)} />
          </span>
        )}
      </p>
      <Button kind="quiet" size="sm" onClick={onClear}>
        Clear
      </Button>
      {b && (
        <Link
          href={`/compare?${new URLSearchParams({ a: a.id, b: b.id })}`}
          className={buttonClass('primary', 'sm')}
        >
          Compare
        </Link>
      )}
    </section>
  );
}

function RunLine({ run }: { run: RunSummary }) {
  const ended = run.phase === 'ended';
  const words = run.outcome && endWords(run.outcome);
  const checks = run.outcome && checksBeside(run.outcome);
  const tone = ended
    ? (words?.tone ?? (run.imported_at === undefined ? 'fail' : 'calm'))
    : (phaseTones[run.phase] ?? 'live');
  const label = ended
    ? (words?.label ?? (run.imported_at === undefined ? 'Ended' : 'Not ended'))
    : run.stop_requested
      ? 'Stopping'
      : run.queue_position !== undefined
        ? `In queue, place ${run.queue_position}`
        : phaseWords[run.phase];
  return (
    <Link
      href={`/runs/${run.id}`}
      className="group -mx-3 grid grid-cols-[0.5rem_minmax(0,1fr)_auto] items-baseline gap-x-3 rounded-md px-3 py-3 hover:bg-surface md:grid-cols-[0.5rem_minmax(0,1fr)_9.5rem_6rem_5rem] lg:grid-cols-[0.5rem_minmax(0,1fr)_13.5rem_6rem_5rem]"
    >
      <span className={cx('size-2 translate-y-px rounded-full', dots[tone])} aria-hidden="true" />
      <span className="min-w-0">
        <span
          className="foreign line-clamp-2 font-medium group-hover:text-brass md:line-clamp-1"
          title={plainVisibleLine(run.title)}
        >
          <ForeignText text={withoutLineBreaks(run.title)} />
        </span>
        <span className="tnum mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-3">
          <span className="foreign font-mono text-xs leading-5">
            <ShortName text={run.model} max={60} />
          </span>
          {modeWords(run) !== 'Task' && modeWords(run) !== run.title && <Badge>{modeWords(run)}</Badge>}
          {isDemoRun(run.model) && <Badge tone="live">demo</Badge>}
          {run.parent && <Badge title="It began with the copied log of another run">fork</Badge>}
          {run.imported_at !== undefined && <Badge>imported</Badge>}
          <span>{plural(run.tool_calls, 'tool call')}</span>
          <span>
            {formatTokens(run.tokens_in + run.tokens_out, run.tokens_estimated, formatShortCount)} tokens
          </span>
          {run.cost_usd !== undefined && <span>{formatUsd(run.cost_usd)}</span>}
          {checks && <Badge tone={checks.tone}>{checks.label}</Badge>}
        </span>
      </span>
      <span className="flex flex-col items-end gap-1 md:contents">
        <span className={cx('text-sm font-medium', toneText[tone])}>
          {label}
          {run.queue_expected_at !== undefined && (
            <span className="tnum block text-xs font-normal text-ink-3">
              <Expected at={run.queue_expected_at} />
            </span>
          )}
        </span>
        <span className="max-md:hidden">
          <Progress run={run} />
        </span>
        <span className="tnum text-right font-mono text-xs text-ink-3">
          {ended ? <Ended run={run} /> : <Clock since={run.started_at ?? run.created_at} />}
        </span>
      </span>
    </Link>
  );
}

/** Iterations of their limit as ticks; runs without a limit say how far they are. */
function Progress({ run }: { run: RunSummary }) {
  if (!run.agentic) return null;
  if (modeFacts(run.mode).endsBy === 'max_iterations') {
    return (
      <TickScale
        used={run.iterations_used}
        limit={run.max_iterations}
        label={`${run.iterations_used} of ${run.max_iterations} iterations`}
      />
    );
  }
  return (
    <span className="tnum font-mono text-xs text-ink-3">
      {extentWords(run.mode, { iterations: run.iterations_used, cycles: run.cycles })}
    </span>
  );
}

function Ended({ run }: { run: RunSummary }) {
  const now = useNow();
  const took =
    run.ended_at !== undefined && run.started_at !== undefined ? run.ended_at - run.started_at : undefined;
  return (
    <span title={took === undefined ? undefined : `took ${formatDuration(took)}`} suppressHydrationWarning>
      {formatWhen(run.created_at, now)}
    </span>
  );
}
