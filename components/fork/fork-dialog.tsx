'use client';

import type { ForkDraftReply } from '#lib/api/fork-run.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import { forkQuery } from '#lib/browser/drafts/fork-query.ts';
import { useApi } from '../hooks/use-api.ts';
import { ForkMark } from '../run-view/fork-mark.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForkForm } from './fork-form.tsx';

/** Forks a run at an event, with edits to the conversation. The source run is not changed. */
export function ForkDialog({
  runId,
  opening,
  onClose,
}: {
  runId: string;
  opening: ForkOpening;
  onClose: () => void;
}) {
  const { data: point, error } = useApi<ForkDraftReply>(
    `/api/runs/${encodeURIComponent(runId)}/fork?${forkQuery(opening.place)}`,
  );
  return (
    <Dialog
      open
      onClose={onClose}
      keepsOnEscape="typed"
      aria-labelledby="fork-title"
      className="flex max-h-[calc(100dvh-2rem)] w-[46rem] max-w-[calc(100vw-1.5rem)] flex-col [@media(max-height:30rem)]:block"
    >
      <header className="border-b px-4 pt-4 pb-3 sm:px-6">
        <h2 id="fork-title" className="flex items-center gap-2 text-lg font-semibold tracking-[-0.01em]">
          <ForkMark className="size-5 shrink-0 text-brass" />
          Fork {opening.words}
        </h2>
        <p className="mt-0.5 text-sm text-ink-2">
          The new run starts with a copy of everything up to this point. This run is not changed.
        </p>
      </header>
      {error && (
        <div className="grid gap-3 p-4 sm:p-6">
          <ErrorNote error={error} />
          <Button size="sm" className="justify-self-end" onClick={onClose}>
            Close
          </Button>
        </div>
      )}
      {!error && !point && (
        <p className="p-6 text-ink-3" aria-busy="true">
          Loading the conversation…
        </p>
      )}
      {point && !error && <ForkForm runId={runId} opening={opening} point={point} onCancel={onClose} />}
    </Dialog>
  );
}
