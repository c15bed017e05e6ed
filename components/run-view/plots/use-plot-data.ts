import { useEffect, useMemo, useState } from 'react';
import { runSteps } from '#lib/browser/plots/run-steps.ts';
import type { CallTime, RunStep } from '#lib/browser/plots/series.ts';
import { callTimes } from '#lib/browser/plots/waterfall.ts';
import type { RunSource, RunView } from '#lib/browser/state/run-view.ts';
import { useNow } from '../../hooks/use-now.ts';

/** Plots of a growing run are drawn at most this often. */
const REDRAW_MS = 500;

/** The run as it was at the last drawing: changes twice a second at most, and not while the page is hidden. */
function usePlottedView({ view }: RunSource): { shown: RunView; visible: boolean } {
  const [shown, setShown] = useState(() => view.getState());
  const [visible, setVisible] = useState(isVisible);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let drawnAt = Number.NEGATIVE_INFINITY;
    const draw = () => {
      timer = undefined;
      drawnAt = performance.now();
      setVisible(isVisible());
      if (isVisible()) setShown(view.getState());
    };
    const soon = () => {
      // The first events of a loading run are drawn immediately.
      timer ??= setTimeout(draw, Math.max(0, drawnAt + REDRAW_MS - performance.now()));
    };
    setShown(view.getState());
    const stop = view.subscribe(soon);
    document.addEventListener('visibilitychange', soon);
    return () => {
      clearTimeout(timer);
      stop();
      document.removeEventListener('visibilitychange', soon);
    };
  }, [view]);
  return { shown, visible };
}

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}

interface PlotData {
  readonly view: RunView;
  readonly times: readonly CallTime[];
  readonly steps: readonly RunStep[];
}

/** The series of the plots of a run. */
export function usePlotData(source: RunSource): PlotData {
  const { shown: view, visible } = usePlottedView(source);
  const { run, timeline, prompts } = view;
  const ended = run.phase === 'ended';
  const now = useNow(!ended && visible);
  const until = ended ? run.updatedAt : Math.max(run.updatedAt, now);
  const times = useMemo(() => callTimes(timeline.rows, until), [timeline.rows, until]);
  const steps = useMemo(() => runSteps({ rows: timeline.rows, prompts, run }), [timeline.rows, prompts, run]);
  return { view, times, steps };
}
