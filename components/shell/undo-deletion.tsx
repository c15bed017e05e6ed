'use client';

import { useEffect } from 'react';
import { useStore } from 'zustand';
import { focusSoon, watchFocus } from '#lib/browser/focus-soon.ts';
import { type Deletion, deletions, settleDeletion, undoDeletion } from '#lib/browser/state/deletions.ts';
import { plural } from '#lib/browser/words/format.ts';
import { UNDO_DELETE_MS } from '#lib/events/limits.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';

/** Offers to restore what was just deleted, for as long as the server keeps it. */
export function UndoDeletion() {
  const last = useStore(deletions, (state) => state.last);
  return last ? <Offer key={last.undoUntil} deletion={last} /> : null;
}

function Offer({ deletion }: { deletion: Deletion }) {
  const { busy, problem, run } = useRequest();
  // By this browser's own clock: the server's may differ.
  useEffect(() => {
    const timer = setTimeout(() => settleDeletion(deletion), UNDO_DELETE_MS);
    return () => clearTimeout(timer);
  }, [deletion]);
  const undo = async () => {
    const [first = ''] = deletion.runs;
    const hasMoved = watchFocus();
    if ((await run(() => undoDeletion(deletion))) && !hasMoved()) {
      focusSoon(
        () => document.querySelector<HTMLElement>(`main a[href="/runs/${encodeURIComponent(first)}"]`),
        // Another page, or a filter that leaves the run out.
        () => document.querySelector<HTMLElement>('main :is(a[href], button:enabled)'),
      );
    }
  };
  return (
    <section
      aria-label="Deleted runs"
      className="fixed inset-x-3 bottom-5 z-40 mx-auto flex w-fit max-w-full flex-wrap items-center gap-x-4 gap-y-1 rounded-lg bg-ink py-2 pr-2 pl-4 text-canvas shadow-lg print:hidden"
    >
      <p role="status" className="text-sm font-medium">
        {problem?.message ?? `${plural(deletion.runs.length, 'run')} deleted`}
      </p>
      <Button size="sm" onClick={() => void undo()} disabled={busy}>
        Undo
      </Button>
    </section>
  );
}
