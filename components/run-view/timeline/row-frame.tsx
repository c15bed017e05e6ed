'use client';

import type { ReactNode } from 'react';
import { cx } from '../../ui/cx.ts';

/**
 * The frame of a row: the rail with its node on the left, the content on the right. The rail's line runs through all
 * rows without a gap.
 */
export function RowFrame({
  node,
  children,
  className,
}: {
  node: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <div className="relative flex gap-3 sm:gap-4">
      <div className="relative w-5 shrink-0" aria-hidden="true">
        <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
        <span className="absolute top-[calc(var(--row-y)+0.4375rem)] left-1/2 -translate-x-1/2">{node}</span>
      </div>
      <div className={cx('row-body min-w-0 flex-1 py-[var(--row-y)]', className)}>{children}</div>
    </div>
  );
}

export type NodeShape = 'dot' | 'ring' | 'square' | 'bar';

/** The mark on the rail: a ring for the model, a square for a tool, a bar for Loupe, a dot for the rest. */
export function RailNode({ shape, className }: { shape: NodeShape; className?: string }) {
  const base = 'block ring-4 ring-canvas';
  switch (shape) {
    case 'ring':
      return (
        <span className={cx(base, 'size-2.5 rounded-full border-2 border-ink-2 bg-canvas', className)} />
      );
    case 'square':
      return <span className={cx(base, 'size-2 rounded-[1px] bg-ink-2', className)} />;
    case 'bar':
      return <span className={cx(base, 'my-[3px] h-0.5 w-3 bg-ink-2', className)} />;
    case 'dot':
      return <span className={cx(base, 'size-1.5 rounded-full bg-ink-3', className)} />;
  }
}

/** A button that expands the content below it. */
export function Disclosure({
  open,
  onToggle,
  children,
  className,
}: {
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
  className?: string;
}) {
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className={cx('reach group/fold z-1 flex max-w-full items-baseline gap-1.5 text-left', className)}
    >
      <svg
        viewBox="0 0 8 8"
        className={cx(
          'size-2 shrink-0 self-center text-ink-3 transition-transform group-hover/fold:text-ink print:hidden',
          open && 'rotate-90',
        )}
        aria-hidden="true"
      >
        <path d="M2 0.5 6 4 2 7.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
      </svg>
      {children}
    </button>
  );
}

/** Figures at the right end of a row, quiet and aligned. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <span className="tnum ml-auto flex max-w-full flex-wrap items-baseline justify-end gap-x-3 font-mono text-xs whitespace-nowrap text-ink-3">
      {children}
    </span>
  );
}

/** A panel inside a row: arguments, results, raw text. */
export function Panel({
  label,
  children,
  tone,
}: {
  label: string;
  children: ReactNode;
  tone?: 'fail' | 'warn';
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" className="min-w-0" aria-label={label}>
      <p className="caption mb-1">{label}</p>
      <div
        className={cx(
          'min-w-0 rounded-md border bg-sunken px-3 py-2 font-mono text-xs leading-relaxed',
          // Use only a border: a background behind long output is too heavy.
          tone === 'fail' && 'border-l-2 border-l-fail',
          tone === 'warn' && 'border-l-2 border-l-warn',
        )}
      >
        {children}
      </div>
    </div>
  );
}
