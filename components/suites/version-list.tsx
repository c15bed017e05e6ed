'use client';

import type { SuiteVersion } from '#lib/api/suite.ts';
import { formatWhen, plural } from '#lib/browser/words/format.ts';
import { useNow } from '../hooks/use-now.ts';
import { DownloadLink } from '../ui/download-link.tsx';

/** The versions of a suite, each as a file. */
export function VersionList({
  path,
  versions,
  current,
}: {
  path: string;
  versions: readonly SuiteVersion[];
  current: string;
}) {
  const now = useNow();
  return (
    <section aria-labelledby="versions-title" className="mt-10">
      <h2 id="versions-title" className="font-semibold">
        Versions
      </h2>
      <ul className="mt-3 divide-y border-y">
        {versions.map(({ hash, cases, created_at }) => (
          <li key={hash} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 text-sm">
            <code title={hash}>{hash.slice(0, 12)}</code>
            <span className="tnum text-ink-3" suppressHydrationWarning>
              {plural(cases, 'case')} · {formatWhen(created_at, now)}
              {hash === current && ' · current'}
            </span>
            <DownloadLink
              href={`${path}/file?format=yaml&version=${hash}`}
              className="reach ml-auto text-brass underline-offset-4 hover:underline"
            >
              Export {hash.slice(0, 12)}
            </DownloadLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
