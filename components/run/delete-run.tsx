'use client';

import { Trash2 } from 'lucide-react';
import { deleteRuns } from '#lib/browser/state/deletions.ts';
import { UNDO_DELETE_MS } from '#lib/events/limits.ts';
import { useDeletion } from '../hooks/use-deletion.ts';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';

/** Deletes a run that has ended, or came as a file, after a question. */
export function DeleteRun({ imported }: { imported: boolean }) {
  const { server } = useRunScreen();
  const runId = useRun((view) => view.run.runId);
  const ended = useRun((view) => view.run.phase === 'ended');
  const { ask, dialog } = useDeletion(() => deleteRuns([runId]), '/');
  if (!imported && (!server?.operates || !ended)) return null;
  return (
    <>
      <Button kind="quiet" size="sm" aria-label="Delete this run" title="Delete this run" onClick={ask}>
        <Trash2 className="size-3.5" aria-hidden="true" />
      </Button>
      <DeleteDialog {...dialog} title="Delete this run?">
        <p className="mt-2 text-ink-2">
          This deletes its log; you can undo that for {UNDO_DELETE_MS / 1000} seconds. Its share links end for
          good. Files in its workspace are kept.
        </p>
      </DeleteDialog>
    </>
  );
}
