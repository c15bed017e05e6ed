'use client';

import { memo, useMemo } from 'react';
import { useStore } from 'zustand';
import { adviceByReflection } from '#lib/browser/state/explore-view.ts';
import { formatCount, formatPercent } from '#lib/browser/words/format.ts';
import type { Cycle } from '#lib/events/timeline.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { RowLink } from '../../ui/event-link.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';

/**
 * Every reflection, newest first, with its novelty (X11). Below it, set apart, are Loupe's measurements and remarks
 * (X21).
 */
export function ReflectionsPanel() {
  const { cycles } = useRun((view) => view.timeline.cycles);
  const monitored = useRun((view) => view.run.config?.explore?.diversity !== undefined);
  const onlyMeasures = useRun((view) => view.run.config?.diversity_feedback === false);
  const { reading } = useRunScreen();
  const chosen = useStore(reading, (state) => state.cycle);
  const advice = useMemo(() => adviceByReflection(cycles), [cycles]);
  const reflected = cycles.filter(({ endedBy }) => endedBy !== undefined).toReversed();
  if (reflected.length === 0) return <p className="mt-3 text-sm text-ink-3">No cycle has ended yet.</p>;
  const told = cycles.filter(({ advice }) => advice?.feedback !== undefined).length;
  return (
    <>
      <p className="mt-3 text-sm text-ink-3">
        {monitored && onlyMeasures
          ? 'Loupe compares each reflection with earlier ones. The model is not told.'
          : monitored
            ? `Loupe compares each reflection with earlier ones. The model was told ${told === 1 ? 'once' : `${formatCount(told)} times`} to look for something new.`
            : 'Diversity feedback is off.'}
      </p>
      <ol className="mt-1 divide-y">
        {reflected.map((cycle) => (
          <Reflected
            key={cycle.number}
            cycle={cycle}
            advice={advice.get(cycle.number)}
            chosen={cycle.number === chosen}
          />
        ))}
      </ol>
    </>
  );
}

/** Redrawn only when its own cycle changes, because there may be hundreds during an exploration. */
const Reflected = memo(function Reflected({
  cycle,
  advice,
  chosen,
}: {
  cycle: Cycle;
  advice: Cycle['advice'];
  chosen: boolean;
}) {
  const { goTo } = useRunScreen();
  const { number, endedBy, endedSeq = 0, reflection = '', novelty, noveltyMeasure } = cycle;
  return (
    <li
      aria-current={chosen || undefined}
      className={cx(
        '-mx-2 px-2 py-2 [contain-intrinsic-size:auto_5rem] [content-visibility:auto]',
        chosen && 'rounded-sm bg-brass-wash',
      )}
    >
      <p className="tnum flex items-baseline gap-2 text-xs text-ink-3">
        <RowLink
          seq={endedSeq}
          onGo={goTo}
          className="reach font-medium text-brass underline-offset-2 hover:underline"
        >
          Cycle {formatCount(number)}
        </RowLink>
        {novelty !== undefined && (
          <span
            className={cx(novelty < 0.4 && 'text-warn')}
            title={noveltyMeasure === 'embeddings' ? 'Measured by embeddings' : 'Measured by groups of words'}
          >
            {formatPercent(novelty)} new
          </span>
        )}
        {endedBy === 'call_limit' && <Badge tone="warn">call limit</Badge>}
      </p>
      <p className="foreign mt-0.5 line-clamp-4 text-sm text-ink-2">
        {reflection.trim() ? <ForeignText text={reflection.slice(0, 1200)} /> : 'No text.'}
      </p>
      {advice && (
        <p
          className={cx(
            'tnum mt-1 border-l-2 pl-2 text-xs text-ink-3',
            advice.feedback === undefined ? 'border-line-strong' : 'border-brass-fill',
          )}
        >
          Loupe: {formatPercent(advice.similarity)} like cycle {formatCount(advice.nearest_cycle)}
          {advice.feedback === undefined ? (
            advice.similarity >= advice.threshold ? (
              ', not told to the model.'
            ) : (
              `, below the threshold of ${formatPercent(advice.threshold)}.`
            )
          ) : (
            <span className="foreign mt-0.5 block text-ink-2">
              <ForeignText text={`“${advice.feedback}”`} />
            </span>
          )}
        </p>
      )}
    </li>
  );
});
