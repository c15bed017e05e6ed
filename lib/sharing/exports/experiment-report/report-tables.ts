import type { ExperimentItem } from '../../../api/experiment.ts';
import { CELL_FIGURES, type CellFigure, type ExperimentCell } from '../../../api/experiment-cells.ts';
import { DID_NOT_RUN, didRun, hasPassed, outcomeOfResult } from '../../../api/result-outcome.ts';
import { estimateMark, runsWithFigure } from '../../../browser/words/figure-words.ts';
import { formatPercent } from '../../../browser/words/format.ts';
import { intervalWords } from '../../../browser/words/rate-words.ts';
import { OUTCOMES } from '../../../events/outcome.ts';
import { itemsByCell } from '../../../experiments/cells.ts';
import { caseGrid } from '../../../experiments/plots.ts';
import { plural } from '../../../util/numbers.ts';
import { type Html, html } from './html.ts';
import { endingKinds, type NamedCell } from './report-plots.ts';

/** Max runs listed; the CSV file has all of them. */
const MAX_LISTED_RUNS = 2000;

/** Pass rates, intervals and pass@k of every cell. */
export function rateTable(cells: readonly NamedCell[]): Html {
  const tries = Math.max(1, ...cells.map(({ cell }) => cell.pass_k.at(-1)?.k ?? 1));
  const rows = cells.map(({ cell, name }) => {
    const k = cell.pass_k.find((each) => each.k === tries);
    return html`<tr><th scope="row"><a href="#cell-${cell.cell}">${name}</a></th>${numbers([
      `${cell.passed} of ${cell.judged}`,
      cell.rate ? formatPercent(cell.rate.value) : '–',
      cell.rate ? intervalWords(cell.rate) : '–',
      cell.judged === 0 ? '–' : formatPercent(cell.first_try / cell.judged),
      ...(tries > 1 ? [k ? formatPercent(k.pass_at_k) : '–', k ? formatPercent(k.pass_hat_k) : '–'] : []),
      String(cell.runs - cell.judged),
    ])}</tr>`;
  });
  return table(
    'Pass rates by cell',
    ['Cell'],
    [
      ...['Passed', 'Pass rate', '95% interval', 'First try'],
      ...(tries > 1 ? [`pass@${tries}`, `pass^${tries}`] : []),
      'Not judged',
    ],
    rows,
  );
}

/** Every figure of every cell: medians with their quartiles. */
export function figureTable(cells: readonly NamedCell[]): Html {
  const shown = CELL_FIGURES.filter((figure) => cells.some(({ cell }) => cell.figures[figure]));
  const rows = shown.map(
    (figure) =>
      html`<tr><th scope="row"><code>${figure}</code></th>${numbers(cells.map(({ cell }) => quartiles(cell, figure)))}</tr>`,
  );
  return table(
    'Medians over the judged runs of a cell, with quartiles in brackets, and with the number of runs that have a figure if some have not',
    ['Figure'],
    cells.map(({ cell }) => String(cell.cell)),
    rows,
  );
}

/** How many runs of each cell ended in which way. */
export function endingTable(cells: readonly NamedCell[]): Html {
  const kinds = endingKinds(cells);
  const rows = cells.map(
    ({ cell, name }) =>
      html`<tr><th scope="row">${name}</th>${numbers(kinds.map((kind) => String(cell.endings[kind] ?? 0)))}</tr>`,
  );
  return table(
    'Endings by cell',
    ['Cell'],
    kinds.map((kind) => OUTCOMES[kind].label),
    rows,
  );
}

/** How many runs of each case passed in each cell; empty without cases. */
export function caseTable(cells: readonly NamedCell[], items: readonly ExperimentItem[]): Html | undefined {
  const ids = [...new Set(items.flatMap((item) => item.case ?? []))];
  if (ids.length === 0) return undefined;
  const { cases } = caseGrid(
    items,
    ids.map((id) => ({ id })),
  );
  const rows = cases.map(({ id, squares }) => {
    const shown = squares.map((square) => {
      if (!square || square.judged === 0) return html`<td class="n">–</td>`;
      const { passed, judged } = square;
      const tone = passed === judged ? 'pass' : passed === 0 ? 'none' : 'some';
      return html`<td class="n ${tone}">${passed}/${judged}</td>`;
    });
    return html`<tr><th scope="row">${id}</th>${shown}</tr>`;
  });
  return table(
    'Passed runs by case and cell',
    ['Case'],
    cells.map(({ cell }) => String(cell.cell)),
    rows,
  );
}

