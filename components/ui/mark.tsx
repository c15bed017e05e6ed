/** The logo: a lens ring with a reticle and a focus point. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true" focusable="false">
      <g fill="none" stroke="currentColor" strokeLinecap="round">
        <circle cx="16" cy="16" r="12.5" strokeWidth="2.25" />
        <path strokeWidth="1.5" d="M16 3.5v4.5M16 24v4.5M3.5 16H8M24 16h4.5" />
      </g>
      <circle cx="16" cy="16" r="3.75" className="fill-brass-fill" />
    </svg>
  );
}
