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
import { DeleteDialog } from '../ui/delete-dialog.tsx';

/** Deletes a run that has ended, or came as a file, after a question. */
export function DeleteRun({ imported }: { imported: boolean }) {
  const { server } = useRunScreen();
  const runId = useRun((view) => view.run.runId);
  const ended = useRun((view) => view.run.phase === 'ended');
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const request = useRequest();
  if (!imported && (!server?.operates || !ended)) return null;
  const remove = () =>
    request.run(async () => {
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
        onClick={() => {
          request.setProblem(undefined);
          setAsking(true);
        }}
      >
        <Trash2 className="size-3.5" aria-hidden="true" />
      </Button>
      <DeleteDialog
        open={asking}
        title="Delete this run?"
        request={request}
        onClose={() => setAsking(false)}
        onDelete={() => void remove()}
      >
        <p className="mt-2 text-ink-2">
          This deletes its log; you can undo that for {UNDO_DELETE_MS / 1000} seconds. Its share links end for
          good. Files in its workspace are kept.
        </p>
      </DeleteDialog>
    </>
  );
}
