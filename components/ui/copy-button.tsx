'use client';

import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText, NOT_COPIED } from '#lib/browser/copy-text.ts';
import { say } from '#lib/browser/say.ts';
import { cx } from './cx.ts';

/** Copies a text and shows a check mark. */
export function CopyButton({
  text,
  label,
  className,
  icon = Copy,
  tabIndex,
}: {
  text: string | (() => string);
  label: string;
  className?: string;
  icon?: LucideIcon;
  tabIndex?: number;
}) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1600);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    if (await copyText(typeof text === 'string' ? text : text())) setDone(true);
    else say(NOT_COPIED);
  };
  const Icon = done ? Check : icon;
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={done ? 'Copied' : label}
      title={label}
      tabIndex={tabIndex}
      className={cx(
        'reach grid size-6 place-items-center rounded-sm text-ink-3 hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      <Icon className="size-3.5" aria-hidden="true" />
    </button>
  );
}
