'use client';

import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { ExperimentListReply } from '#lib/api/experiment.ts';
import { type HistoryPoint, suiteHistory } from '#lib/browser/plots/suite-history.ts';
import { formatMoment, formatPercent } from '#lib/browser/words/format.ts';
import { modelLabel } from '#lib/browser/words/model-label.ts';
import { intervalWords, repeatedRatesNote } from '#lib/browser/words/rate-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { DotIntervals } from '../plots/dot-intervals.tsx';
import { modelSeries } from '../plots/model-series.ts';

/** Max points drawn, the latest ones: more could not be distinguished. */
const MAX_POINTS = 100;
const HEIGHT_PX = 200;

/** The pass rates of the models over the experiments with a suite. Empty until there are two. */
export function HistoryPlot({ suiteId }: { suiteId: string }) {
  const { data } = useApi<ExperimentListReply>('/api/experiments');
  const router = useRouter();
  const all = useMemo(() => suiteHistory(data?.experiments ?? [], suiteId), [data, suiteId]);
  const points = useMemo(() => all.slice(-MAX_POINTS), [all]);
  const { series, seriesOf } = useMemo(() => modelSeries(points.map(({ model }) => model)), [points]);
  if (points.length < 2) return null;
  return (
    <section aria-label="History" className="mt-10">
      <DotIntervals
        title="History"
        unit="pass rate by experiment, with 95% interval"
        note={[
          all.length > points.length ? `The latest ${MAX_POINTS} of ${all.length} results.` : 'Oldest first.',
          repeatedRatesNote(points),
        ]
          .filter(Boolean)
          .join(' ')}
        height={HEIGHT_PX}
        max={1}
        series={series}
        dots={points.map((point) => ({
          ...{
            key: `${point.experiment} ${point.model}`,
            label: dayOf(point),
            series: seriesOf(point.model),
          },
          ...{ low: point.low, value: point.value, high: point.high },
        }))}
        format={formatPercent}
        describe={(index) => pointWords(points[index])}
        open={(index) => {
          const point = points[index];
          if (point) router.push(`/experiments/${encodeURIComponent(point.experiment)}`);
        }}
        table={{
          head: ['Experiment', 'Date', 'Model', 'Version', 'Cases', 'Passed', 'Pass rate'],
          rows: () =>
            points.map((point) => ({
              key: `${point.experiment} ${point.model}`,
              cells: [
                ...[point.name, formatMoment(point.at), modelLabel(point.model)],
                ...[point.hash.slice(0, 12), String(point.cases)],
                ...[`${point.passed} of ${point.judged}`, formatPercent(point.value)],
              ],
            })),
        }}
      />
    </section>
  );
}

function dayOf({ at }: HistoryPoint): string {
  return formatMoment(at).split(' ').slice(0, 2).join(' ');
}

function pointWords(point: HistoryPoint | undefined): string {
  if (!point) return '';
  const { name, at, model, passed, judged, low, high, hash, cases } = point;
  return `${shortLine(name)}, ${formatMoment(at)}: ${modelLabel(model)} ${passed} of ${judged} passed (${intervalWords({ low, high })}), ${cases} cases of version ${hash.slice(0, 12)}`;
}
