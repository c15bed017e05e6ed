import type { ExperimentSummary } from '../api/experiment.ts';
import type { ExperimentCell } from '../api/experiment-cells.ts';
import type { ListedStudy } from '../api/study.ts';
import { formatDuration, formatPercent } from '../browser/words/format.ts';
import { variationWords } from '../browser/words/option-words.ts';
import { intervalWords } from '../browser/words/rate-words.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import { plural } from '../util/numbers.ts';
import { tableLines } from './table.ts';

/** Decimals of a percentage: usually, and as many as a double has. */
const MIN_DIGITS = 2;
const MAX_DIGITS = 15;

/** `Exp1  running  12 of 40 runs, 1 did not run  Windows` */
export function statusLine(experiment: ExperimentSummary): string {
  return plainVisibleLine(statusCells(experiment).join('  '));
}

/**
 * The same for several, in columns.
 *
 * @param columns the width of the terminal; default: no limit
 */
export function statusLines(experiments: readonly ExperimentSummary[], columns?: number): string[] {
  return tableLines(experiments.map(statusCells), { columns, shortensLast: true });
}

function statusCells({ id, name, status, done, failed, not_run = 0, total }: ExperimentSummary): string[] {
  const progress = `${done + failed} of ${plural(total, 'run')}`;
  const notRun = failed + not_run;
  return [id, status, notRun > 0 ? `${progress}, ${notRun} did not run` : progress, name];
}

/**
 * The results by cell as a table with one line per cell.
 *
 * @param columns the width of the terminal; default: no limit
 */
export function cellLines(cells: readonly ExperimentCell[], columns?: number): string[] {
  const head = ['cell', 'passed', 'rate', '95% interval', 'median duration', 'model and settings'];
  const rows = cells.map((cell) => {
    const { rate, figures } = cell;
    const settings = variationWords(cell, cell.sent);
    return [
      String(cell.cell),
      `${cell.passed}/${cell.judged}`,
      rate ? formatPercent(rate.value) : '–',
      rate ? intervalWords(rate) : '–',
      figures.seconds ? formatDuration(figures.seconds.median * 1000) : '–',
      [cell.model, settings].filter(Boolean).join(', '),
    ];
  });
  return tableLines(rows, { head, columns });
}

/** Cells below a pass rate, and cells without a verdict, as sentences. */
export function missedLines(cells: readonly ExperimentCell[], failUnder: number): string[] {
  return cells.flatMap((cell) => {
    const name = [cell.model, variationWords(cell, cell.sent)].filter(Boolean).join(', ');
    if (!cell.rate)
      return [plainVisibleLine(`Cell ${cell.cell} (${name}) has no run that passed or failed.`)];
    if (cell.rate.value >= failUnder) return [];
    const runs = `${cell.passed} of ${plural(cell.judged, 'run')}`;
    const rates = belowWords(cell.rate.value, failUnder);
    return [plainVisibleLine(`Cell ${cell.cell} (${name}) passed ${runs}: ${rates}.`)];
  });
}

/** A rate and the threshold above it, with enough digits to distinguish them: `66.667%, below 66.67%`. */
function belowWords(rate: number, threshold: number): string {
  let digits = MIN_DIGITS;
  const percent = (share: number) => `${Number((share * 100).toFixed(digits))}%`;
  while (percent(rate) === percent(threshold) && digits < MAX_DIGITS) digits += 1;
  return `${percent(rate)}, below ${percent(threshold)}`;
}

/** A study in a list: its name, its question, and how many runs it has. */
export function studyLines({ name, title, question, runs }: ListedStudy): string[] {
  return [
    plainVisibleLine(`${name}  ${title}`),
    plainVisibleLine(`    ${question}`),
    `    ${plural(runs.full, 'run')} per model, ${runs.small} with --small`,
  ];
}
