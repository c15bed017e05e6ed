'use client';

import { formatDuration, formatShortCount, plural } from '#lib/browser/words/format.ts';
import { beforeStepWords, isSummary, stepName, stepWord } from '#lib/browser/words/mode-words.ts';
import { iterationMs } from '#lib/events/fold-timeline/iteration-heading.ts';
import { modeFacts } from '#lib/events/modes.ts';
import type { IterationRow as IterationRowData } from '#lib/events/timeline.ts';
import { Clock } from '../../ui/clock.tsx';
import { ForkButton } from '../fork-button.tsx';
import { useRun } from '../run-context.tsx';
import { Figures } from './row-frame.tsx';
import { usedWords } from './used-words.ts';

/** The heading of an iteration: a hairline, its number and its sums. */
export function IterationRow({ row }: { row: IterationRowData }) {
  const budgeted = useRun((view) =>
    Object.values(view.run.config?.budget ?? {}).some((limit) => limit !== undefined),
  );
  const mode = useRun((view) => view.run.config?.mode);
  // In an exploration the cycles are the chapters: a step within one has no separate line.
  if (modeFacts(mode).hasCycles) {
    return (
      <div className="flex h-5">
        <div className="relative w-5 shrink-0" aria-hidden="true">
          <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
          <span className="tnum absolute top-0.5 left-1/2 min-w-4 -translate-x-1/2 bg-canvas py-0.5 text-center font-mono text-2xs leading-none text-ink-3">
            {row.iteration}
          </span>
        </div>
        <span className="sr-only">Step {row.iteration}</span>
      </div>
    );
  }
  return (
    <div className="flex gap-3 sm:gap-4">
      <div className="relative w-5 shrink-0" aria-hidden="true">
        <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
        <span className="tnum absolute top-[1.5625rem] left-1/2 min-w-5 -translate-x-1/2 bg-canvas py-1 text-center font-mono text-sm leading-none font-semibold text-ink-2">
          {isSummary(mode, row) ? '·' : row.step}
        </span>
      </div>
      <div className="mt-5 mb-1 flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 border-t border-line-strong pt-1.5">
        <h2 className="caption text-ink-2">
          {stepName(mode, row)}
          {row.attempt > 1 && <span className="text-ink-3"> of attempt {row.attempt}</span>}
        </h2>
        <ForkButton
          opening={{
            place: { before_iteration: row.iteration, attempt: row.attempt },
            words: beforeStepWords(mode, row),
          }}
        />
        <Figures>
          {row.budget && budgeted && (
            <span className="max-sm:hidden" title={`Used before this ${stepWord(mode).toLowerCase()}`}>
              {usedWords(row.budget, formatShortCount)} used
            </span>
          )}
          {row.toolCalls > 0 && (
            <span>
              {plural(row.toolCalls, 'call')}
              {row.failedToolCalls > 0 && <span className="text-fail">, {row.failedToolCalls} failed</span>}
            </span>
          )}
          {!row.ended && row.waitingSince === undefined ? (
            <Clock since={row.at + row.waitedMs} className="w-10 text-right text-brass" />
          ) : (
            <span className="min-w-10 text-right">{formatDuration(iterationMs(row))}</span>
          )}
        </Figures>
      </div>
    </div>
  );
}
