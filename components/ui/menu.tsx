'use client';

import { ChevronDown } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { type ButtonKind, buttonClass } from './button.tsx';
import { cx } from './cx.ts';

/** The classes of a button or link in a menu. */
export const menuItem =
  'target flex min-h-9 w-full items-center gap-2 rounded-md px-3 py-1.5 text-left text-base hover:bg-sunken disabled:text-ink-3 disabled:hover:bg-transparent';

/** Pixels between the button and its menu, and between the menu and the edge of the window. */
const GAP = 4;
const EDGE = 8;

/**
 * A button that opens a list of further buttons and links, on the browser's own popover (decision 36): Escape or a press
 * outside closes it, and so does a button in it. It moves along with its button while the page scrolls.
 */
export function Menu({
  label,
  name,
  kind = 'plain',
  className,
  children,
}: {
  label: string;
  /** Says what it is for where the page has several with this label; begins with the label. */
  name?: string;
  kind?: ButtonKind;
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => list.current?.hidePopover();
  useEffect(() => {
    if (!open) return;
    const follow = () => {
      if (list.current && button.current) place(list.current, button.current.getBoundingClientRect());
    };
    window.addEventListener('scroll', follow, true);
    window.addEventListener('resize', follow);
    return () => {
      window.removeEventListener('scroll', follow, true);
      window.removeEventListener('resize', follow);
    };
  }, [open]);
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-expanded={open}
        aria-label={name}
        className={cx(buttonClass(kind, 'sm'), 'max-sm:h-11')}
      >
        {label}
        <ChevronDown className="size-3.5" aria-hidden="true" />
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press on a button in it, which keys make a click too */}
      <div
        ref={list}
        id={id}
        popover="auto"
        role="group"
        aria-label={name ?? label}
        onToggle={(event) => {
          const isOpen = event.newState === 'open';
          setOpen(isOpen);
          if (isOpen && button.current) place(event.currentTarget, button.current.getBoundingClientRect());
        }}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest('button')) close();
        }}
        className={cx(
          'fixed inset-auto m-0 max-h-[70dvh] max-w-[calc(100vw-1rem)] min-w-[min(14rem,calc(100vw-1rem))] overflow-y-auto rounded-lg border border-line-strong bg-raised p-1.5 text-ink shadow-lg',
          className,
        )}
      >
        {children}
      </div>
    </>
  );
}

/** Puts a menu below its button, or above it where there is more room, within the window. */
function place(menu: HTMLElement, button: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = button.bottom + GAP;
  const fits = below + height <= window.innerHeight - EDGE;
  const top = fits || button.top < window.innerHeight / 2 ? below : button.top - GAP - height;
  menu.style.left = `${Math.max(EDGE, Math.min(button.left, window.innerWidth - EDGE - width))}px`;
  menu.style.top = `${Math.max(EDGE, Math.min(top, window.innerHeight - EDGE - height))}px`;
}
