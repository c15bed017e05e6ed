'use client';

import { Download } from 'lucide-react';
import type { ExplorationsReply } from '#lib/api/explorations.ts';
import { diversityMeasureWords, noveltyMeasureWords } from '#lib/browser/plots/plot-words.ts';
import { formatCount, formatPercent } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { CycleRow } from '#lib/events/cycle-table.ts';
import { useApi } from '../../hooks/use-api.ts';
import { LineBand } from '../../plots/line-band.tsx';
import { MatrixPlot } from '../../plots/matrix-plot.tsx';
import { PLOT_COLORS } from '../../plots/palette.ts';
import { DownloadLink } from '../../ui/download-link.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { CycleRows } from './cycle-rows.tsx';
import { SimilarityPlot } from './similarity-plot.tsx';

const HEIGHT_PX = 170;
/** More lines could not be distinguished. */
const MAX_LINES = PLOT_COLORS.length;
const GOING_MS = 5000;

/**
 * Several explorations side by side: their cycles, and how alike their reflections are within each run and between runs.
 * Needs only the identifiers of the runs, and a mark for each, so that any page can show it.
 */
export function Explorations({
  ids,
  mark,
}: {
  ids: readonly string[];
  /** The name of a run in plots, by its position: a letter or a short name. */
  mark: (index: number) => string;
}) {
  const query = new URLSearchParams(ids.map((id) => ['run', id]));
  const { data, error } = useApi<ExplorationsReply>(`/api/explorations?${query}`, (last) =>
    last?.runs.some(({ run }) => run.phase !== 'ended') ? GOING_MS : undefined,
  );
  if (error && !data) return <ErrorLine error={error} />;
  if (!data) return <p className="min-h-40 text-sm text-ink-3">Reading the cycles…</p>;
  return (
    <div className="grid gap-6">
      <DownloadLink
        href={`/api/explorations?${query}&format=csv`}
        className="inline-flex min-h-6 items-center gap-1.5 justify-self-start text-sm text-brass underline-offset-2 hover:underline max-sm:min-h-11 print:hidden"
      >
        <Download className="size-3.5" aria-hidden="true" />
        Cycles as CSV
      </DownloadLink>
      <Shown reply={data} mark={mark} />
    </div>
  );
}

function Shown({ reply, mark }: { reply: ExplorationsReply; mark: (index: number) => string }) {
  const { runs, similarity, by_run: byRun } = reply;
  const tables = runs.map(({ table }) => table);
  return (
    <>
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <CyclesPlot
          reply={reply}
          mark={mark}
          title="Diversity of all reflections so far"
          unit={diversityMeasureWords(tables)}
          of={({ diversity }) => diversity}
          format={formatPercent}
          max={1}
        />
        <CyclesPlot
          reply={reply}
          mark={mark}
          title="Novelty against the last reflections"
          unit={noveltyMeasureWords(tables)}
          of={({ novelty }) => novelty}
          format={formatPercent}
          max={1}
        />
        <CyclesPlot
          reply={reply}
          mark={mark}
          title="Memory"
          unit="characters"
          of={(row) => row.memory_chars}
          format={formatCount}
        />
        <CyclesPlot
          reply={reply}
          mark={mark}
          title="Tool calls"
          of={(row) => row.tool_calls}
          format={formatCount}
        />
        <SimilarityPlot
          title="Similarity across runs"
          matrix={similarity}
          name={({ run, cycle }) => `${mark(run)}, cycle ${formatCount(cycle)}`}
          label={({ run, cycle }) => `${mark(run)} ${formatCount(cycle)}`}
        />
        <MatrixPlot
          title="Mean similarity by run"
          unit="within a run on the diagonal"
          values={byRun}
          label={mark}
          describe={(index) => byRunWords(byRun[index] ?? [], index, mark)}
          table={{
            head: ['Run', ...runs.map((_, index) => mark(index))],
            rows: () =>
              byRun.map((row, index) => ({
                key: String(index),
                cells: [mark(index), ...row.map((value) => (value === null ? '' : formatPercent(value)))],
              })),
          }}
        />
      </div>
      {runs.map(({ run, table }, index) => (
        <section key={run.id} className="grid min-w-0 gap-1">
          <h3 className="foreign text-sm font-medium">
            <span className="font-mono">{mark(index)}</span> <ForeignText text={shortLine(run.title, 80)} />
          </h3>
          <CycleRows label={`Cycles of ${mark(index)}`} table={table} />
        </section>
      ))}
    </>
  );
}

function byRunWords(row: readonly (number | null)[], own: number, mark: (index: number) => string): string {
  const words = row.flatMap((value, index) =>
    value === null ? [] : [`${formatPercent(value)} ${index === own ? 'within' : `like ${mark(index)}`}`],
  );
  return `${mark(own)}: ${words.join(', ') || 'not measured'}`;
}

/** One figure of each cycle, a line per run. */
function CyclesPlot({
  reply: { runs },
  mark,
  title,
  unit,
  of,
  format,
  max,
}: {
  reply: ExplorationsReply;
  mark: (index: number) => string;
  title: string;
  unit?: string;
  of: (row: CycleRow) => number | undefined;
  format: (value: number) => string;
  max?: number;
}) {
  const columns = runs.reduce((most, { table }) => Math.max(most, table.rows.length), 0);
  const valueAt = (run: number, index: number) => {
    const row = runs[run]?.table.rows[index];
    return row && of(row);
  };
  const words = (run: number, index: number) => {
    const value = valueAt(run, index);
    return value === undefined ? '' : format(value);
  };
  return (
    <LineBand
      title={`${title} by cycle`}
      unit={unit}
      note={runs.length > MAX_LINES ? `The first ${MAX_LINES} runs; the table has all.` : undefined}
      height={HEIGHT_PX}
      max={max}
      columns={columns}
      lines={runs.slice(0, MAX_LINES).map(({ table }, run) => ({
        label: mark(run),
        color: PLOT_COLORS[run] ?? PLOT_COLORS[0],
        points: table.rows.map((row) => {
          const value = of(row);
          return value === undefined ? undefined : { low: value, value, high: value };
        }),
      }))}
      label={(index) => formatCount(index + 1)}
      format={format}
      describe={(index) =>
        `Cycle ${formatCount(index + 1)}: ${
          runs
            .flatMap((_, run) => (words(run, index) === '' ? [] : [`${mark(run)} ${words(run, index)}`]))
            .join(', ') || 'not measured'
        }`
      }
      empty="Not measured yet."
      table={{
        head: ['Cycle', ...runs.map((_, run) => mark(run))],
        rows: () =>
          Array.from({ length: columns }, (_, index) => ({
            key: String(index),
            cells: [formatCount(index + 1), ...runs.map((_, run) => words(run, index))],
          })),
      }}
    />
  );
}
