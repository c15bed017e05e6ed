import type { ReactNode } from 'react';
import type { ApiError } from '#lib/browser/api.ts';
import { cx } from '../ui/cx.ts';
import { ParentLink } from '../ui/parent-link.tsx';
import { Problem } from './problem.tsx';

/**
 * The frame of a page that lists things of one kind: their description, ways to add one, and why they cannot be shown.
 */
export function ListPage({
  parent,
  title,
  about,
  actions,
  loading,
  error,
  onRetry,
  children,
}: {
  /** The list that this one belongs to. */
  parent?: { href: string; name: string };
  title: string;
  /** One or two sentences below the title. */
  about: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Whether the list has not arrived yet. */
  loading: boolean;
  /** Why nothing could be read. */
  error: ApiError | false | undefined;
  onRetry: () => void;
  children: ReactNode;
}) {
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      {parent && <ParentLink href={parent.href}>{parent.name}</ParentLink>}
      <div className={cx('flex flex-wrap items-start justify-between gap-3', parent && 'mt-1')}>
        <div>
          <h1 className="text-xl font-semibold tracking-[-0.015em]">{title}</h1>
          <p className="mt-1 max-w-read text-ink-2">{about}</p>
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {loading && <p className="mt-6 text-ink-3">Loading…</p>}
      {error && (
        <div className="mt-6">
          <Problem error={error} onRetry={onRetry} />
        </div>
      )}
      {children}
    </main>
  );
}