/** What served each cell: one line per version of model and server. */
export function provenanceTable(cells: readonly NamedCell[], masked: (text: string) => string): Html {
  const names = [
    ...new Set(cells.flatMap(({ cell }) => cell.provenance.flatMap((each) => Object.keys(each)))),
  ];
  const rows = cells.flatMap(({ cell, name }) =>
    cell.provenance.map((each) => {
      const facts = new Map(Object.entries(each));
      return html`<tr><th scope="row">${name}</th>${names.map((fact) => html`<td><code>${masked(text(facts.get(fact)))}</code></td>`)}</tr>`;
    }),
  );
  return table('Models and servers as they were', ['Cell', ...names], [], rows);
}

/** The runs of every cell; the numbers in the other tables link here. */
export function runTables(cells: readonly NamedCell[], items: readonly ExperimentItem[]): Html {
  const byCell = itemsByCell(items);
  const withCases = items.some((item) => item.case !== undefined);
  let room = MAX_LISTED_RUNS;
  const parts = cells.map(({ cell, name }) => {
    const members = byCell[cell.cell - 1] ?? [];
    const listed = members.slice(0, room);
    room -= listed.length;
    const rows = listed.map((item) => runRow(item, withCases));
    const left = members.length - listed.length;
    const more =
      left > 0
        ? html`<p class="quiet">${plural(left, 'more run')} ${left === 1 ? 'is' : 'are'} in the results as CSV.</p>`
        : html``;
    return html`<h3 id="cell-${cell.cell}">${name}</h3>${table(plural(members.length, 'run'), ['Run', ...(withCases ? ['Case'] : []), 'Outcome'], ['Seed', 'Repeat', 'Duration (s)', 'Tokens out'], rows)}${more}`;
  });
  return html`${parts}`;
}

function runRow(
  { run_id, case: id, seed, repeat, result, error, status }: ExperimentItem,
  withCases: boolean,
): Html {
  const outcome = outcomeLabel({ result, error, status });
  const verdict = result && hasPassed(result);
  const tone = verdict === undefined ? '' : verdict ? 'pass' : 'none';
  return html`<tr><th scope="row"><code>${run_id ?? '–'}</code></th>${withCases ? html`<td>${id ?? ''}</td>` : html``}<td class="${tone}">${outcome}</td>${numbers(
    [
      text(seed),
      String(repeat),
      result ? result.seconds.toFixed(1) : '–',
      result ? `${estimateMark(result, 'tokens_out')}${result.tokens_out}` : '–',
    ],
  )}</tr>`;
}

function outcomeLabel({
  result,
  error,
  status,
}: Pick<ExperimentItem, 'result' | 'error' | 'status'>): string {
  if (!result) return error?.message ?? status;
  return didRun(result) ? OUTCOMES[outcomeOfResult(result).kind].label : DID_NOT_RUN;
}

function quartiles(cell: ExperimentCell, figure: CellFigure): string {
  const summary = cell.figures[figure];
  if (!summary) return '–';
  const [median, low, high] = [summary.median, summary.low, summary.high].map(shortNumber);
  const words = low === high ? median : `${median} (${low} to ${high})`;
  return [`${estimateMark(cell, figure)}${words}`, runsWithFigure(cell, figure)].filter(Boolean).join(', ');
}

function shortNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  // `toPrecision` would write 1234.5 as 1.23e+3.
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toPrecision(3);
}

function text(value: unknown): string {
  return value === undefined ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const numbers = (values: readonly string[]) => values.map((value) => html`<td class="n">${value}</td>`);

function table(
  caption: string,
  words: readonly string[],
  figures: readonly string[],
  rows: readonly Html[],
): Html {
  const head = [
    ...words.map((word) => html`<th scope="col">${word}</th>`),
    ...figures.map((figure) => html`<th scope="col" class="n">${figure}</th>`),
  ];
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
