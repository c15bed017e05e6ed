import { useMemo } from 'react';
import { type CallTime, TIME_KINDS } from '#lib/browser/plots/series.ts';
import { timeBins } from '#lib/browser/plots/time-layout.ts';
import { TIME_COLORS } from '../../plots/palette.ts';

/** As fine as a small strip can be seen. */
const BINS = 160;

/** The time of a run as one strip, each part colored by what it was spent on. */
export function TimeStrip({ times, className }: { times: readonly CallTime[]; className: string }) {
  const bins = useMemo(() => timeBins(times, BINS), [times]);
  const paths = useMemo(() => {
    const drawn = new Map(TIME_KINDS.map((kind) => [kind, '']));
    for (const [index, { shares }] of bins.entries()) {
      let bottom = 1;
      for (const kind of TIME_KINDS) {
        const share = shares[kind];
        if (share <= 0) continue;
        drawn.set(kind, `${drawn.get(kind)}M${index} ${bottom}h1v${-share}h-1z`);
        bottom -= share;
      }
    }
    return drawn;
  }, [bins]);
  return (
    <svg
      viewBox={`0 0 ${BINS} 1`}
      preserveAspectRatio="none"
      className={className}
      aria-hidden="true"
      shapeRendering="crispEdges"
    >
      {[...paths].map(([kind, path]) => (
        <path key={kind} d={path} className={TIME_COLORS[kind].fill} />
      ))}
    </svg>
  );
}
