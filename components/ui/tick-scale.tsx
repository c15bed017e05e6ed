/** Iterations used of their limit, as a tiny graduated scale for lists. */
export function TickScale({ used, limit, label }: { used: number; limit: number; label: string }) {
  const slots = Math.min(limit, 24);
  const filled = limit <= 24 ? used : Math.round((used / limit) * 24);
  return (
    <svg
      viewBox={`0 0 ${slots * 4} 10`}
      preserveAspectRatio="xMinYMid"
      className="h-2.5 w-20"
      role="img"
      aria-label={label}
    >
      {Array.from({ length: slots }, (_, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: ticks of a scale never move
          key={index}
          x={index * 4}
          y={index < filled ? 1 : 4}
          width={2}
          height={index < filled ? 8 : 2}
          className={index < filled ? 'fill-ink-2' : 'fill-line-strong'}
        />
      ))}
    </svg>
  );
}
