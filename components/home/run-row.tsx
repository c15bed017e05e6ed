'use client';

import { Pin } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunSummary } from '#lib/api/run-summary.ts';
import type { ListedRun } from '#lib/browser/state/listed-runs.ts';
import { isDemoRun } from '#lib/browser/state/models.ts';
import {
  formatClock,
  formatDuration,
  formatShortCount,
  formatTokens,
  formatWhen,
  plural,
} from '#lib/browser/words/format.ts';
import { modeBesideTitle } from '#lib/browser/words/mode-words.ts';
import { runStateWords } from '#lib/browser/words/run-state-words.ts';
import { plainVisibleLine, withoutLineBreaks } from '#lib/browser/words/visible-text.ts';
import { checksBeside } from '#lib/events/outcome.ts';
import { isWaiting } from '#lib/events/run-phase.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { ScoreMark } from '../annotate/score-mark.tsx';
import { useTimedText } from '../hooks/use-now.ts';
import { Badge } from '../ui/badge.tsx';
import { Clock } from '../ui/clock.tsx';
import { cx } from '../ui/cx.ts';
import { Expected } from '../ui/expected.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { toneDot, toneText } from '../ui/tone.ts';
import { FamilyOutcomes } from './family-outcomes.tsx';
import { extentOf, Progress } from './progress.tsx';
import { GRID, SHOWN } from './run-columns.tsx';

/** One run, or the newest run of a family, as a link over all its columns. */
export function RunRow({ run, family }: ListedRun) {
  const experiment = family?.experiment;
  const title = experiment ?? run.title;
  const { label, tone } = runStateWords(run);
  return (
    <Link
      href={experiment === undefined ? `/runs/${run.id}` : `/experiments/${family?.id}`}
      className={cx(GRID, 'group min-w-0 flex-1 items-baseline rounded-md px-2 py-2.5 hover:bg-surface')}
    >
      <span className="min-w-0">
        <span className="flex min-w-0 items-baseline gap-2">
          {!family && (
            <span className={cx('size-2 shrink-0 rounded-full', toneDot[tone])} aria-hidden="true" />
          )}
          <span
            className="foreign line-clamp-2 min-w-0 font-medium group-hover:text-brass md:line-clamp-1"
            title={plainVisibleLine(title)}
          >
            <ForeignText text={withoutLineBreaks(title)} />
          </span>
          {run.annotations?.pinned && (
            <Pin className="size-3 shrink-0 self-center text-brass" aria-label="pinned" />
          )}
        </span>
        <Facts run={run} family={family} />
      </span>
      <span className="flex flex-col items-end gap-1 max-[20rem]:mt-1 max-[20rem]:flex-row max-[20rem]:flex-wrap max-[20rem]:items-baseline max-[20rem]:justify-between md:contents">
        {family ? (
          <FamilyOutcomes family={family} />
        ) : (
          <span className={cx('min-w-0 text-sm font-medium max-md:text-right', toneText[tone])}>
            {label}
            {run.queue_expected_at !== undefined && (
              <span className="tnum block text-xs font-normal text-ink-3">
                <Expected at={run.queue_expected_at} />
              </span>
            )}
            {run.phase !== 'ended' && (
              <span className="block max-md:hidden">
                <Progress run={run} />
              </span>
            )}
          </span>
        )}
        <Figures run={run} family={family} />
      </span>
    </Link>
  );
}

