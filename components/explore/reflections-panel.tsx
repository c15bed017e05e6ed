'use client';

import { useMemo } from 'react';
import { cyclesOf } from '#lib/browser/explore-view.ts';
import { formatCount, formatPercent } from '#lib/browser/format.ts';
import { useRun, useRunScreen } from '../run/run-context.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';

/** Every reflection, the newest first, with how new it was and what the harness said about it (X11, X21). */
export function ReflectionsPanel() {
  const rows = useRun((view) => view.timeline.rows);
  const cycles = useMemo(() => cyclesOf(rows), [rows]);
  const { goTo } = useRunScreen();
  const reflected = cycles.filter(({ reflection }) => reflection).toReversed();
  if (reflected.length === 0) return <p className="mt-3 text-sm text-ink-3">No cycle is over yet.</p>;
  return (
    <ol className="mt-1 divide-y">
      {reflected.map(({ cycle, reflection, novelty }) => {
        // What the harness measured of this reflection stands with the cycle that came after it.
        const advice = cycles[cycle]?.advice;
        return (
          <li key={cycle} className="py-2 [contain-intrinsic-size:auto_5rem] [content-visibility:auto]">
            <p className="tnum flex items-baseline gap-2 text-xs text-ink-3">
              <a
                href={`#${reflection?.seq}`}
                onClick={(click) => {
                  click.preventDefault();
                  if (reflection) goTo(reflection.seq);
                }}
                className="font-medium text-brass underline-offset-2 hover:underline"
              >
                Cycle {formatCount(cycle)}
              </a>
              {novelty !== undefined && (
                <span className={cx(novelty < 0.4 && 'text-warn')}>{formatPercent(novelty)} new</span>
              )}
              {reflection?.byLimit && <Badge tone="warn">call limit</Badge>}
              {advice?.told && (
                <Badge tone="live" title={`${formatPercent(advice.similarity)} like cycle ${advice.nearest}`}>
                  model was told
                </Badge>
              )}
            </p>
            <p className="foreign mt-0.5 line-clamp-4 text-sm text-ink-2">
              {reflection?.text.trim() ? <ForeignText text={reflection.text.slice(0, 1200)} /> : 'No text.'}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
