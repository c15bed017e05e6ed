import type { ReactNode } from 'react';
import { cx } from './cx.ts';

interface RowLinkProps {
  seq: number;
  onGo: (seq: number) => void;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** A link to an event of the run on this page, as it looks in running text. */
export function EventLink({ className, ...props }: RowLinkProps) {
  return (
    <RowLink
      {...props}
      className={cx(
        'reach text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass',
        className,
      )}
    />
  );
}

/**
 * A link to an event of the run on this page, without its own style. Its address has a path: a bare `#12` counts as a
 * skip link in a page without other links, and its target may not be drawn.
 */
export function RowLink({ seq, onGo, ...props }: RowLinkProps) {
  return (
    <a
      {...props}
      href={`${location.pathname}#${seq}`}
      onClick={(click) => {
        click.preventDefault();
        onGo(seq);
      }}
    />
  );
}
