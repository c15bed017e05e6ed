'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { CompareReply } from '#lib/api/comparison.ts';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { formatCount, formatMoment } from '#lib/browser/words/format.ts';
import { stepWord } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { Link } from '../ui/link.tsx';
import { Differences, type DifferencesHandle } from './differences.tsx';
import { FigureTable } from './figure-table.tsx';
import { Sides } from './side-mark.tsx';
import { Verdict } from './verdict.tsx';

const REFRESH_MS = 3000;

const loadTimelines = () => import('./compared-timelines.tsx');

/** With a run that is still going the comparison is read again. */
function whileGoing(last: CompareReply | undefined): number | undefined {
  return last && [last.a, last.b].some(({ run }) => run.phase !== 'ended') ? REFRESH_MS : undefined;
}

/** Compares two runs: where they diverge, their figures and their settings. */
export function ComparePage() {
  const query = useSearchParams();
  const a = query.get('a') ?? '';
  const b = query.get('b') ?? '';
  const both = a !== '' && b !== '';
  const pair = new URLSearchParams({ a, b }).toString();
  // The texts of a long comparison are fetched in parts, starting from an iteration.
  const [texts, setTexts] = useState({ pair, from: 1 });
  const from = texts.pair === pair ? texts.from : 1;
  const path = both ? `/api/compare?${pair}${from === 1 ? '' : `&from=${from}`}` : undefined;
  const { data: fresh, error, reload } = useApi<CompareReply>(path, whileGoing);
  const data = fresh?.a.run.id === a && fresh.b.run.id === b ? fresh : undefined;
  const differences = useRef<DifferencesHandle>(null);
  const mode = data?.a.run.mode;
  return (
    <main id="main" className="mx-auto w-full max-w-[110rem] flex-1 px-3 py-6 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">Compare</h1>
      <Picker a={a} b={b} chosen={data ? [data.a.run, data.b.run] : []} />
      {error && !data && (
        <div className="mt-6">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {!both && (
        <p className="mt-6 max-w-prose text-ink-2">
          Choose two runs: a fork and its original, the same task with two models, or two seeds. What they did
          is put side by side, iteration by iteration, and the first difference is marked.
        </p>
      )}
      {both && !data && !error && (
        <p className="mt-6 text-ink-3" aria-busy="true">
          Comparing
        </p>
      )}
      {data && (
        <>
          <Verdict
            comparison={data.comparison}
            mode={mode}
            onGo={(position) => differences.current?.goTo(position)}
          />
          <Timelines
            key={`${pair} times`}
            a={data.a.run}
            b={data.b.run}
            unit={stepWord(mode)}
            onOpen={(position) => differences.current?.goTo(position)}
          />
          <FigureTable reply={data} />
          <Differences
            key={pair}
            handle={differences}
            comparison={data.comparison}
            a={data.a.run}
            b={data.b.run}
            onTexts={(position) => setTexts({ pair, from: position })}
          />
        </>
      )}
    </main>
  );
}

/** Longer logs are loaded only on request, because both are needed as a whole. */
const LOADED_EVENTS = 3000;

/** The timelines of both runs, with their code and their logs loaded after the page. */
function Timelines(props: {
  a: RunSummary;
  b: RunSummary;
  unit: string;
  onOpen: (position: number) => void;
}) {
  const { a, b } = props;
  const [wanted, setWanted] = useState(Math.max(a.last_seq, b.last_seq) <= LOADED_EVENTS);
  const { opened, open } = useLoaded(loadTimelines);
  useEffect(() => {
    if (wanted) open(() => true);
  }, [wanted, open]);
  if (opened) return <opened.code.ComparedTimelines {...props} />;
  if (wanted) return <div className="mt-6 min-h-32" />;
  return (
    <Button size="sm" className="mt-6 print:hidden" onClick={() => setWanted(true)}>
      Show timelines ({formatCount(a.last_seq + b.last_seq)} events)
    </Button>
  );
}

/** Both sides, each to be chosen among the newest runs. */
function Picker({ a, b, chosen }: { a: string; b: string; chosen: readonly RunSummary[] }) {
  const router = useRouter();
  const { data } = useApi<RunListReply>('/api/runs?limit=100');
  const runs = new Map([...chosen, ...(data?.runs ?? [])].map((run) => [run.id, run]));
  const go = (left: string, right: string) =>
    router.replace(`/compare?${new URLSearchParams({ a: left, b: right }).toString()}`, { scroll: false });
  usePageTitle(chosen.length === 2 ? `Compare: ${titleOf(chosen[0])} · Loupe` : 'Compare runs · Loupe');
  const side = (name: 'A' | 'B', value: string, choose: (id: string) => void) => (
    <div className="flex min-w-0 items-center gap-2">
      <Sides side={name} />
      <select
        aria-label={`Run ${name}`}
        className="field min-w-0 flex-1 truncate py-1.5"
        value={value}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Choose a run</option>
        {value !== '' && !runs.has(value) && <option value={value}>{value}</option>}
        {[...runs.values()].map((run) => (
          <option key={run.id} value={run.id}>
            {shortLine(run.model)} · {titleOf(run)} · {formatMoment(run.created_at)}
          </option>
        ))}
      </select>
      {value !== '' && (
        <Link
          href={`/runs/${encodeURIComponent(value)}`}
          className="shrink-0 text-sm text-brass underline-offset-4 hover:underline print:hidden"
        >
          Open
        </Link>
      )}
    </div>
  );
  return (
    <div className="mt-4 grid items-center gap-x-4 gap-y-2 md:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
      {side('A', a, (id) => go(id, b))}
      <Button
        size="sm"
        kind="quiet"
        className="justify-self-center print:hidden"
        disabled={a === '' && b === ''}
        onClick={() => go(b, a)}
      >
        Swap
      </Button>
      {side('B', b, (id) => go(a, id))}
    </div>
  );
}

function titleOf(run: RunSummary | undefined): string {
  return shortLine(run?.title ?? '', 60);
}
