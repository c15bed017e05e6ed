import type { Gauge as GaugeFigures } from '#lib/browser/state/gauge.ts';
import { cx } from './cx.ts';
import { EventLink } from './event-link.tsx';

const fills = { calm: 'fill-ink-3', near: 'fill-brass-fill', reached: 'fill-warn' };
const words = { calm: 'text-ink', near: 'text-brass', reached: 'text-warn' };

/** Max events linked from a gauge; the latest are enough. */
const MAX_LINKS = 6;

/** One guardrail as a graduated scale: single ticks for small limits, one bar with its mark for large ones. */
export function Gauge({ gauge, onEvent }: { gauge: GaugeFigures; onEvent?: (seq: number) => void }) {
  const fed = gauge.events ?? [];
  const near = gauge.tone !== 'calm' && !gauge.fired;
  return (
    <div className="py-2" data-gauge={gauge.id} data-fired={gauge.fired}>
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-sm text-ink-2">
          {gauge.label}
          {gauge.fired && <span className="ml-1.5 text-xs font-medium text-warn">ended the run</span>}
        </span>
        <span className={cx('tnum font-mono text-sm', words[gauge.tone])}>{gauge.value}</span>
      </div>
      <Scale gauge={gauge} />
      {gauge.detail && <p className="tnum mt-1 text-xs text-ink-3">{gauge.detail}</p>}
      {(near || gauge.fired) && (gauge.outcome || fed.length > 0) && (
        <p className="tnum mt-1 flex flex-wrap gap-x-2 text-xs text-ink-3">
          {near && gauge.outcome}
          {onEvent && fed.length > 0 && (
            <span className="flex flex-wrap gap-x-1.5">
              from
              {fed.slice(-MAX_LINKS).map((seq) => (
                <EventLink key={seq} seq={seq} onGo={onEvent} className="font-mono">
                  #{seq}
                </EventLink>
              ))}
            </span>
          )}
        </p>
      )}
    </div>
  );
}

function Scale({ gauge }: { gauge: GaugeFigures }) {
  const share = gauge.limit > 0 ? Math.min(1, gauge.used / gauge.limit) : 0;
  const slots = gauge.ticks ? gauge.limit : 0;
  return (
    <svg
      viewBox="0 0 240 8"
      preserveAspectRatio="none"
      className="mt-1.5 h-2 w-full"
      role="img"
      aria-label={`${gauge.label}: ${gauge.value}`}
    >
      {slots > 0 ? (
        Array.from({ length: slots }, (_, index) => {
          const width = 240 / slots;
          const gap = slots > 12 ? 3 : 4;
          const filled = index < gauge.used;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: ticks of a scale never move
              key={index}
              x={index * width}
              y={filled ? 1 : 3}
              width={width - (index === slots - 1 ? 0 : gap)}
              height={filled ? 6 : 2}
              className={filled ? fills[gauge.tone] : 'fill-line-strong'}
            />
          );
        })
      ) : (
        <>
          <rect x="0" y="3" width="240" height="2" className="fill-line-strong" />
          <rect x="0" y="1" width={240 * share} height="6" className={fills[gauge.tone]} />
          {gauge.mark !== undefined && (
            <rect x={240 * gauge.mark - 1} y="0" width="2" height="8" className="fill-ink-2" />
          )}
        </>
      )}
    </svg>
  );
}
