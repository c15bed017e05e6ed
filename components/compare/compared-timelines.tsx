'use client';

import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { type AlignedTime, alignTimes } from '#lib/browser/plots/aligned-times.ts';
import { TIME_LABELS, totalsWords } from '#lib/browser/plots/plot-words.ts';
import { TIME_KINDS } from '#lib/browser/plots/series.ts';
import { callTimes } from '#lib/browser/plots/waterfall.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import { formatCount, formatDuration } from '#lib/browser/words/format.ts';
import { useRunStore } from '../hooks/use-run-store.ts';
import { AlignedRows } from '../plots/aligned-rows.tsx';
import { TIME_COLORS } from '../plots/palette.ts';

interface TimelinesProps {
  a: RunSummary;
  b: RunSummary;
  /** What an iteration is called. */
  unit: string;
  onOpen: (position: number) => void;
}

/** The time of two runs above each other, aligned by iteration. */
export function ComparedTimelines(props: TimelinesProps) {
  const a = useRunStore(props.a.id);
  const b = useRunStore(props.b.id);
  return (
    <div className="mt-6 min-h-32">{a && b ? <Timelines {...props} storeA={a} storeB={b} /> : null}</div>
  );
}

function Timelines({
  a,
  b,
  unit,
  onOpen,
  storeA,
  storeB,
}: TimelinesProps & { storeA: RunStore; storeB: RunStore }) {
  const timesA = useCallTimes(storeA);
  const timesB = useCallTimes(storeB);
  const loading = [
    [storeA, a],
    [storeB, b],
  ] as const;
  const behind = loading.some(([store, run]) => store.cursor < run.last_seq);
  const aligned = useMemo(() => alignTimes(timesA, timesB), [timesA, timesB]);
  const kinds = TIME_KINDS.filter((kind) =>
    aligned.some((time) => (time.a?.totals[kind] ?? 0) + (time.b?.totals[kind] ?? 0) > 0),
  );
  return (
    <AlignedRows
      title={`Time by ${unit.toLowerCase()}`}
      note={
        behind ? 'Loading both runs.' : `Each ${unit.toLowerCase()} begins at the same place in both runs.`
      }
      labels={['A', 'B']}
      legend={kinds.map((kind) => ({ label: TIME_LABELS[kind], color: TIME_COLORS[kind] }))}
      times={aligned}
      describe={(index) => wordsOf(aligned[index], unit)}
      open={(index) => {
        const position = aligned[index]?.position ?? 0;
        if (position > 0) onOpen(position);
      }}
      empty="Neither run has called its model yet."
      table={{
        head: [unit, 'A', 'B', 'A, model', 'B, model', 'A, tools', 'B, tools'],
        rows: () =>
          aligned.map((time) => ({
            key: String(time.position),
            cells: [
              time.position === 0 ? 'Start' : formatCount(time.position),
              durationOf(time.a?.length),
              durationOf(time.b?.length),
              durationOf(modelMs(time.a)),
              durationOf(modelMs(time.b)),
              durationOf(time.a?.totals.tool),
              durationOf(time.b?.totals.tool),
            ],
          })),
      }}
    />
  );
}

function useCallTimes(store: RunStore) {
  const rows = useStore(store.view, (view) => view.timeline.rows);
  const until = useStore(store.view, (view) => view.run.updatedAt);
  return useMemo(() => callTimes(rows, until), [rows, until]);
}

function modelMs(time: AlignedTime['a']): number | undefined {
  return time && time.totals.prompt + time.totals.thinking + time.totals.writing + time.totals.model;
}

function durationOf(ms: number | undefined): string {
  return ms === undefined ? '' : formatDuration(ms);
}

function wordsOf(time: AlignedTime | undefined, unit: string): string {
  if (!time) return '';
  const side = (name: string, own: AlignedTime['a']) =>
    own
      ? `${name} ${[formatDuration(own.length), ...totalsWords(own.totals)].join(', ')}`
      : `${name} has none`;
  const name =
    time.position === 0 ? `Before the first ${unit.toLowerCase()}` : `${unit} ${formatCount(time.position)}`;
  return `${name}: ${side('A', time.a)} · ${side('B', time.b)}`;
}
