import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

const kinds: Record<ButtonKind, string> = {
  primary:
    // The border is seen where the system replaces colors.
    'border border-transparent bg-brass-fill text-on-brass font-semibold hover:brightness-105 disabled:bg-sunken disabled:text-ink-3 disabled:hover:brightness-100',
  plain:
    'border border-line-strong bg-raised text-ink hover:border-ink-3 aria-expanded:border-ink-3 aria-expanded:bg-sunken disabled:border-line disabled:text-ink-3 disabled:bg-transparent',
  quiet: 'text-ink-2 hover:text-ink hover:bg-sunken disabled:text-ink-3 disabled:hover:bg-transparent',
  danger:
    'border border-fail bg-transparent text-fail hover:bg-fail-wash disabled:border-line disabled:text-ink-3 disabled:hover:bg-transparent',
};

/** The classes of a button, for links that look like one. */
export function buttonClass(
  kind: ButtonKind = 'plain',
  size: 'md' | 'sm' = 'md',
  className?: string,
): string {
  return cx(
    'target inline-flex items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed print:hidden',
    size === 'md' ? 'h-9 px-3.5 text-base' : 'h-7 px-2.5 text-sm',
    kinds[kind],
    className,
  );
}

export function Button({
  kind = 'plain',
  size = 'md',
  className,
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { kind?: ButtonKind; size?: 'md' | 'sm' }) {
  return <button type={type} className={buttonClass(kind, size, className)} {...rest} />;
}
