'use client';

import { Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { deleteRuns } from '#lib/browser/state/deletions.ts';
import { UNDO_DELETE_MS } from '#lib/events/limits.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** Deletes a run that has ended, or came as a file, after a question. */
export function DeleteRun({ imported }: { imported: boolean }) {
  const { server } = useRunScreen();
  const runId = useRun((view) => view.run.runId);
  const ended = useRun((view) => view.run.phase === 'ended');
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useRequest();
  if (!imported && (!server?.operates || !ended)) return null;
  const remove = () =>
    run(async () => {
      await deleteRuns([runId]);
      router.push('/');
      return LEAVING;
    });
  return (
    <>
      <Button
        kind="quiet"
        size="sm"
        aria-label="Delete this run"
        title="Delete this run"
        onClick={() => setAsking(true)}
      >
        <Trash2 className="size-3.5" aria-hidden="true" />
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        aria-labelledby="delete-run"
        className="w-96 p-5"
      >
        <h2 id="delete-run" className="text-lg font-semibold">
          Delete this run?
        </h2>
        <p className="mt-2 text-ink-2">
          This deletes its log; you can undo that for {UNDO_DELETE_MS / 1000} seconds. Its share links end for
          good. Files in its workspace are kept.
        </p>
        {problem && (
          <div className="mt-3">
            <ErrorNote error={problem} />
          </div>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button size="sm" onClick={() => setAsking(false)}>
            Keep it
          </Button>
          <Button kind="danger" size="sm" onClick={() => void remove()} disabled={busy}>
            Delete
          </Button>
        </div>
      </Dialog>
    </>
  );
}
