import type { CELL_FIGURES } from './experiment-cells.ts';

/** The runs of a case in a cell. */
export interface GridSquare {
  passed: number;
  judged: number;
  runs: number;
  /** Runs that a person stopped. */
  stopped: number;
  /** Runs that wait or are under way. */
  open: number;
  /** The run, if it is the only one. */
  run_id?: string;
}

/** `GET /api/experiments/{id}/grid`: the outcome of each case in each cell. */
export interface GridReply {
  cells: { cell: number; model: string }[];
  /** In the order of the suite; one square per cell, `null` where the case has no run. */
  cases: { id: string; tags: string[]; squares: (GridSquare | null)[] }[];
}

/** A run with the value of a figure. */
export interface FigureValue {
  value: number;
  run_id: string;
  passed: boolean;
}

/** `GET /api/experiments/{id}/distribution?figure=NAME`: a figure of every run that passed or failed, by cell, ascending. */
export interface DistributionReply {
  figure: (typeof CELL_FIGURES)[number];
  cells: { cell: number; model: string; values: FigureValue[] }[];
}
