import type { ReactNode } from 'react';
import { cx } from '../ui/cx.ts';

/** The style of a banner's link or button. */
export const bannerAction = 'target ml-auto shrink-0 font-semibold underline underline-offset-2';

/** A line above the header of every page. `globals.css` subtracts its height from full-height pages. */
export function HeaderBanner({
  label,
  title,
  className,
  headline,
  details,
  action,
}: {
  label: string;
  /** The whole text, if the line may cut it off. */
  title?: string;
  className: string;
  headline: string;
  /** Hidden on phones. */
  details: string;
  action: ReactNode;
}) {
  return (
    <aside
      aria-label={label}
      data-header-banner
      title={title}
      className={cx('flex h-9 shrink-0 items-center gap-3 px-3 text-sm sm:px-6 print:hidden', className)}
    >
      <p className="min-w-0 truncate" role="status">
        <strong className="font-semibold">{headline}</strong>
        <span className="max-sm:hidden"> {details}</span>
      </p>
      {action}
    </aside>
  );
}
