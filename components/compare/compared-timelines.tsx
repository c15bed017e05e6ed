'use client';

import { useCallback, useMemo, useRef, useSyncExternalStore } from 'react';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { type AlignedTime, alignTimes, type IterationTime } from '#lib/browser/plots/aligned-times.ts';
import { TIME_LABELS, totalsWords } from '#lib/browser/plots/plot-words.ts';
import { TIME_KINDS } from '#lib/browser/plots/series.ts';
import { callTimes } from '#lib/browser/plots/waterfall.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import type { RunView } from '#lib/browser/state/run-view.ts';
import { formatCount, formatDuration } from '#lib/browser/words/format.ts';
import { useRunStores } from '../hooks/use-run-store.ts';
import { AlignedRows } from '../plots/aligned-rows.tsx';
import { TIME_COLORS } from '../plots/palette.ts';

interface TimelinesProps {
  runs: readonly RunSummary[];
  /** What an iteration is called. */
  unit: string;
  onOpen: (position: number) => void;
}

/** The times of several runs above each other, aligned by iteration. */
export function ComparedTimelines(props: TimelinesProps) {
  const stores = useRunStores(props.runs.map(({ id }) => id));
  return <div className="mt-10 min-h-32">{stores && <Timelines {...props} stores={stores} />}</div>;
}

function Timelines({ runs, unit, onOpen, stores }: TimelinesProps & { stores: readonly RunStore[] }) {
  const views = useViews(stores);
  const behind = runs.some((run, index) => (stores[index]?.cursor ?? 0) < run.last_seq);
  const aligned = useMemo(
    () => alignTimes(views.map(({ timeline, run }) => callTimes(timeline.rows, run.updatedAt))),
    [views],
  );
  const letters = runs.map((_, index) => runLetter(index));
  const kinds = TIME_KINDS.filter((kind) =>
    aligned.some((time) => time.runs.some((own) => (own?.totals[kind] ?? 0) > 0)),
  );
  const cells = (time: AlignedTime, of: (own: IterationTime) => number) =>
    letters.map((_, index) => {
      const own = time.runs[index];
      return own ? formatDuration(of(own)) : '';
    });
  return (
    <AlignedRows
      title={`Time by ${unit.toLowerCase()}`}
      note={behind ? 'Loading the runs…' : `Each ${unit.toLowerCase()} begins at the same place in all runs.`}
      labels={letters}
      legend={kinds.map((kind) => ({ label: TIME_LABELS[kind], color: TIME_COLORS[kind] }))}
      times={aligned}
      describe={(index) => wordsOf(aligned[index], unit)}
      open={(index) => {
        const position = aligned[index]?.position ?? 0;
        if (position > 0) onOpen(position);
      }}
      empty="No run has called its model yet."
      table={{
        head: [
          unit,
          ...letters,
          ...letters.map((letter) => `${letter}, model`),
          ...letters.map((letter) => `${letter}, tools`),
        ],
        rows: () =>
          aligned.map((time) => ({
            key: String(time.position),
            cells: [
              time.position === 0 ? 'Start' : formatCount(time.position),
              ...cells(time, (own) => own.length),
              ...cells(time, modelMs),
              ...cells(time, (own) => own.totals.tool),
            ],
          })),
      }}
    />
  );
}

/** The views of several runs; the same list until one of them changes. */
function useViews(stores: readonly RunStore[]): readonly RunView[] {
  const last = useRef<readonly RunView[]>([]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = stores.map(({ view }) => view.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [stores],
  );
  const snapshot = useCallback(() => {
    const views = stores.map(({ view }) => view.getState());
    const isSame =
      views.length === last.current.length &&
      views.every(({ timeline, run }, index) => {
        const before = last.current[index];
        return before?.timeline === timeline && before.run === run;
      });
    if (!isSame) last.current = views;
    return last.current;
  }, [stores]);
  return useSyncExternalStore(subscribe, snapshot, snapshot);
}

function modelMs({ totals }: IterationTime): number {
  return totals.prompt + totals.thinking + totals.writing + totals.model;
}

function wordsOf(time: AlignedTime | undefined, unit: string): string {
  if (!time) return '';
  const own = time.runs.map((each, index) =>
    each
      ? `${runLetter(index)} ${[formatDuration(each.length), ...totalsWords(each.totals)].join(', ')}`
      : `${runLetter(index)} has none`,
  );
  const name =
    time.position === 0 ? `Before the first ${unit.toLowerCase()}` : `${unit} ${formatCount(time.position)}`;
  return `${name}: ${own.join(' · ')}`;
}
