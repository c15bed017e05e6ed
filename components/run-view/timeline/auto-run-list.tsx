'use client';

import { formatCount } from '#lib/browser/words/format.ts';
import { type AutoRunFiles, namedAutoRunFiles } from '#lib/events/auto-run-files.ts';
import { EventLink } from '../../ui/event-link.tsx';
import { ForeignName, ShortName } from '../../ui/foreign-name.tsx';
import { useRunScreen } from '../screen-context.ts';

const MAX_NAMED = 20;

/** Files that shells, editors, git, builds or agents execute or load, each with the call that wrote it. */
export function AutoRunList({ written }: { written: AutoRunFiles }) {
  const { goTo } = useRunScreen();
  const { files, more } = namedAutoRunFiles(written, MAX_NAMED);
  if (files.length === 0) return null;
  return (
    <section
      aria-label="Auto-run files"
      className="mt-4 rounded-md border border-warn/40 bg-warn-wash px-3.5 py-2.5"
    >
      <h3 className="text-sm font-medium text-warn">Auto-run files written</h3>
      <p className="mt-0.5 max-w-read text-sm text-ink-2">
        Shells, editors, git, builds or agents run or obey these without asking. Check them before you work in
        this folder.
      </p>
      <ul className="mt-1.5 grid gap-1 text-sm">
        {files.map(({ path, tool, seq }) => (
          <li key={path} className="flex flex-wrap items-baseline gap-x-3">
            <code className="foreign min-w-0">
              <ForeignName text={path} isPath />
            </code>
            <EventLink seq={seq} onGo={goTo} className="tnum text-xs">
              <ShortName text={tool} max={40} /> (#{seq})
            </EventLink>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="tnum mt-1.5 text-sm text-ink-2">and {formatCount(more)} more</p>}
    </section>
  );
}
