'use client';

import { useMemo } from 'react';
import type { CheckHistoryReply } from '#lib/api/model-check.ts';
import type { InstalledModel } from '#lib/api/replies.ts';
import { type CheckPoint, checkPoints } from '#lib/browser/plots/check-series.ts';
import { formatBytes, formatMoment, formatPercent, formatRate } from '#lib/browser/words/format.ts';
import { modelLabel } from '#lib/browser/words/model-label.ts';
import { useApi } from '../hooks/use-api.ts';
import { DotIntervals } from '../plots/dot-intervals.tsx';
import { modelSeries } from '../plots/model-series.ts';
import { PLOT_COLORS } from '../plots/palette.ts';
import { StackedColumns } from '../plots/stacked-columns.tsx';

const HEIGHT_PX = 180;
const [GPU, CPU] = PLOT_COLORS;

/** Memory of the loaded models, and the results of all checks over time. */
export function ModelPlots({ models }: { models: readonly InstalledModel[] }) {
  const { data } = useApi<CheckHistoryReply>('/api/models/check/history');
  const points = useMemo(() => checkPoints(data?.checks ?? []), [data]);
  const loaded = models.filter((model) => (model.loaded?.size_bytes ?? 0) > 0);
  if (points.length === 0 && loaded.length === 0) return null;
  return (
    <section className="mt-10 grid gap-y-5" aria-labelledby="model-plots">
      <h2 id="model-plots" className="font-semibold">
        Memory and checks over time
      </h2>
      {loaded.length > 0 && <MemoryPlot models={loaded} />}
      {points.length > 0 && <CheckPlots points={points} />}
    </section>
  );
}

function MemoryPlot({ models }: { models: readonly InstalledModel[] }) {
  const parts = models.map(({ name, loaded }) => {
    const size = loaded?.size_bytes ?? 0;
    const gpu = Math.min(size, loaded?.vram_bytes ?? 0);
    return { name: modelLabel(name), gpu, cpu: size - gpu };
  });
  return (
    <StackedColumns
      title="Memory of loaded models"
      height={HEIGHT_PX}
      series={[
        { label: 'GPU', color: GPU },
        { label: 'CPU', color: CPU },
      ]}
      columns={parts.map(({ name, gpu, cpu }) => ({ key: name, label: name, values: [gpu, cpu] }))}
      format={(bytes) => (bytes === 0 ? '0' : formatBytes(bytes))}
      describe={(index) => {
        const part = parts[index];
        return part
          ? `${part.name}: ${formatBytes(part.gpu)} on the GPU, ${formatBytes(part.cpu)} on the CPU`
          : '';
      }}
      table={{
        head: ['Model', 'GPU', 'CPU'],
        rows: () =>
          parts.map(({ name, gpu, cpu }) => ({
            key: name,
            cells: [name, formatBytes(gpu), formatBytes(cpu)],
          })),
      }}
    />
  );
}

function CheckPlots({ points }: { points: readonly CheckPoint[] }) {
  const { series, seriesOf } = useMemo(() => modelSeries(points.map(({ model }) => model)), [points]);
  const rated = points.filter((point) => point.rate);
  const timed = points.filter((point) => point.speed !== undefined);
  return (
    <div className="grid items-end gap-x-8 gap-y-5 lg:grid-cols-2">
      <DotIntervals
        title="Pass rate of checks"
        unit="95% interval"
        height={HEIGHT_PX}
        max={1}
        series={series}
        dots={rated.map((point) => ({
          ...{ key: keyOf(point), label: dayOf(point), series: seriesOf(point.model) },
          ...(point.rate ?? { low: 0, value: 0, high: 0 }),
        }))}
        format={formatPercent}
        describe={(index) =>
          wordsOf(rated[index], ({ passed, judged }) => `${passed} of ${judged} rules passed`)
        }
        empty="No check could be judged yet."
        table={tableOf(rated, 'Rules passed', ({ passed, judged }) => `${passed} of ${judged}`)}
      />
      <DotIntervals
        title="Speed in checks"
        unit="tok/s"
        height={HEIGHT_PX}
        series={series}
        dots={timed.map((point) => {
          const value = point.speed ?? 0;
          return {
            key: keyOf(point),
            label: dayOf(point),
            series: seriesOf(point.model),
            low: value,
            value,
            high: value,
          };
        })}
        format={formatRate}
        describe={(index) => wordsOf(timed[index], ({ speed = 0 }) => `${formatRate(speed)} tok/s`)}
        empty="The next check measures it."
        table={tableOf(timed, 'tok/s', ({ speed = 0 }) => formatRate(speed))}
      />
    </div>
  );
}

const keyOf = ({ model, digest, at }: CheckPoint) => `${model} ${digest} ${at}`;

/** Day and month: `21 Nov`. */
const dayOf = ({ at }: CheckPoint) => formatMoment(at).split(' ').slice(0, 2).join(' ');

function wordsOf(point: CheckPoint | undefined, words: (point: CheckPoint) => string): string {
  return point ? `${modelLabel(point.model)}, ${formatMoment(point.at)}: ${words(point)}` : '';
}

function tableOf(points: readonly CheckPoint[], name: string, cell: (point: CheckPoint) => string) {
  return {
    head: ['Model', 'Checked', name],
    rows: () =>
      points.map((point) => ({
        key: keyOf(point),
        cells: [modelLabel(point.model), formatMoment(point.at), cell(point)],
      })),
  };
}
