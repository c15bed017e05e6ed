'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { startTransition, useEffect, useOptimistic, useRef, useState } from 'react';
import type { CompareRunsReply } from '#lib/api/comparison.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { comparedIds, comparePath, otherIndex, runLetter } from '#lib/browser/state/compared-runs.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { comparedStepWord } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { MAX_COMPARED_RUNS } from '#lib/events/limits.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { preloadMarkdown } from '../ui/content/content.tsx';
import { preloadFileDiff } from '../ui/content/file-diff.tsx';
import { Answers } from './answers.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { ComparedSteps, REFRESH_MS } from './compared-steps.tsx';
import type { DifferencesHandle } from './differences.tsx';
import { FigureTables } from './figure-table.tsx';
import { RunPicker } from './run-picker.tsx';

const loadTimelines = () => import('./compared-timelines.tsx');

/** With a run in progress, the comparison is refreshed. */
function refreshWhileActive(last: CompareRunsReply | undefined): number | undefined {
  return last?.runs.some(({ run }) => run.phase !== 'ended') ? REFRESH_MS : undefined;
}

/** Compares runs: their answers, figures and files, and where one of them diverges from the baseline. */
export function ComparePage() {
  const router = useRouter();
  const query = useSearchParams();
  // Shown before the URL has changed, so that a run chosen meanwhile is added to them.
  const [ids, setIds] = useOptimistic(comparedIds(query));
  const enough = ids.length > 1;
  const path = `/api/compare/runs?${new URLSearchParams(ids.map((id) => ['run', id]))}`;
  const {
    data: fresh,
    error,
    reload,
  } = useApi<CompareRunsReply>(enough ? path : undefined, refreshWhileActive);
  const isCurrent = enough && fresh?.runs.map(({ run }) => run.id).join() === ids.join();
  const data = isCurrent ? fresh : undefined;
  const go = (to: string) => router.replace(to, { scroll: false });
  const compare = (changed: readonly string[]) =>
    startTransition(() => {
      setIds([...changed]);
      go(comparePath(changed, query.get('with') ?? undefined));
    });
  useEffect(() => {
    if (!enough) return;
    preloadMarkdown();
    preloadFileDiff();
  }, [enough]);
  usePageTitle(
    data ? `Compare: ${shortLine(data.runs[0]?.run.title ?? '', 60)} · Loupe` : 'Compare runs · Loupe',
  );
  return (
    <main id="main" className="mx-auto w-full max-w-[110rem] flex-1 px-3 py-6 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">Compare</h1>
      {!enough && (
        <p className="mt-2 max-w-prose text-ink-2">
          Choose 2 to {MAX_COMPARED_RUNS} runs: a fork and its original, the same task with several models, or
          several seeds. Their answers, figures and files are put side by side, and the first difference from
          the baseline is marked.
        </p>
      )}
      <RunPicker ids={ids} loaded={fresh?.runs.map(({ run }) => run) ?? []} onChange={compare} />
      {error && !data && enough && (
        <div className="mt-6">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {enough && !data && !error && (
        <p className="mt-6 text-ink-3" aria-busy="true">
          Comparing…
        </p>
      )}
      {data && (
        <Compared
          key={ids.join()}
          reply={data}
          other={otherIndex(query, ids)}
          onOther={(index) => go(comparePath(ids, ids[index]))}
        />
      )}
    </main>
  );
}

function Compared({
  reply,
  other,
  onOther,
}: {
  reply: CompareRunsReply;
  other: number;
  onOther: (index: number) => void;
}) {
  const { runs } = reply;
  const summaries = runs.map(({ run }) => run);
  const differences = useRef<DifferencesHandle>(null);
  return (
    <>
      <Answers runs={runs} />
      <FigureTables reply={reply} />
      <ComparedExplorations runs={summaries} />
      <ChangedFiles runs={runs} />
      <Timelines
        runs={summaries}
        unit={comparedStepWord(summaries[0]?.mode)}
        onOpen={(position) => differences.current?.goTo(position)}
      />
      <ComparedSteps runs={summaries} other={other} onOther={onOther} handle={differences} />
    </>
  );
}

const loadExplorations = () => import('../run-view/explore/explorations.tsx');

/** The cycles of all runs, where all are explorations. Their code is loaded after the page. */
function ComparedExplorations({ runs }: { runs: readonly RunSummary[] }) {
  const applies = runs.every(({ mode }) => modeFacts(mode).hasCycles);
  const { opened, open } = useLoaded(loadExplorations);
  useEffect(() => {
    if (applies) open(() => true);
  }, [applies, open]);
  if (!applies) return null;
  return (
    <section aria-label="Explorations" className="mt-10 grid min-h-40 gap-3">
      <h2 className="text-lg font-semibold">Explorations</h2>
      {opened && <opened.code.Explorations ids={runs.map(({ id }) => id)} mark={runLetter} />}
    </section>
  );
}

/** Longer logs are loaded only on request, because all are needed as a whole. */
const LOADED_EVENTS = 3000;

/** The timelines of all runs, with their code and their logs loaded after the page. */
function Timelines(props: { runs: readonly RunSummary[]; unit: string; onOpen: (position: number) => void }) {
  const events = props.runs.map((run) => run.last_seq);
  const [wanted, setWanted] = useState(Math.max(...events) <= LOADED_EVENTS);
  const { opened, open } = useLoaded(loadTimelines);
  useEffect(() => {
    if (wanted) open(() => true);
  }, [wanted, open]);
  if (opened) return <opened.code.ComparedTimelines {...props} />;
  if (wanted) return <div className="mt-10 min-h-32" />;
  return (
    <Button size="sm" className="mt-10 print:hidden" onClick={() => setWanted(true)}>
      Show timelines ({formatCount(events.reduce((sum, count) => sum + count, 0))} events)
    </Button>
  );
}
