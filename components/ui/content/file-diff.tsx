'use client';

import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { ShortName } from '../foreign-name.tsx';
import type { FileVersions } from './file-diff-view.tsx';

/** The changes in a file, line by line, with unchanged parts folded. Both versions are untrusted text. */
export const FileDiff = lazyComponent(
  async () => (await import('./file-diff-view.tsx')).FileDiffView,
  ({ path }: FileVersions) => (
    <p className="foreign font-mono text-xs">
      <ShortName text={path} isPath /> <span className="text-ink-3">Comparing…</span>
    </p>
  ),
);

/** Loads what compares texts, so that the first comparison does not change its height. */
export const preloadFileDiff = FileDiff.preload;
