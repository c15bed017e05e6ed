import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** The title of a dialog, with the button that closes it and room for others beside it. */
export function DialogHeader({
  id,
  title,
  onClose,
  className,
  children,
}: {
  /** The id of the heading, for the `aria-labelledby` of the dialog. */
  id: string;
  title: ReactNode;
  /** Without it there is no Close button: the dialog has a Cancel button. */
  onClose?: () => void;
  className?: string;
  children?: ReactNode;
}) {
  return (
    <header className={cx('flex items-center justify-between gap-x-3', className)}>
      <h2 id={id} className="text-lg font-semibold tracking-[-0.012em]">
        {title}
      </h2>
      {children && <span className="ml-auto flex flex-wrap items-center justify-end gap-2">{children}</span>}
      {onClose && (
        <button
          type="button"
          onClick={onClose}
          aria-label="Close"
          className="grid size-8 shrink-0 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink"
        >
          <X className="size-4" aria-hidden="true" />
        </button>
      )}
    </header>
  );
}
