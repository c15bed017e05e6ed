/** The fork icon. */
export function ForkMark({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 20 20"
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      aria-hidden="true"
    >
      <path d="M10 2v5.5c0 4-5 3.5-5 8V18M10 7.5c0 4 5 3.5 5 8V18" />
    </svg>
  );
}
