'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { copyText, NOT_COPIED } from '#lib/browser/copy-text.ts';
import { say } from '#lib/browser/say.ts';
import { activityOf } from '#lib/browser/state/activity.ts';
import { offerCommands } from '#lib/browser/state/commands.ts';
import { comparePath } from '#lib/browser/state/compared-runs.ts';
import { runTitle } from '#lib/browser/words/mode-words.ts';
import { stateIcon } from '#lib/browser/words/state-icon.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { RunPhase } from '#lib/events/run-phase.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { usePlotsInFull } from '../run-view/plots/plots-bar.tsx';
import { useRun, useRunSource } from '../run-view/run-context.tsx';
import { useNoted } from './run-notes.tsx';

const NOT_RUNNING: ReadonlySet<RunPhase> = new Set<RunPhase>([
  'queued',
  'awaiting-server',
  'awaiting-approval',
  'awaiting-message',
]);

/** The tab's title and icon carry the state, for the many hours in which the page is in the background. */
export function PageState() {
  const store = useRunSource();
  const given = useNoted()?.annotations?.title;
  const own = useRun((view) => runTitle(view.run.config));
  const title = given ?? own;
  const run = useRun((view) => view.run);
  const queue = useStore(store.live, (live) => live.queue);
  const { tone, label, running } = activityOf(run, { ...store.live.getState(), queue });
  // While it runs, the steps change too often for a title, which shows only what needs attention.
  const state = running && !NOT_RUNNING.has(run.phase) ? 'Running' : label;
  usePageTitle(title === '' ? undefined : `${state}: ${shortLine(title, 60)} · Loupe`);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel~="icon"]');
    if (!icon) return;
    const before = icon.href;
    icon.href = stateIcon(tone);
    return () => {
      icon.href = before;
    };
  }, [tone]);
  return null;
}

/** The command palette's commands for the run on the page. */
export function RunCommands({
  onGoToEnd,
  onSearch,
  onGoToIteration,
  onReplay,
}: {
  onGoToEnd: () => void;
  onSearch: () => void;
  onGoToIteration: () => void;
  /** Absent while there is nothing to play. */
  onReplay: (() => void) | undefined;
}) {
  const runId = useRun((view) => view.run.runId);
  const router = useRouter();
  const { full, open: showPlots, close: hidePlots } = usePlotsInFull();
  useEffect(
    () =>
      offerCommands([
        { id: 'search', group: 'This run', label: 'Search in this run', keys: '/', run: onSearch },
        { id: 'go', group: 'This run', label: 'Go to an iteration', keys: 'Ctrl G', run: onGoToIteration },
        { id: 'end', group: 'This run', label: 'Go to the end and follow', keys: 'G', run: onGoToEnd },
        {
          id: 'plots',
          group: 'This run',
          label: full ? 'Back to the timeline' : 'Show all plots',
          run: full ? hidePlots : showPlots,
        },
        {
          id: 'link',
          group: 'This run',
          label: 'Copy the link to this row',
          run: () =>
            void copyText(location.href).then((copied) => {
              if (!copied) say(NOT_COPIED);
            }),
        },
        {
          id: 'again',
          group: 'This run',
          label: 'Run again with changes',
          run: () => router.push(`/runs/new?from=${encodeURIComponent(runId)}`),
        },
        {
          id: 'compare-with',
          group: 'This run',
          label: 'Compare with another run',
          run: () => router.push(comparePath([runId])),
        },
        {
          id: 'log',
          group: 'This run',
          label: 'Download the log',
          run: () => location.assign(`/api/runs/${encodeURIComponent(runId)}/log`),
        },
        ...(onReplay ? [{ id: 'replay', group: 'This run', label: 'Replay the run', run: onReplay }] : []),
        { id: 'print', group: 'This run', label: 'Print', run: () => window.print() },
      ]),
    [runId, router, full, showPlots, hidePlots, onGoToEnd, onSearch, onGoToIteration, onReplay],
  );
  return null;
}
