import type { ExperimentSummary } from '#lib/api/experiment.ts';
import type { ExperimentCell } from '#lib/api/experiment-cells.ts';
import { leftOutLines, notRunLines } from '#lib/browser/words/not-run-words.ts';
import { missingCasesNote, repeatedRatesNote } from '#lib/browser/words/rate-words.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { CaseGridPlot } from './case-grid-plot.tsx';
import { CellPlots } from './cell-plots.tsx';
import { CellsTable } from './cells-table.tsx';
import { DistributionPlot } from './distribution-plot.tsx';
import { FiguresTable } from './figures-table.tsx';
import { type ComparedCells, PairPanel } from './pair-panel.tsx';
import type { ResultPlots } from './use-result-plots.ts';

/** The results by cell, where there is more than one run to a cell or more than one cell. */
export function CellResults({
  home,
  plots,
  compared,
  cells,
  experiment,
  hrefOf,
}: {
  home: string;
  plots: ResultPlots;
  compared: ComparedCells;
  cells: readonly ExperimentCell[];
  experiment: ExperimentSummary;
  hrefOf: (cell: number) => string;
}) {
  if (experiment.total < 2) return null;
  const notRun = notRunLines(cells);
  return (
    <>
      <CellPlots
        {...{ cells, hrefOf }}
        cases={experiment.suite && <CaseGridPlot read={plots.grid} home={home} />}
        distribution={experiment.done > 1 && <DistributionPlot {...plots.distribution} />}
      />
      <h2 className="mt-8 font-semibold">Results by cell</h2>
      <p className="mt-0.5 max-w-read text-sm text-ink-3">
        A cell has the runs with the same model and settings, over all seeds and repeats. Tokens, speed, cost
        and duration are medians over these runs.{' '}
        {cells.some(({ checked }) => checked > 0)
          ? 'A run passes if it ends with a complete answer and all its checks pass.'
          : 'Without checks, every run that ends by itself with a complete result counts as passed.'}{' '}
        {leftOutLines(cells).join(' ')} {missingCasesNote(cells)} {repeatedRatesNote(cells)}
      </p>
      {notRun.length > 0 && (
        <ul className="foreign mt-2 max-w-read text-sm text-fail">
          {notRun.map((line) => (
            <li key={line}>{plainVisibleLine(line)}</li>
          ))}
        </ul>
      )}
      <CellsTable {...{ cells, hrefOf }} mode={experiment.mode} cases={experiment.suite?.cases ?? 1} />
      <FiguresTable cells={cells} hrefOf={hrefOf} />
      {cells.length > 1 && <PairPanel {...{ cells, compared }} />}
    </>
  );
}
