/** The arrow of a `<summary>`, which turns when its `<details>`, of the class `group`, is open. */
export function FoldMark() {
  return (
    <svg
      viewBox="0 0 8 8"
      className="size-2 shrink-0 text-ink-3 transition-transform group-open:rotate-90"
      aria-hidden="true"
    >
      <path d="M2 0.5 6 4 2 7.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}
