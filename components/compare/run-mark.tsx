import { cx } from '../ui/cx.ts';

/** The letter of a run. */
export function RunMark({ letter, className }: { letter: string; className?: string }) {
  return (
    <span
      className={cx(
        'inline-flex size-5 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-raised font-mono text-2xs font-semibold text-ink-2',
        className,
      )}
    >
      {letter}
    </span>
  );
}
