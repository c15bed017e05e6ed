import { ENDING_STYLES } from '#lib/browser/plots/ending-styles.ts';
import type { TimeKind } from '#lib/browser/plots/series.ts';
import type { Texture } from '#lib/browser/plots/textures.ts';
import type { PromptRole } from '#lib/events/prompt-role.ts';
import type { OutcomeKind } from '#lib/events/termination.ts';
import { cx } from '../ui/cx.ts';

/** The color of a series, as classes for shapes and for its mark in a legend. */
export interface PlotColor {
  readonly fill: string;
  readonly stroke: string;
  readonly swatch: string;
  /** Drawn over the fill if color alone cannot distinguish areas. Default: solid. */
  readonly texture?: Texture;
}

/** Colors of series, in the order in which they are given out. */
export const PLOT_COLORS = [
  { fill: 'fill-plot-1', stroke: 'stroke-plot-1', swatch: 'bg-plot-1' },
  { fill: 'fill-plot-2', stroke: 'stroke-plot-2', swatch: 'bg-plot-2' },
  { fill: 'fill-plot-3', stroke: 'stroke-plot-3', swatch: 'bg-plot-3' },
  { fill: 'fill-plot-4', stroke: 'stroke-plot-4', swatch: 'bg-plot-4' },
  { fill: 'fill-plot-5', stroke: 'stroke-plot-5', swatch: 'bg-plot-5' },
  { fill: 'fill-plot-6', stroke: 'stroke-plot-6', swatch: 'bg-plot-6' },
  { fill: 'fill-plot-7', stroke: 'stroke-plot-7', swatch: 'bg-plot-7' },
  { fill: 'fill-plot-8', stroke: 'stroke-plot-8', swatch: 'bg-plot-8' },
] as const satisfies readonly PlotColor[];

const [FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH] = PLOT_COLORS;
/** By the number in the name of the color, from 1. */
const BY_NUMBER = [undefined, ...PLOT_COLORS] as const;
const FAINT: PlotColor = { fill: 'fill-line-strong', stroke: 'stroke-line-strong', swatch: 'bg-line-strong' };

const TEXTURE_SWATCHES: Readonly<Record<Texture, string | undefined>> = {
  solid: undefined,
  stripes: 'texture-stripes',
  crosses: 'texture-crosses',
};

/** What time is spent on; waiting recedes. */
export const TIME_COLORS: Readonly<Record<TimeKind, PlotColor>> = {
  load: SECOND,
  prompt: FIRST,
  thinking: FOURTH,
  writing: THIRD,
  model: SIXTH,
  tool: FIFTH,
  waiting: FAINT,
};

export const ROLE_COLORS: Readonly<Record<PromptRole, PlotColor>> = {
  system: SIXTH,
  tools: FIFTH,
  user: SECOND,
  assistant: THIRD,
  results: FIRST,
  other: FAINT,
};

/** The color and texture of an ending, the same in every plot. */
export function endingColor(kind: OutcomeKind): PlotColor {
  const { color, texture } = ENDING_STYLES[kind];
  const { fill, stroke, swatch } = BY_NUMBER[color];
  return { fill, stroke, swatch: cx(swatch, TEXTURE_SWATCHES[texture]), texture };
}
