import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { formatDuration } from '../words/format.ts';

const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;
/** Minutes divide an axis if its ticks are nearer to half a minute than to 20 seconds (geometrically), and so do hours. */
const LEAST_PART = Math.sqrt((1 / 2) * (1 / 3));
/** d3's default number of ticks. */
const TICKS = 10;

/**
 * A linear scale from 0 for durations. Long ones are divided like a clock, by half and whole minutes and hours: the ticks of a
 * decimal scale would be at every 50 or 100 seconds. Pure.
 *
 * @param max the longest duration
 * @param options.msPerUnit 1000 if durations are in seconds
 * @param options.range where 0 and the end are drawn
 * @param options.rounded whether the scale ends at a round value that is at least `max`
 */
export function durationScale(
  max: number,
  { msPerUnit, range, rounded }: { msPerUnit: number; range: [number, number]; rounded: boolean },
): ScaleLinear<number, number> {
  const end = max > 0 ? max : 1;
  const decimal = (length: number, count: number) => {
    const divisor = divisorOf((length * msPerUnit) / count) / msPerUnit;
    return { divisor, scale: scaleLinear([0, length / divisor], [0, 1]) };
  };
  const round = () => {
    const { divisor, scale } = decimal(end, TICKS);
    return (scale.nice().domain()[1] ?? 0) * divisor;
  };
  const length = rounded ? round() : end;
  return Object.assign(scaleLinear([0, length], range), {
    ticks: (count = TICKS) => {
      const { divisor, scale } = decimal(length, Math.max(1, count));
      return scale.ticks(count).map((value) => value * divisor);
    },
  });
}

/** A duration in milliseconds as the label of a tick. */
export function durationLabel(ms: number): string {
  return ms === 0 ? '0' : formatDuration(ms);
}

/** The unit by which an axis is divided decimally for a given tick distance, all in milliseconds. */
function divisorOf(stepMs: number): number {
  if (stepMs >= LEAST_PART * MS_PER_HOUR) return MS_PER_HOUR;
  if (stepMs >= LEAST_PART * MS_PER_MINUTE) return MS_PER_MINUTE;
  return 1;
}
