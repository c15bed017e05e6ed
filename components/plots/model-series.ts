import { modelLabels } from '#lib/browser/words/model-label.ts';
import { PLOT_COLORS, type PlotColor } from './palette.ts';

/** An entry of a legend with its color. */
export interface PlotSeries {
  readonly label: string;
  readonly color: PlotColor;
}

/** A color for each model, in order of first appearance; the last is shared by all others. */
export function modelSeries(models: readonly string[]): {
  series: readonly PlotSeries[];
  seriesOf: (model: string) => number;
} {
  const names = [...new Set(models)];
  const most = PLOT_COLORS.length;
  const own = names.length > most ? names.slice(0, most - 1) : names;
  const series: PlotSeries[] = modelLabels(own).flatMap((label, index) => {
    const color = PLOT_COLORS[index];
    return color ? [{ label, color }] : [];
  });
  const shared = PLOT_COLORS[most - 1];
  if (own.length < names.length && shared) series.push({ label: 'Others', color: shared });
  const places = new Map(own.map((name, index) => [name, index]));
  return { series, seriesOf: (model) => places.get(model) ?? series.length - 1 };
}
