import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Leads to an event of the run that is shown; its address is a deep link. */
export function EventLink({
  seq,
  onGo,
  className,
  children,
}: {
  seq: number;
  onGo: (seq: number) => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <a
      href={`#${seq}`}
      onClick={(click) => {
        click.preventDefault();
        onGo(seq);
      }}
      className={cx(
        'text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass',
        className,
      )}
    >
      {children}
    </a>
  );
}
