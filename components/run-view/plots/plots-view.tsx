'use client';

import { useCallback, useMemo } from 'react';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import { groupSteps } from '#lib/browser/plots/run-steps.ts';
import type { CallTime, RunStep } from '#lib/browser/plots/series.ts';
import type { RunView } from '#lib/browser/state/run-view.ts';
import { stepWord } from '#lib/browser/words/mode-words.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { Button } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useRunScreen } from '../screen-context.ts';
import { ExplorePlots } from './explore-plots.tsx';
import { ContextPlot, SpeedPlot, TokensPlot } from './step-plots.tsx';
import { WaterfallPlot } from './waterfall-plot.tsx';

/** More steps are combined into columns of several. */
const MAX_COLUMNS = 120;

/** All plots of a run, in place of its timeline. */
export function PlotsView({
  view,
  times,
  steps,
  onClose,
}: {
  view: Pick<RunView, 'run' | 'timeline'>;
  times: readonly CallTime[];
  steps: readonly RunStep[];
  onClose: () => void;
}) {
  const { goTo } = useRunScreen();
  const groups = useMemo(() => groupSteps(steps, MAX_COLUMNS), [steps]);
  const facts = modeFacts(view.run.config?.mode);
  const { step, iteration } = view.timeline;
  // The columns are iterations: after a handover, their numbers are not those of the turns.
  const unit = facts.hasCycles || step !== iteration ? 'Iteration' : stepWord(view.run.config?.mode);
  const open = useCallback(
    (seq: number) => {
      onClose();
      goTo(seq);
    },
    [goTo, onClose],
  );
  const back = () => {
    onClose();
    focusSoon(() => document.querySelector<HTMLElement>('[data-plots-toggle]'));
  };
  const shared = { steps, groups, unit, onOpen: open };
  return (
    <ScrollRegion
      label="All plots"
      data-plots-view=""
      className="absolute inset-0 z-10 overflow-y-auto bg-canvas px-3 pt-3 pb-16 sm:px-6 print:static print:overflow-visible"
      onKeyDown={(event) => {
        if (event.key === 'Escape') back();
      }}
    >
      <div className="mx-auto grid max-w-[110rem] gap-y-6">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 print:hidden">
          <p className="text-xs text-ink-3">Arrow keys move through a plot; Enter opens the event.</p>
          <Button size="sm" className="shrink-0 max-sm:h-11" onClick={back}>
            Back to the timeline
          </Button>
        </div>
        <WaterfallPlot times={times} onOpen={open} />
        <ContextPlot {...shared} />
        <div className="grid items-end gap-x-8 gap-y-6 lg:grid-cols-2 xl:grid-cols-3">
          <TokensPlot {...shared} direction="in" />
          <TokensPlot {...shared} direction="out" />
          <SpeedPlot {...shared} />
        </div>
        {facts.hasCycles && <ExplorePlots cycles={view.timeline.cycles} onOpen={open} />}
      </div>
    </ScrollRegion>
  );
}
