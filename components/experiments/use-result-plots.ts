'use client';

import { type ComponentProps, useState } from 'react';
import type { ExperimentSummary } from '#lib/api/experiment.ts';
import type { CellFigure } from '#lib/api/experiment-cells.ts';
import type { DistributionReply, GridReply } from '#lib/api/experiment-plots.ts';
import { type ApiState, isSettled, useVersioned } from '../hooks/use-api.ts';
import type { DistributionPlot } from './distribution-plot.tsx';

/** The replies that only plots show. */
export interface ResultPlots {
  grid: ApiState<GridReply>;
  distribution: ComponentProps<typeof DistributionPlot>;
  /** Whether all plots can be drawn: one that came later would push down what follows it. */
  areRead: boolean;
}

/**
 * Reads what the plots of an experiment show.
 *
 * @param version changes whenever a result is added; `undefined` reads nothing yet
 */
export function useResultPlots(
  path: string,
  experiment: ExperimentSummary | undefined,
  version: string | undefined,
): ResultPlots {
  const [figure, onFigure] = useState<CellFigure>('seconds');
  const hasGrid = experiment?.suite !== undefined;
  const hasDistribution = experiment !== undefined && experiment.done > 1;
  const grid = useVersioned<GridReply>(hasGrid ? `${path}/grid` : undefined, version);
  const read = useVersioned<DistributionReply>(
    hasDistribution ? `${path}/distribution?figure=${figure}` : undefined,
    version,
  );
  const areRead = (!hasGrid || isSettled(grid)) && (!hasDistribution || isSettled(read));
  return { grid, distribution: { read, figure, onFigure }, areRead };
}
