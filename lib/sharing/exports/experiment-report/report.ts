import type { ExperimentItem, ExperimentSummary } from '../../../api/experiment.ts';
import { notRunLines } from '../../../browser/words/not-run-words.ts';
import { variationWords } from '../../../browser/words/option-words.ts';
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

/** Cells that are drawn; the tables have them all. */
const MAX_DRAWN = 60;

/** Nothing is loaded and nothing runs: the style is the only part that is not text. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The report of an experiment as one HTML page without scripts that needs no network: plots, tables, provenance, the plan
 * and the runs. The texts of models are not in it. Pure.
 *
 * @param options.redaction what to mask in names and in the plan; `undefined` masks nothing
 */
export function experimentReport(
  { experiment, items }: { experiment: ExperimentSummary; items: readonly ExperimentItem[] },
  { redaction, version }: { redaction: RedactorOptions | undefined; version: string },
): string {
  const redactor = redaction && createRedactor(redaction);
  const masked = (text: string) => redactor?.text(text) ?? text;
  const cells = cellsOf(items).map(
    (cell): NamedCell => ({
      cell,
      name: masked(
        `${cell.cell}: ${[cell.model, variationWords(cell, cell.sent)].filter(Boolean).join(', ')}`,
      ),
    }),
  );
  const drawn = cells.slice(0, MAX_DRAWN);
  const grid = caseTable(cells, items, masked);
  const speed = speedPlot(drawn);
  const body = html`<h1>${masked(experiment.name)}</h1>
<p class="quiet">${masked(factsOf(experiment, items, version))}</p>
<h2>Pass rates</h2>
<p>${passWords(cells)}</p>${notRun(cells, masked)}
${passRatePlot(drawn)}${notDrawn(cells)}${rateTable(cells)}
${grid ? html`<h2>Cases</h2>${grid}` : html``}
<h2>Endings</h2>${endingsPlot(drawn)}${endingTable(cells)}
${speed ? html`<h2>Speed</h2>${speed}` : html``}
<h2>Figures</h2>${figureTable(cells)}
<h2>Provenance</h2>${provenanceTable(cells, masked)}
<h2>Plan</h2><p>Save it as a file and run it with <code>npx loupe experiment run FILE</code>.</p>
<pre>${masked(writePlanFile(experiment.plan))}</pre>
<h2>Runs</h2>${runTables(cells, items, masked)}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${html`${masked(experiment.name)}`.text} · Loupe</title>
<style>${REPORT_STYLE}</style></head><body><main>
${body.text}
</main></body></html>
`;
}

function factsOf(
  { created_at, done, failed, total, status, suite }: ExperimentSummary,
  items: readonly ExperimentItem[],
  version: string,
): string {
  const models = new Set(items.map(({ model }) => model)).size;
  return [
    `${new Date(created_at).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    plural(models, 'model'),
    ...(suite ? [`suite ${suite.name} (${plural(suite.cases, 'case')}, ${suite.hash.slice(0, 12)})`] : []),
    `${done + failed} of ${plural(total, 'run')} done${status === 'finished' ? '' : ` (${status})`}`,
    `Loupe ${version}`,
  ].join(' · ');
}

function passWords(cells: readonly NamedCell[]): string {
  return cells.some(({ cell }) => cell.checked > 0)
    ? 'A run passes if it ends with a complete answer and all its checks pass. Intervals are Wilson intervals.'
    : 'Without checks, every run that ends by itself with a complete result counts as passed. Intervals are Wilson intervals.';
}

function notRun(cells: readonly NamedCell[], masked: (text: string) => string): Html {
  return html`${notRunLines(cells.map(({ cell }) => cell)).map((line) => html`<p>${masked(line)}</p>`)}`;
}

function notDrawn(cells: readonly NamedCell[]): Html {
  if (cells.length <= MAX_DRAWN) return html``;
  return html`<p class="quiet">The plots show the first ${MAX_DRAWN} of ${cells.length} cells.</p>`;
}
