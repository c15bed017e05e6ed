import { cx } from './cx.ts';

/** The arrow of a foldable element. It turns when its `<details>` is open, or when `open` is set. */
export function FoldMark({ open = false, className }: { open?: boolean; className?: string }) {
  return (
    <svg
      viewBox="0 0 8 8"
      className={cx(
        'inline-block size-2 shrink-0 text-ink-3 transition-transform [details[open]>summary_&]:rotate-90',
        open && 'rotate-90',
        className,
      )}
      aria-hidden="true"
    >
      <path d="M2 0.5 6 4 2 7.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}
