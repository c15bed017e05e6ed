import type { ExperimentItem } from '../api/experiment.ts';
import type { CellFigure } from '../api/experiment-cells.ts';
import type { DistributionReply, FigureValue, GridReply, GridSquare } from '../api/experiment-plots.ts';
import { didRun, hasPassed } from '../api/result-outcome.ts';
import type { SuiteCase } from '../api/suite.ts';
import { itemsByCell } from './cells.ts';

/** The outcome of each case in each cell. Pure. @param cases those of the experiment; none without a suite */
export function caseGrid(
  items: readonly ExperimentItem[],
  cases: readonly Pick<SuiteCase, 'id' | 'tags'>[],
): GridReply {
  const cells = itemsByCell(items);
  const squares = cells.map((members) => {
    const byCase = new Map<string, GridSquare>();
    for (const item of members) {
      if (item.case !== undefined) byCase.set(item.case, withItem(byCase.get(item.case), item));
    }
    return byCase;
  });
  return {
    cells: cells.map(([first], index) => ({ cell: index + 1, model: first?.model ?? '' })),
    cases: cases.map(({ id, tags = [] }) => ({
      ...{ id, tags },
      squares: squares.map((byCase) => byCase.get(id) ?? null),
    })),
  };
}

const NO_RUNS: GridSquare = { passed: 0, judged: 0, stopped: 0, open: 0, runs: 0 };

function withItem(square: GridSquare | undefined, { status, result, run_id }: ExperimentItem): GridSquare {
  const { passed, judged, stopped, open, runs } = square ?? NO_RUNS;
  const verdict = result && hasPassed(result);
  return {
    passed: passed + (verdict === true ? 1 : 0),
    judged: judged + (verdict === undefined ? 0 : 1),
    stopped: stopped + (result && didRun(result) && verdict === undefined ? 1 : 0),
    open: open + (status === 'waiting' || status === 'running' ? 1 : 0),
    runs: runs + 1,
    ...(square === undefined && run_id !== undefined ? { run_id } : {}),
  };
}

/** A figure of every run that passed or failed and has it, by cell. Pure. */
export function distributionOf(items: readonly ExperimentItem[], figure: CellFigure): DistributionReply {
  return {
    figure,
    cells: itemsByCell(items).map((members, index) => ({
      ...{ cell: index + 1, model: members[0]?.model ?? '' },
      values: members.flatMap((item) => valueOfItem(item, figure)).sort((a, b) => a.value - b.value),
    })),
  };
}

function valueOfItem({ result, run_id }: ExperimentItem, figure: CellFigure): FigureValue[] {
  const value = result?.[figure];
  const passed = result && hasPassed(result);
  if (value === undefined || passed === undefined || run_id === undefined) return [];
  return [{ value, run_id, passed }];
}
