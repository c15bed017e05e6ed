'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import type { ExperimentCell } from '#lib/api/experiment-cells.ts';
import { factorResponse, numericFactors } from '#lib/browser/plots/cell-series.ts';
import { formatDuration, formatPercent } from '#lib/browser/words/format.ts';
import { modelLabel, modelLabels } from '#lib/browser/words/model-label.ts';
import { valueWords, variationWords } from '#lib/browser/words/option-words.ts';
import { intervalWords, rateWords, repeatedRatesNote } from '#lib/browser/words/rate-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { OUTCOMES } from '#lib/events/outcome.ts';
import { keysOf } from '#lib/util/records.ts';
import { DotIntervals } from '../plots/dot-intervals.tsx';
import { LineBand } from '../plots/line-band.tsx';
import { modelSeries, type PlotSeries } from '../plots/model-series.ts';
import { endingColor, PLOT_COLORS } from '../plots/palette.ts';
import { ScatterDots } from '../plots/scatter-dots.tsx';
import { StackedColumns } from '../plots/stacked-columns.tsx';
import { cx } from '../ui/cx.ts';

const HEIGHT_PX = 200;
/** Max cells drawn: more could not be distinguished. */
const MAX_CELLS = 200;
const INTERVAL = 'with 95% interval';
/** Max length of a factor's name in a title. */
const FACTOR_CHARS = 28;

type Rated = ExperimentCell & { rate: NonNullable<ExperimentCell['rate']> };

/** The results as plots. Those by cell need two cells to compare. */
export function CellPlots({
  cells: all,
  hrefOf,
  cases,
  distribution,
}: {
  cells: readonly ExperimentCell[];
  /** Where the runs of a cell are listed. */
  hrefOf: (cell: number) => string;
  /** The plot of the cases of a suite. */
  cases?: ReactNode;
  /** The plot of single runs. It takes a whole row where it would leave half of one empty. */
  distribution?: ReactNode;
}) {
  const cells = useMemo(() => all.slice(0, MAX_CELLS), [all]);
  const note = all.length > MAX_CELLS ? `The first ${MAX_CELLS} of ${all.length} cells.` : undefined;
  const router = useRouter();
  const rated = useMemo(() => cells.filter((cell): cell is Rated => cell.rate !== undefined), [cells]);
  const { series, seriesOf } = useMemo(() => modelSeries(cells.map(({ model }) => model)), [cells]);
  const factors = useMemo(() => numericFactors(all), [all]);
  const comparesCells = rated.length > 0 && cells.length > 1;
  if (!comparesCells && !cases && !distribution) return null;
  const open = (shown: readonly ExperimentCell[]) => (index: number) => {
    const cell = shown[index]?.cell;
    if (cell !== undefined) router.push(hrefOf(cell));
  };
  const hasFactor = comparesCells && factors.length > 0;
  const before = (comparesCells ? 3 : 0) + (hasFactor ? 1 : 0) + (cases ? 1 : 0);
  return (
    <section
      aria-label="Plots"
      className={cx(
        'mt-6 grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-5 lg:grid-cols-2',
        // Titles stand on one line, and so do drawings, however many lines the titles take.
        'lg:*:row-span-2 lg:[&>figure]:grid lg:[&>figure]:grid-rows-subgrid lg:[&>figure]:gap-y-0',
      )}
    >
      {comparesCells && (
        <>
          <RatePlot {...{ note, series, seriesOf, open }} cells={rated} />
          <TimePlot {...{ note, series, seriesOf, open }} cells={rated} />
          <EndingsPlot note={note} cells={cells.filter(({ done, not_run }) => done > not_run)} open={open} />
          {hasFactor && <ResponsePlot cells={all} factors={factors} />}
        </>
      )}
      {cases && <div className="min-w-0">{cases}</div>}
      {distribution && (
        <div className={cx('min-w-0', before % 2 === 0 && 'lg:col-span-2')}>{distribution}</div>
      )}
    </section>
  );
}

type Open = (shown: readonly ExperimentCell[]) => (index: number) => void;

interface RatedPlot {
  note?: string;
  cells: readonly Rated[];
  series: readonly PlotSeries[];
  seriesOf: (model: string) => number;
  open: Open;
}

function RatePlot({ note, cells, series, seriesOf, open }: RatedPlot) {
  return (
    <DotIntervals
      title="Pass rate"
      unit={`by cell, ${INTERVAL}`}
      note={note}
      height={HEIGHT_PX}
      max={1}
      series={series}
      dots={cells.map((cell) => ({
        ...{ key: String(cell.cell), label: String(cell.cell), series: seriesOf(cell.model) },
        ...cell.rate,
      }))}
      format={formatPercent}
      describe={(index) => cellWords(cells[index])}
      open={open(cells)}
      table={rateTable(cells)}
    />
  );
}

function TimePlot({ note, cells, series, seriesOf, open }: RatedPlot) {
  const timed = cells
    .flatMap((cell) => (cell.figures.seconds ? [{ ...cell, seconds: cell.figures.seconds.median }] : []))
    .sort((a, b) => a.seconds - b.seconds);
  const words = (cell: (typeof timed)[number]) => formatDuration(cell.seconds * 1000);
  return (
    <ScatterDots
      title="Pass rate and duration"
      unit="median duration of a run"
      note={note}
      height={HEIGHT_PX}
      max={1}
      series={series}
      dots={timed.map((cell) => ({
        ...{
          key: String(cell.cell),
          label: String(cell.cell),
          series: seriesOf(cell.model),
          x: cell.seconds,
        },
        ...cell.rate,
      }))}
      format={formatPercent}
      describe={(index) => {
        const cell = timed[index];
        return cell ? `${cellWords(cell)}, median ${words(cell)}` : '';
      }}
      open={open(timed)}
      table={{
        head: ['Cell', 'Median duration', 'Pass rate'],
        rows: () =>
          timed.map((cell) => ({
            key: String(cell.cell),
            cells: [cellName(cell), words(cell), rateWords({ ...cell, ...cell.rate })],
          })),
      }}
    />
  );
}

