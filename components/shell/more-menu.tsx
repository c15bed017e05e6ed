'use client';

import { Ellipsis } from 'lucide-react';
import { useRef } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';

/** Marks the current page, on the hairline under the bar: of its link, or of the menu that has its link. */
export const HERE_MARK =
  'text-ink after:absolute after:inset-x-1 after:-bottom-[calc(0.5rem+1px)] touch:after:-bottom-[calc(0.125rem+1px)] after:h-0.5 after:bg-brass-fill';

const line = 'target flex h-10 w-full items-center rounded-md px-3 text-left hover:bg-sunken';

/** The menu of a small screen: the pages that do not fit into the bar, and commands that elsewhere have keys. */
export function MoreMenu({
  pages,
  onCommands,
}: {
  pages: readonly {
    href: string;
    label: string;
    /** Whether it is the current page. */
    here: boolean;
    /** Whether the bar has room for it from 360 pixels. */
    onlyNarrow: boolean;
  }[];
  onCommands: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const current = pages.find(({ here }) => here);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        popoverTarget="more-pages"
        aria-label="More pages and commands"
        aria-current={current && !current.onlyNarrow ? 'true' : undefined}
        className={cx(
          buttonClass('quiet', 'sm', 'relative h-8 w-8 px-0 lg:hidden'),
          current && [HERE_MARK, current.onlyNarrow && 'min-[22.5rem]:after:hidden'],
        )}
      >
        <Ellipsis className="size-4" aria-hidden="true" />
      </button>
      <div
        ref={menu}
        id="more-pages"
        popover="auto"
        className="inset-auto top-13 right-2 m-0 max-h-[calc(100dvh-4rem)] w-56 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line-strong bg-raised p-1.5 text-ink shadow-lg lg:hidden"
      >
        <nav aria-label="More pages">
          {pages.map(({ href, label, here, onlyNarrow }) => (
            <Link
              key={href}
              href={href}
              onClick={close}
              aria-current={here ? 'page' : undefined}
              className={cx(line, here && 'bg-brass-wash font-medium', onlyNarrow && 'min-[22.5rem]:hidden')}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="mt-1.5 border-t pt-1.5">
          <button
            type="button"
            className={line}
            onClick={() => {
              close();
              onCommands();
            }}
          >
            Search and commands
          </button>
        </div>
      </div>
    </>
  );
}
