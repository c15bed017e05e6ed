'use client';

import { useState } from 'react';
import type { SearchReply } from '#lib/api/search.ts';
import { getJson } from '#lib/browser/api.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { eventWord } from '#lib/browser/words/event-words.ts';
import { formatCount, formatWhen, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine, withoutLineBreaks } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { useLatest } from '../hooks/use-latest.ts';
import { useNow } from '../hooks/use-now.ts';
import { useRequest } from '../hooks/use-request.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { MarkedText } from '../ui/marked-text.tsx';

const PAGE = 20;
const BEHIND_MS = 1500;

/** Matches in the logs of all runs, grouped by run: each links to its row, the rest to the run's own search. */
export function FoundInLogs({ words }: { words: string }) {
  const path = `/api/search?limit=${PAGE}&q=${encodeURIComponent(words)}`;
  const { data, error } = useApi<SearchReply>(path, (last) => (last?.behind ? BEHIND_MS : undefined));
  const [later, setLater] = useState<{ path: string; pages: readonly SearchReply[] }>();
  const { problem, run } = useRequest();
  const latest = useLatest(path);
  if (error) return <ErrorNote error={error} />;
  if (!data) return null;
  const pages = [data, ...(later?.path === path ? later.pages : [])];
  const next = pages.at(-1)?.next;
  const more = () =>
    run(async () => {
      const page = await getJson<SearchReply>(`${path}&before=${next}`);
      // Other words may have been entered by the time of the answer.
      if (latest.current === path) setLater({ path, pages: [...pages.slice(1), page] });
    });
  const runs = mergedRuns(pages);
  const places = runs.reduce((sum, run) => sum + run.places, 0);
  const open = next !== undefined || runs.some((run) => run.at_least);
  return (
    <section aria-label="In the logs" className="mt-8">
      <div className="flex items-baseline justify-between border-b border-line-strong pb-1.5">
        <h2 className="caption">In the logs</h2>
        <span className="tnum font-mono text-xs text-ink-3" role="status">
          {data.behind > 0 && `still reading ${formatCount(data.behind)} older events · `}
          {places === 0
            ? 'nothing'
            : `${formatCount(places)}${open ? '+' : ''} ${places === 1 && !open ? 'place' : 'places'} in ${plural(runs.length, 'run')}`}
        </span>
      </div>
      {places === 0 && (
        <p className="py-3 text-sm text-ink-3">
          No task, reply, argument or result contains all of these words. A word matches any word that starts
          with it; “quotes” keep words together.
        </p>
      )}
      <ul className="divide-y">
        {runs.map((found) => (
          <li key={found.run_id} className="py-3">
            <RunHits found={found} words={words} />
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <button
          ref={passFocusOn}
          type="button"
          onClick={() => void more()}
          className="mt-3 text-sm font-medium text-brass underline-offset-4 hover:underline"
        >
          Show more runs
        </button>
      )}
      {problem && <ErrorNote error={problem} />}
    </section>
  );
}

/** A run that appears again on a later page has older matches; its best are already shown. */
function mergedRuns(pages: readonly SearchReply[]): SearchReply['runs'] {
  const runs = new Map<string, SearchReply['runs'][number]>();
  for (const found of pages.flatMap((page) => page.runs)) {
    const { run_id: id, places, at_least } = found;
    const known = runs.get(id);
    runs.set(id, known ? { ...known, places: known.places + places, at_least } : found);
  }
  return [...runs.values()];
}

function RunHits({ found, words }: { found: SearchReply['runs'][number]; words: string }) {
  const now = useNow();
  const { run, hits, places, at_least: atLeast } = found;
  const more = places - hits.length;
  return (
    <>
      <p className="flex items-baseline gap-3">
        <Link
          href={`/runs/${run.id}`}
          title={plainVisibleLine(run.title)}
          className="foreign line-clamp-1 min-w-0 font-medium hover:text-brass"
        >
          <ForeignText text={withoutLineBreaks(run.title)} />
        </Link>
        <span
          className="truncate font-mono text-xs text-ink-3 max-sm:hidden"
          title={plainVisibleLine(run.model)}
        >
          <ForeignText text={withoutLineBreaks(run.model)} />
        </span>
        <span className="tnum ml-auto shrink-0 font-mono text-xs text-ink-3" suppressHydrationWarning>
          {formatWhen(run.created_at, now)}
        </span>
      </p>
      <ul className="mt-1">
        {hits.map((hit) => (
          <li key={hit.seq}>
            <Link
              href={`/runs/${run.id}?find=${encodeURIComponent(words)}#${hit.seq}`}
              className="-mx-3 grid grid-cols-[4.5rem_minmax(0,1fr)] items-baseline gap-x-3 rounded-md px-3 py-1 text-sm hover:bg-surface"
            >
              <span className="truncate text-xs text-ink-3">{eventWord(hit.type)}</span>
              <span className="foreign line-clamp-2 text-ink-2">
                <MarkedText text={hit.text} ranges={hit.ranges} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {(more > 0 || atLeast) && (
        <Link
          href={`/runs/${run.id}?find=${encodeURIComponent(words)}`}
          className="mt-0.5 ml-[5.25rem] inline-block text-xs font-medium text-ink-3 underline-offset-2 hover:text-ink hover:underline"
        >
          and {formatCount(more)}
          {atLeast && '+'} more in this run
        </Link>
      )}
    </>
  );
}
