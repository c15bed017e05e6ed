'use client';

import { lazyCode } from '../../hooks/lazy-code.ts';
import { ShortName } from '../foreign-name.tsx';
import type { FileVersions } from './file-diff-view.tsx';

const view = lazyCode(async () => (await import('./file-diff-view.tsx')).FileDiffView);

/** Loads what compares texts, so that the first comparison does not change its height. */
export const preloadFileDiff = view.preload;

/** The changes in a file, line by line, with unchanged parts folded. Both versions are untrusted text. */
export function FileDiff(versions: FileVersions) {
  const View = view.useCode();
  if (View) return <View {...versions} />;
  return (
    <p className="foreign font-mono text-xs">
      <ShortName text={versions.path} isPath /> <span className="text-ink-3">Comparing…</span>
    </p>
  );
}
