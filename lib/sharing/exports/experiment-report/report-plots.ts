import { scaleLinear, scaleLog } from 'd3-scale';
import type { ExperimentCell } from '../../../api/experiment-cells.ts';
import { ENDING_STYLES } from '../../../browser/plots/ending-styles.ts';
import { labeledTicks } from '../../../browser/plots/labeled-ticks.ts';
import { patternsOf, TEXTURE_LINES, TEXTURE_TILE_PX } from '../../../browser/plots/textures.ts';
import { formatDuration, formatPercent } from '../../../browser/words/format.ts';
import { intervalWords } from '../../../browser/words/rate-words.ts';
import { OUTCOMES } from '../../../events/outcome.ts';
import type { OutcomeKind } from '../../../events/termination.ts';
import { keysOf } from '../../../util/records.ts';
import { shortMiddle } from '../../../util/short-text.ts';
import { type Html, html } from './html.ts';

/** Width of every plot, in SVG user units; a plot is scaled to the page. */
const WIDTH = 760;
const LABEL_WIDTH = 290;
const ROW = 24;
const TOP = 8;
const AXIS = 26;
const LABEL_CHARS = 36;

/** A cell and its readable name. */
export interface NamedCell {
  cell: ExperimentCell;
  name: string;
}

/** Pass rates as dots with their 95% intervals, a row per cell that links to its runs. */
export function passRatePlot(cells: readonly NamedCell[]): Html {
  const x = scaleLinear([0, 1], [LABEL_WIDTH, WIDTH - 16]);
  const rows = cells.map(({ cell, name }, index) => {
    const y = TOP + ROW * (index + 0.5);
    const { rate } = cell;
    return html`${rowLabel(name, cell.cell, y)}${
      rate
        ? html`<line class="interval" x1="${x(rate.low)}" x2="${x(rate.high)}" y1="${y}" y2="${y}"/><circle class="dot" cx="${x(rate.value)}" cy="${y}" r="4.5"><title>${name}: ${formatPercent(rate.value)} (${intervalWords(rate)})</title></circle>`
        : html`<text class="quiet" x="${x(0)}" y="${y + 4}">no verdict</text>`
    }`;
  });
  const bottom = TOP + ROW * cells.length;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`<line class="grid" x1="${x(share)}" x2="${x(share)}" y1="${TOP}" y2="${bottom}"/><text class="tick" x="${x(share)}" y="${bottom + 17}">${formatPercent(share)}</text>`,
  );
  return plot('Pass rate by cell, with 95% intervals', bottom + AXIS, [...ticks, ...rows]);
}

/** How the runs of each cell ended, as shares of a bar. */
export function endingsPlot(cells: readonly NamedCell[]): Html {
  const kinds = endingKinds(cells);
  const x = scaleLinear([0, 1], [LABEL_WIDTH, WIDTH - 16]);
  const rows = cells.map(({ cell, name }, index) => {
    const y = TOP + ROW * index;
    // Runs without a reply have no ending here (decision 77).
    const ended = cell.done - cell.not_run;
    const total = Math.max(1, ended);
    let before = 0;
    const parts = kinds.flatMap((kind) => {
      const count = cell.endings[kind] ?? 0;
      if (count === 0) return [];
      const [left, right] = [x(before / total), x((before + count) / total)];
      before += count;
      const { color, texture } = ENDING_STYLES[kind];
      const place = html`x="${left}" y="${y + 4}" width="${right - left}" height="${ROW - 8}"`;
      return [
        html`<rect class="plot-${color}" ${place}><title>${name}: ${OUTCOMES[kind].label} ${count} of ${ended}</title></rect>`,
        ...(texture === 'solid' ? [] : [html`<rect class="over" fill="url(#${texture})" ${place}/>`]),
      ];
    });
    return html`${rowLabel(name, cell.cell, y + ROW / 2)}${parts}`;
  });
  const legend = kinds.map((kind) => {
    const { color, texture } = ENDING_STYLES[kind];
    return html`<li><span class="swatch plot-${color} ${texture}"></span>${OUTCOMES[kind].label}</li>`;
  });
  const patterns = patternsOf(kinds.map((kind) => ENDING_STYLES[kind].texture)).map(
    (texture) =>
      html`<pattern id="${texture}" width="${TEXTURE_TILE_PX}" height="${TEXTURE_TILE_PX}" patternUnits="userSpaceOnUse"><path class="ground" d="${TEXTURE_LINES[texture]}"/></pattern>`,
  );
  const defs = html`<defs>${patterns}</defs>`;
  return html`${plot('How the runs of each cell ended', TOP + ROW * cells.length + 8, [defs, ...rows])}<ul class="legend">${legend}</ul>`;
}

/** Pass rates against the median duration, on a logarithmic scale. */
export function speedPlot(cells: readonly NamedCell[]): Html | undefined {
  const points = cells.flatMap(({ cell, name }) => {
    const seconds = cell.figures.seconds?.median;
    return cell.rate && seconds !== undefined && seconds > 0
      ? [{ cell, name, seconds, rate: cell.rate }]
      : [];
  });
  if (points.length < 2) return undefined;
  const all = points.map(({ seconds }) => seconds);
  const x = scaleLog([Math.min(...all) * 0.8, Math.max(...all) * 1.25], [56, WIDTH - 16]);
  const y = scaleLinear([0, 1], [260, TOP]);
  const grid = [0, 0.5, 1].map(
    (share) =>
      html`<line class="grid" x1="56" x2="${WIDTH - 16}" y1="${y(share)}" y2="${y(share)}"/><text class="tick end" x="48" y="${y(share) + 4}">${formatPercent(share)}</text>`,
  );
  const ends = { ticks: () => [Math.min(...all), Math.max(...all)] };
  const ticks = labeledTicks(ends, 2, (seconds) => formatDuration(seconds * 1000)).map(
    ({ value, label }) => html`<text class="tick" x="${x(value)}" y="278">${label}</text>`,
  );
  const dots = points.map(
    ({ cell, name, seconds, rate }) =>
      html`<a href="#cell-${cell.cell}"><circle class="dot" cx="${x(seconds)}" cy="${y(rate.value)}" r="5"><title>${name}: ${formatPercent(rate.value)}, ${formatDuration(seconds * 1000)}</title></circle><text class="tick start" x="${x(seconds) + 8}" y="${y(rate.value) + 4}">${cell.cell}</text></a>`,
  );
  return plot('Pass rate against median duration; dots are labeled with their cell', 288, [
    ...grid,
    ...ticks,
    ...dots,
  ]);
}

/** The outcomes that occur, in the order of `OUTCOMES`. */
export function endingKinds(cells: readonly NamedCell[]): OutcomeKind[] {
  const found = new Set(cells.flatMap(({ cell }) => Object.keys(cell.endings)));
  return keysOf(OUTCOMES).filter((kind) => found.has(kind));
}

function rowLabel(name: string, cell: number, y: number): Html {
  return html`<a href="#cell-${cell}"><text class="label" x="${LABEL_WIDTH - 12}" y="${y + 4}">${shortMiddle(name, LABEL_CHARS)}<title>${name}</title></text></a>`;
}

function plot(title: string, height: number, parts: readonly Html[]): Html {
  return html`<figure><figcaption>${title}</figcaption><div class="scrolls" tabindex="0" role="region" aria-label="${title}"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}. The table below has the figures.">${parts}</svg></div></figure>`;
}
