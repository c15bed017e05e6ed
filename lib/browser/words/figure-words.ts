import type { CellFigure, ExperimentCell } from '../../api/experiment-cells.ts';
import { formatUsd } from '../../util/format-usd.ts';
import { formatCount, formatDuration, formatRate, formatShortCount, runsOf } from './format.ts';

interface FigureWords {
  readonly label: string;
  readonly format: (value: number) => string;
}

/** A count, or a mean of counts with one decimal. */
const count = (value: number) => (Number.isInteger(value) ? formatCount(value) : value.toFixed(1));
const seconds = (value: number) => formatDuration(value * 1000);

/** The figures of a run in experiments, as pages name and show them. */
export const FIGURE_WORDS: Readonly<Record<CellFigure, FigureWords>> = {
  seconds: { label: 'Duration', format: seconds },
  iterations: { label: 'Iterations', format: count },
  attempts: { label: 'Attempts', format: count },
  model_calls: { label: 'Model calls', format: count },
  tool_calls: { label: 'Tool calls', format: count },
  failed_tool_calls: { label: 'Failed tool calls', format: count },
  calls_native: { label: 'Native calls', format: count },
  calls_json: { label: 'Calls as JSON in text', format: count },
  calls_xml: { label: 'Calls as XML in text', format: count },
  repairs: { label: 'Repairs', format: count },
  coercions: { label: 'Coercions', format: count },
  refused_calls: { label: 'Refused calls', format: count },
  malformed_replies: { label: 'Malformed replies', format: count },
  nudges: { label: 'Nudges', format: count },
  retries: { label: 'Retries', format: count },
  cut_offs: { label: 'Cut-offs', format: count },
  overflows: { label: 'Overflows', format: count },
  prompt_tokens_estimated: { label: 'Prompt tokens, estimated', format: formatShortCount },
  prompt_tokens_measured: { label: 'Prompt tokens, measured', format: formatShortCount },
  tokens_in: { label: 'Tokens in', format: formatShortCount },
  tokens_out: { label: 'Tokens out', format: formatShortCount },
  tokens_per_second: { label: 'tok/s', format: formatRate },
  cost_usd: { label: 'Cost', format: formatUsd },
  opinions_judged: { label: 'Opinions with a verdict', format: count },
  opinions_passed: { label: 'Opinions that say pass', format: count },
};

type CellFigures = Pick<ExperimentCell, 'figures' | 'judged'>;

/**
 * A figure of a cell: its median with the quartiles, marked where tokens are estimated, and the runs that have it if
 * others do not: `≈1.2k (1k to 1.4k)`, `41, 3 of 5 runs`. Pure.
 */
export function figureWords(
  cell: CellFigures & Pick<ExperimentCell, 'tokens_estimated'>,
  name: CellFigure,
): string {
  const summary = cell.figures[name];
  if (!summary) return '–';
  const { format } = FIGURE_WORDS[name];
  const { median, low, high } = summary;
  const words = low === high ? format(median) : `${format(median)} (${format(low)} to ${format(high)})`;
  return [`${estimateMark(cell, name)}${words}`, runsWithFigure(cell, name)].filter(Boolean).join(', ');
}

/** How many of the judged runs of a cell have a figure; `undefined` if all or none of them do. Pure. */
export function runsWithFigure({ figures, judged }: CellFigures, name: CellFigure): string | undefined {
  const { runs } = figures[name] ?? { runs: judged };
  return runs < judged ? runsOf(runs, judged) : undefined;
}

/** `≈` before counts of tokens that include estimates (T8). */
export function estimateMark(
  { tokens_estimated: estimated }: { tokens_estimated?: number },
  name: string,
): string {
  return (estimated ?? 0) > 0 && (name === 'tokens_in' || name === 'tokens_out') ? '≈' : '';
}
