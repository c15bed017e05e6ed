'use client';

import { useEffect, useState } from 'react';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { getJson } from '#lib/browser/api.ts';
import { newRerunDraft } from '#lib/browser/drafts/rerun-draft.ts';
import { createRerunStore, type RerunStore } from '#lib/browser/state/rerun-tries.ts';
import type { CallRow, ShownEvent } from '#lib/events/timeline.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useRunSource } from '../run-view/run-context.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { RerunForm } from './rerun-form.tsx';

/** A call with everything that is needed to send it again. */
interface LoadedCall {
  sent: SentRequestReply;
  /** The row with its texts in full. */
  row: CallRow;
  store: RerunStore;
}

// Keyed by the run's store, so that tries survive closing the editor, but not leaving the page.
const visits = new WeakMap<object, Map<number, LoadedCall>>();

/** Sends a model call of a run again with changes, any number of times. The run is not changed. */
export function RerunDialog({ row, onClose }: { row: CallRow; onClose: () => void }) {
  const source = useRunSource();
  const path = `/api/runs/${encodeURIComponent(row.started.run_id)}`;
  const [loaded, setLoaded] = useState(() => visits.get(source)?.get(row.call));
  const { problem, run } = useRequest();
  const isLoaded = loaded !== undefined;
  useEffect(() => {
    if (isLoaded) return;
    void run(async () => {
      const call = await loadCall(path, row);
      const calls = visits.get(source) ?? new Map<number, LoadedCall>();
      visits.set(source, calls.set(row.call, call));
      setLoaded(call);
    });
  }, [isLoaded, path, row, run, source]);
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby="rerun-title"
      className="flex max-h-[calc(100dvh-2rem)] w-[76rem] max-w-[calc(100vw-1.5rem)] flex-col [@media(max-height:30rem)]:block"
    >
      <header className="border-b px-4 pt-4 pb-3 sm:px-6">
        <h2 id="rerun-title" className="text-lg font-semibold tracking-[-0.01em]">
          Re-run model call {row.call}
        </h2>
        <p className="mt-0.5 text-sm text-ink-2">
          Sends this request alone. No tool runs, and the run is not changed.
        </p>
      </header>
      {problem && (
        <div className="grid gap-3 p-4 sm:p-6">
          <ErrorNote error={problem} />
          <Button size="sm" className="justify-self-end" onClick={onClose}>
            Close
          </Button>
        </div>
      )}
      {!loaded && !problem && (
        <p className="p-6 text-ink-3" aria-busy="true">
          Loading the request…
        </p>
      )}
      {loaded && <RerunForm {...loaded} path={path} onClose={onClose} />}
    </Dialog>
  );
}

/** @throws {ApiError} */
async function loadCall(path: string, row: CallRow): Promise<LoadedCall> {
  const [sent, ended, parsed, failed] = await Promise.all([
    getJson<SentRequestReply>(`${path}/calls/${row.call}/request`),
    inFull(path, row.ended),
    inFull(path, row.parsed),
    inFull(path, row.failed),
  ]);
  const store = createRerunStore(newRerunDraft(sent));
  return { sent, row: { ...row, ended, parsed, failed }, store };
}

/** An event with the texts that were cut for viewers. */
async function inFull<Event extends ShownEvent>(
  path: string,
  event: Event | undefined,
): Promise<Event | undefined> {
  const isCut = event !== undefined && 'cuts' in event && event.cuts !== undefined;
  return isCut ? getJson<Event>(`${path}/events/${event.seq}`) : event;
}
