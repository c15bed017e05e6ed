'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { notOfferedWords } from '#lib/browser/state/models.ts';
import { cx } from './cx.ts';
import { ForeignText } from './foreign-text.tsx';
import { Link } from './link.tsx';

/** Says why an installed model is missing from a choice. */
export function NotOfferedNote({
  models,
  className,
}: {
  models: readonly InstalledModel[];
  className?: string;
}) {
  const words = notOfferedWords(models);
  if (words === undefined) return null;
  return (
    <p className={cx('foreign text-xs text-ink-3', className)}>
      <ForeignText text={words} />{' '}
      <Link href="/models" className="underline underline-offset-2 hover:text-ink">
        Models
      </Link>
    </p>
  );
}