function EndingsPlot({ note, cells, open }: { note?: string; cells: readonly ExperimentCell[]; open: Open }) {
  const kinds = keysOf(OUTCOMES).filter((kind) => cells.some(({ endings }) => (endings[kind] ?? 0) > 0));
  const only = kinds.length === 1 ? kinds[0] : undefined; // the plot has no legend then
  const words = ({ endings }: ExperimentCell) =>
    kinds.flatMap((kind) => (endings[kind] ? [`${OUTCOMES[kind].label} ${endings[kind]}`] : [])).join(', ');
  return (
    <StackedColumns
      title="Endings"
      unit={only ? `runs by cell, all: ${OUTCOMES[only].label}` : 'runs by cell'}
      note={note}
      height={HEIGHT_PX}
      series={kinds.map((kind) => ({ label: OUTCOMES[kind].label, color: endingColor(kind) }))}
      columns={cells.map(({ cell, endings }) => ({
        key: String(cell),
        label: String(cell),
        values: kinds.map((kind) => endings[kind] ?? 0),
      }))}
      format={(count) => (Number.isInteger(count) ? String(count) : '')}
      describe={(index) => {
        const cell = cells[index];
        return cell ? `${cellName(cell)}: ${words(cell)}` : '';
      }}
      open={open(cells)}
      table={{
        head: ['Cell', ...kinds.map((kind) => OUTCOMES[kind].label)],
        rows: () =>
          cells.map((cell) => ({
            key: String(cell.cell),
            cells: [cellName(cell), ...kinds.map((kind) => String(cell.endings[kind] ?? 0))],
          })),
      }}
    />
  );
}

/** How the pass rate depends on a factor that has numbers. */
function ResponsePlot({ cells, factors }: { cells: readonly ExperimentCell[]; factors: readonly string[] }) {
  const [chosen, setChosen] = useState<string>();
  const factor = factors.find((name) => name === chosen) ?? factors[0] ?? '';
  const { values, models, pooled } = useMemo(() => factorResponse(cells, factor), [cells, factor]);
  const shown = models.slice(0, PLOT_COLORS.length);
  const labels = modelLabels(shown.map(({ model }) => model));
  const rateOf = (model: (typeof models)[number], index: number) => {
    const rate = model.rates[index];
    return rate ? rateWords(rate) : 'no result';
  };
  return (
    <LineBand
      title={`Pass rate by ${shortLine(factor, FACTOR_CHARS)}`}
      unit={INTERVAL}
      note={[
        responseNote({ models: models.length, shown: shown.length, pooled }),
        // Of single cells, the text above the table says it.
        pooled && repeatedRatesNote(shown.flatMap(({ rates }) => rates.filter((rate) => rate !== undefined))),
      ]
        .filter(Boolean)
        .join(' ')}
      height={HEIGHT_PX}
      max={1}
      columns={values.length}
      lines={shown.map(({ rates }, index) => ({
        label: labels[index] ?? '',
        color: PLOT_COLORS[index] ?? PLOT_COLORS[0],
        points: rates,
      }))}
      label={(index) => valueWords(values[index])}
      format={formatPercent}
      describe={(index) =>
        `${factor} ${valueWords(values[index])}: ${shown
          .map((model, place) => `${labels[place]} ${rateOf(model, index)}`)
          .join(', ')}`
      }
      controls={
        factors.length > 1 && (
          <select
            aria-label="Factor"
            className="field h-8 w-auto py-0 text-xs max-sm:h-11"
            value={factor}
            onChange={(event) => setChosen(event.target.value)}
          >
            {factors.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )
      }
      table={{
        head: [factor, ...labels],
        rows: () =>
          values.map((value, index) => ({
            key: String(value),
            cells: [valueWords(value), ...shown.map((model) => rateOf(model, index))],
          })),
      }}
    />
  );
}

/** What the lines leave out or combine; empty if each point is a single cell. */
function responseNote({
  models,
  shown,
  pooled,
}: {
  models: number;
  shown: number;
  pooled: boolean;
}): string | undefined {
  if (models > shown) {
    return `The first ${shown} of ${models} models${pooled ? ', over all values of other factors.' : '.'}`;
  }
  return pooled ? 'Over all values of other factors.' : undefined;
}

/** `2: qwen3:8b, temperature 0` */
export function cellName(cell: ExperimentCell): string {
  const settings = variationWords(cell, cell.sent);
  return `${cell.cell}: ${modelLabel(cell.model)}${settings && `, ${settings}`}`;
}

function cellWords(cell: Rated | undefined): string {
  if (!cell) return '';
  const { low, value, high } = cell.rate;
  return `${cellName(cell)}: ${cell.passed} of ${cell.judged} passed, ${formatPercent(value)} (${intervalWords({ low, high })})`;
}

function rateTable(cells: readonly Rated[]) {
  return {
    head: ['Cell', 'Passed', 'Pass rate', 'Low', 'High'],
    rows: () =>
      cells.map((cell) => ({
        key: String(cell.cell),
        cells: [
          cellName(cell),
          `${cell.passed} of ${cell.judged}`,
          ...[cell.rate.value, cell.rate.low, cell.rate.high].map(formatPercent),
        ],
      })),
  };
}
