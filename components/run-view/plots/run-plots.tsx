'use client';

import { useEffect, useMemo } from 'react';
import { createPortal } from 'react-dom';
import { groupSteps } from '#lib/browser/plots/run-steps.ts';
import { useLoaded } from '../../hooks/use-loaded.ts';
import { useRunSource } from '../run-context.tsx';
import { PlotStrip } from './plot-strip.tsx';
import { usePlotData } from './use-plot-data.ts';

const loadView = () => import('./plots-view.tsx');

/** More steps are combined into columns of several. */
const STRIP_COLUMNS = 60;

/** The plots of a run: as a strip, and in full over the timeline. */
export function RunPlots({
  strip,
  over,
  onOpen,
  onClose,
}: {
  /** Whether the strip is shown. */
  strip: boolean;
  /** The element that the full view covers; missing while it is closed. */
  over: HTMLElement | null | undefined;
  onOpen: () => void;
  onClose: () => void;
}) {
  const { view, times, steps } = usePlotData(useRunSource());
  const { opened, open: load } = useLoaded(loadView);
  const covers = Boolean(over);
  useEffect(() => {
    if (covers) load(() => true);
  }, [covers, load]);
  const groups = useMemo(() => groupSteps(steps, STRIP_COLUMNS), [steps]);
  return (
    <>
      {strip && (
        <PlotStrip
          run={view.run}
          times={times}
          groups={groups}
          open={covers}
          onToggle={over ? onClose : onOpen}
        />
      )}
      {over &&
        opened &&
        createPortal(
          <opened.code.PlotsView view={view} times={times} steps={steps} onClose={onClose} />,
          over,
        )}
    </>
  );
}