/** The second line: data without a column at this width. */
function Facts({ run, family }: ListedRun) {
  const checks = !family && run.outcome ? checksBeside(run.outcome) : undefined;
  const { tags = [], score, note } = run.annotations ?? {};
  const mode = modeBesideTitle(run, run.title);
  const extent = family ? undefined : extentOf(run);
  return (
    <span className="tnum mt-0.5 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-ink-3">
      {family && (
        <Badge tone="calm">
          {family.experiment === undefined
            ? plural(family.runs, 'run')
            : `experiment, ${plural(family.runs, 'run')}`}
        </Badge>
      )}
      {/* An experiment may have several. */}
      {family?.experiment === undefined && (
        <span className="foreign font-mono text-xs leading-5 xl:hidden">
          <ShortName text={run.model} max={60} />
        </span>
      )}
      {mode !== undefined && mode !== 'Task' && <Badge>{mode}</Badge>}
      {isDemoRun(run.model) && <Badge tone="live">demo</Badge>}
      {run.parent && !family && <Badge title="It began with the copied log of another run">fork</Badge>}
      {run.imported_at !== undefined && <Badge>imported</Badge>}
      {run.annotations?.archived && <Badge>archived</Badge>}
      {/* Where there are columns, that of the state has the progress of a run that has not ended. */}
      {extent !== undefined && <span className={cx(run.phase !== 'ended' && 'md:hidden')}>{extent}</span>}
      {!family && <span>{plural(run.tool_calls, 'tool call')}</span>}
      {!family && <span className="lg:hidden">{tokensOf(run)} tokens</span>}
      {!family && run.cost_usd !== undefined && <span>{formatUsd(run.cost_usd)}</span>}
      {checks && <Badge tone={checks.tone}>{checks.label}</Badge>}
      {tags.map((tag) => (
        <span
          key={tag}
          title={plainVisibleLine(tag)}
          className="foreign max-w-40 truncate rounded-full bg-brass-wash px-2 text-xs leading-[1.125rem] text-ink-2"
        >
          <ForeignText text={tag} />
        </span>
      ))}
      {score !== undefined && (
        <span className="xl:hidden">
          <ScoreMark score={score} />
        </span>
      )}
      {note !== undefined && (
        <span
          className="foreign line-clamp-1 min-w-0 max-w-full basis-40 grow italic max-md:hidden"
          title={plainVisibleLine(note)}
        >
          <ForeignText text={withoutLineBreaks(note)} />
        </span>
      )}
    </span>
  );
}

/** Model, folder, duration, tokens, score and start; of a family, what its runs share. */
function Figures({ run, family }: ListedRun) {
  const score = run.annotations?.score;
  return (
    <>
      <Cell className={cx(SHOWN.model, 'foreign truncate')}>
        {family?.experiment === undefined && (
          <span title={plainVisibleLine(run.model)}>
            <ShortName text={run.model} max={40} />
          </span>
        )}
      </Cell>
      <Cell className={cx(SHOWN.folder, 'foreign truncate')}>
        {run.folder !== undefined && (
          <span title={plainVisibleLine(run.folder)}>
            <ForeignText text={folderName(run.folder)} />
          </span>
        )}
      </Cell>
      <Cell className={cx(SHOWN.duration, 'text-right')}>{!family && <Duration run={run} />}</Cell>
      <Cell className={cx(SHOWN.tokens, 'text-right')}>{family ? null : tokensOf(run)}</Cell>
      <Cell className={cx(SHOWN.score, 'text-right')}>
        {!family && score !== undefined && <ScoreMark score={score} />}
      </Cell>
      <Cell className="text-right">
        <When at={family?.latest_at ?? run.created_at} />
      </Cell>
    </>
  );
}

/** How long a run has worked: a clock, unless it ended, waits or has not started. */
function Duration({ run }: { run: RunSummary }) {
  const { phase, worked_ms: workedMs, updated_at, queue_position } = run;
  if (workedMs === undefined) return null;
  if (phase === 'ended') return formatDuration(workedMs);
  if (isWaiting(phase) || queue_position !== undefined) return formatClock(workedMs);
  return <Clock since={updated_at - workedMs} />;
}

function Cell({ className, children }: { className?: string; children: ReactNode }) {
  return <span className={cx('tnum min-w-0 font-mono text-xs text-ink-3', className)}>{children}</span>;
}

function When({ at }: { at: number }) {
  const when = useTimedText((now) => formatWhen(at, now));
  return <span suppressHydrationWarning>{when}</span>;
}

function tokensOf(run: RunSummary): string {
  return formatTokens(run.tokens_in + run.tokens_out, run.tokens_estimated, formatShortCount);
}

/** The last name of a path. */
function folderName(path: string): string {
  return withoutLineBreaks(path.split('/').findLast(Boolean) ?? path);
}
