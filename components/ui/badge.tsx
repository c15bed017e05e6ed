import type { ReactNode } from 'react';
import type { Tone } from '#lib/browser/words/end-words.ts';
import { cx } from './cx.ts';
import { toneWash } from './tone.ts';

/** A label of one or two words. `outline` for facts, a wash for states. */
export function Badge({
  tone,
  children,
  title,
  className,
}: {
  tone?: Tone;
  children: ReactNode;
  title?: string;
  className?: string;
}) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex shrink-0 items-center gap-1 rounded-sm px-1.5 text-2xs font-medium leading-[1.125rem] whitespace-nowrap',
        tone ? toneWash[tone] : 'border border-line-strong leading-4 text-ink-2',
        className,
      )}
    >
      {children}
    </span>
  );
}
