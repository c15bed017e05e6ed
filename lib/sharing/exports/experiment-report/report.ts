import type { ExperimentItem, ExperimentSummary } from '../../../api/experiment.ts';
import { leftOutLines, notRunLines, openLines } from '../../../browser/words/not-run-words.ts';
import { variationWords } from '../../../browser/words/option-words.ts';
import { missingCasesNote, repeatedRatesNote } from '../../../browser/words/rate-words.ts';
import { cellsOf } from '../../../experiments/cells.ts';
import { writePlanFile } from '../../../experiments/plan-file.ts';
import { plural } from '../../../util/numbers.ts';
import { createRedactor, type RedactorOptions } from '../../redaction/redactor.ts';
import { type Html, html } from './html.ts';
import { endingsPlot, type NamedCell, passRatePlot, speedPlot } from './report-plots.ts';
import { REPORT_STYLE } from './report-style.ts';
import {
  caseTable,
  endingTable,
  figureTable,
  provenanceTable,
  rateTable,
  runTables,
} from './report-tables.ts';

/** Max cells in plots; the tables have all of them. */
const MAX_DRAWN = 60;

type Mask = (text: string) => string;

/** Content policy: nothing is loaded or executed, and only the inline style is allowed. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The report of an experiment as one HTML page without scripts that needs no network: plots, tables, provenance, the plan
 * and the runs. Texts of models are not included. Pure.
 *
 * @param options.redaction what to mask in names and in the plan; `undefined` masks nothing
 */
export function experimentReport(
  found: { experiment: ExperimentSummary; items: readonly ExperimentItem[] },
  { redaction, version }: { redaction: RedactorOptions | undefined; version: string },
): string {
  const redactor = redaction && createRedactor(redaction);
  const masked: Mask = (text) => redactor?.text(text) ?? text;
  const { experiment } = found;
  // First, because a password in the plan may also be part of a name.
  const plan = masked(writePlanFile(experiment.plan));
  const items = found.items.map((item) => maskedItem(item, masked));
  const cells = cellsOf(items).map(
    (cell): NamedCell => ({
      cell,
      name: masked(
        `${cell.cell}: ${[cell.model, variationWords(cell, cell.sent)].filter(Boolean).join(', ')}`,
      ),
    }),
  );
  const drawn = cells.slice(0, MAX_DRAWN);
  const grid = caseTable(cells, items);
  const speed = speedPlot(drawn);
  const ran = cells.some(({ cell }) => cell.done > cell.not_run);
  const body = html`<h1>${masked(experiment.name)}</h1>
<p class="quiet">${factsOf(experiment, items, { version, masked })}</p>
<h2>Pass rates</h2>
<p>${passWords(cells)}</p>${notJudged(cells)}
${passRatePlot(drawn)}${notDrawn(cells)}${rateTable(cells)}
${grid ? html`<h2>Cases</h2>${grid}` : html``}
${
  ran
    ? html`<h2>Endings</h2>${endingsPlot(drawn)}${endingTable(cells)}
${speed ? html`<h2>Speed</h2>${speed}` : html``}
<h2>Figures</h2>${figureTable(cells)}
<h2>Provenance</h2>${provenanceTable(cells, masked)}`
    : html``
}
<h2>Plan</h2><p>Save it as a file and run it with <code>npx loupe experiment run FILE</code>.</p>
<pre>${plan}</pre>
<h2>Runs</h2>${runTables(cells, items)}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${html`${masked(experiment.name)}`.text} · Loupe</title>
<style>${REPORT_STYLE}</style></head><body><main>
${body.text}
</main></body></html>
`;
}

/** An item with its texts as the report shows them. */
function maskedItem(item: ExperimentItem, masked: Mask): ExperimentItem {
  const { case: id, error, result } = item;
  return {
    ...item,
    ...(id === undefined ? {} : { case: masked(id) }),
    ...(error && { error: { ...error, message: masked(error.message) } }),
    ...(result && { result: { ...result, message: masked(result.message) } }),
  };
}

function factsOf(
  { created_at, done, failed, total, status, suite }: ExperimentSummary,
  items: readonly ExperimentItem[],
  { version, masked }: { version: string; masked: Mask },
): string {
  const models = new Set(items.map(({ model }) => model)).size;
  return [
    `${new Date(created_at).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    plural(models, 'model'),
    ...(suite
      ? [`suite ${masked(suite.name)} (${plural(suite.cases, 'case')}, ${suite.hash.slice(0, 12)})`]
      : []),
    `${done + failed} of ${plural(total, 'run')} done${status === 'finished' ? '' : ` (${status})`}`,
    `Loupe ${version}`,
  ].join(' · ');
}

function passWords(cells: readonly NamedCell[]): string {
  const passes = cells.some(({ cell }) => cell.checked > 0)
    ? 'A run passes if it ends with a complete answer and all its checks pass.'
    : 'Without checks, every run that ends by itself with a complete result counts as passed.';
  const rated = cells.map(({ cell }) => cell);
  return [passes, 'Intervals are Wilson intervals.', missingCasesNote(rated), repeatedRatesNote(rated)]
    .filter(Boolean)
    .join(' ');
}

function notJudged(cells: readonly NamedCell[]): Html {
  const all = cells.map(({ cell }) => cell);
  const lines = [...openLines(all), ...leftOutLines(all), ...notRunLines(all)];
  return html`${lines.map((line) => html`<p>${line}</p>`)}`;
}

function notDrawn(cells: readonly NamedCell[]): Html {
  if (cells.length <= MAX_DRAWN) return html``;
  return html`<p class="quiet">The plots show the first ${MAX_DRAWN} of ${cells.length} cells.</p>`;
}
