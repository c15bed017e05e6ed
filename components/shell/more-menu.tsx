'use client';

import { Ellipsis } from 'lucide-react';
import { useRef } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';

const line = 'target flex h-10 w-full items-center rounded-md px-3 text-left hover:bg-sunken';

/** The menu of a small screen: the pages that do not fit into the bar, and commands that elsewhere have keys. */
export function MoreMenu({
  pages,
  onCommands,
}: {
  pages: readonly { href: string; label: string; here: boolean; className?: string }[];
  onCommands: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        popoverTarget="more-pages"
        aria-label="More pages and commands"
        className={buttonClass('quiet', 'sm', 'w-8 px-0 lg:hidden')}
      >
        <Ellipsis className="size-4" aria-hidden="true" />
      </button>
      <div
        ref={menu}
        id="more-pages"
        popover="auto"
        className="inset-auto top-13 right-2 m-0 max-h-[calc(100dvh-4rem)] w-56 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1.5 text-ink shadow-lg lg:hidden"
      >
        <nav aria-label="More pages">
          {pages.map(({ href, label, here, className }) => (
            <Link
              key={href}
              href={href}
              onClick={close}
              aria-current={here ? 'page' : undefined}
              className={cx(line, here && 'bg-brass-wash font-medium', className)}
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
