import type { CheckProgress } from '#lib/api/model-check.ts';

type State = CheckProgress['probes'][number]['status'];

const WIDTH = 6;
const STEP = 8;
const HEIGHT = 12;

/** One tick per probe: full and green if it passed, half and red-brown if it failed, hollow if it could not be judged. */
const shapes: Record<State, { y: number; height: number; className: string }> = {
  pass: { y: 1, height: 10, className: 'fill-ok' },
  fail: { y: 6, height: 5, className: 'fill-warn' },
  unknown: { y: 1.5, height: 9, className: 'fill-transparent stroke-ink-3' },
  running: { y: 1, height: 10, className: 'fill-brass-fill motion-safe:animate-pulse' },
  open: { y: 9, height: 2, className: 'fill-line-strong' },
};

/** The probes of a check as a row of ticks, with a text label next to it. */
export function ProbeTicks({ states }: { states: readonly State[] }) {
  const width = states.length * STEP - (STEP - WIDTH);
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} aria-hidden="true">
      {states.map((state, index) => {
        const { y, height, className } = shapes[state];
        const inset = state === 'unknown' ? 0.5 : 0;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: ticks never move
            key={index}
            x={index * STEP + inset}
            y={y}
            width={WIDTH - 2 * inset}
            height={height}
            className={className}
          />
        );
      })}
    </svg>
  );
}
