/** A scale that divides its domain at about `count` round values, like those of d3. */
interface TickScale {
  ticks(count: number): number[];
}

/** A place on an axis with its label. */
export interface LabeledTick {
  readonly value: number;
  readonly label: string;
}

/** Fewer would not show a scale. */
const MIN_TICKS = 2;

/**
 * About `count` ticks, in ascending order, with different labels. Where a format rounds two of them to the same text, such
 * as 1.5 and 2 ms, there are fewer ticks. Pure.
 *
 * @param count less than 2 counts as 2
 * @param format an empty text leaves a tick out
 */
export function labeledTicks(
  scale: TickScale,
  count: number,
  format: (value: number) => string,
): LabeledTick[] {
  const ticks = (wanted: number) =>
    scale
      .ticks(wanted)
      .map((value) => ({ value, label: format(value) }))
      .filter(({ label }) => label !== '');
  const most = Math.max(MIN_TICKS, count);
  for (let wanted = most; wanted >= MIN_TICKS; wanted -= 1) {
    const found = ticks(wanted);
    if (found.length >= MIN_TICKS && firstOfEachLabel(found).length === found.length) return found;
  }
  return firstOfEachLabel(ticks(most));
}

/** Width of a character of a label, and the least gap between two labels, in pixels. */
const CHARACTER_PX = 6;
const GAP_PX = 10;

/** As many ticks of a horizontal scale in pixels, at most `count`, as leave a gap between their centered labels. Pure. */
export function spacedTicks(
  scale: TickScale & ((value: number) => number),
  count: number,
  format: (value: number) => string,
): LabeledTick[] {
  const clear = (ticks: readonly LabeledTick[]) =>
    ticks.every(({ value, label }, index) => {
      const next = ticks[index + 1];
      if (!next) return true;
      const room = ((label.length + next.label.length) / 2) * CHARACTER_PX + GAP_PX;
      return scale(next.value) - scale(value) >= room;
    });
  for (let wanted = count; wanted > MIN_TICKS; wanted -= 1) {
    const found = labeledTicks(scale, wanted, format);
    if (clear(found)) return found;
  }
  const fewest = labeledTicks(scale, MIN_TICKS, format);
  return clear(fewest) ? fewest : [fewest[0], fewest.at(-1)].filter((tick) => tick !== undefined);
}

function firstOfEachLabel(ticks: readonly LabeledTick[]): LabeledTick[] {
  const first = new Map<string, LabeledTick>();
  for (const tick of ticks) if (!first.has(tick.label)) first.set(tick.label, tick);
  return [...first.values()];
}
