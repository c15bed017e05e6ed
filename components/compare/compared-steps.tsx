'use client';

import { type RefObject, useState } from 'react';
import type { CompareReply } from '#lib/api/comparison.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import { comparedStepWord } from '#lib/browser/words/mode-words.ts';
import { useApi } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { Segments } from '../ui/segments.tsx';
import { Differences, type DifferencesHandle } from './differences.tsx';
import { Verdict } from './verdict.tsx';

/** How often a comparison with a run in progress is read again. */
export const REFRESH_MS = 3000;

function refreshWhileActive(last: CompareReply | undefined): number | undefined {
  return last && [last.a, last.b].some(({ phase }) => phase !== 'ended') ? REFRESH_MS : undefined;
}

/** Where the steps of one run diverge from those of the baseline. */
export function ComparedSteps({
  runs,
  other,
  onOther,
  handle,
}: {
  /** The baseline first. */
  runs: readonly RunSummary[];
  /** The index of the run that is compared with the baseline. */
  other: number;
  onOther: (index: number) => void;
  handle: RefObject<DifferencesHandle | null>;
}) {
  const [a, b] = [runs[0]?.id ?? '', runs[other]?.id ?? ''];
  const pair = new URLSearchParams({ a, b }).toString();
  // The texts of a long comparison are fetched in parts, starting from an iteration.
  const [texts, setTexts] = useState({ pair, from: 1 });
  const from = texts.pair === pair ? texts.from : 1;
  const path = `/api/compare?${pair}${from === 1 ? '' : `&from=${from}`}`;
  const { data: fresh, error, reload } = useApi<CompareReply>(path, refreshWhileActive);
  const data = fresh?.a.id === a && fresh.b.id === b ? fresh : undefined;
  const word = comparedStepWord(runs[0]?.mode);
  return (
    <section aria-label={`${word}s`} className="mt-10">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-semibold">{word}s</h2>
        {runs.length > 2 && (
          <div className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
            A compared with
            <Segments
              legend={`Run whose ${word.toLowerCase()}s are compared with A`}
              segments={runs
                .slice(1)
                .map((_, index) => ({ id: runLetter(index + 1), label: runLetter(index + 1) }))}
              chosen={runLetter(other)}
              onChoose={(letter) => onOther(runs.findIndex((_, index) => runLetter(index) === letter))}
            />
          </div>
        )}
      </div>
      {error && !data && (
        <div className="mt-3">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {!data && !error && (
        <p className="mt-3 text-ink-3" aria-busy="true">
          Comparing…
        </p>
      )}
      {data && (
        <>
          <Verdict
            comparison={data.comparison}
            mode={data.a.mode}
            onGo={(position) => handle.current?.goTo(position)}
          />
          <Differences
            key={pair}
            handle={handle}
            comparison={data.comparison}
            a={data.a}
            b={data.b}
            letter={runLetter(other)}
            onTexts={(position) => setTexts({ pair, from: position })}
          />
        </>
      )}
    </section>
  );
}
