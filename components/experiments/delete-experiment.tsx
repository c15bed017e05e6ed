'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { DeletedExperimentReply } from '#lib/api/experiment.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';

/** Deletes an experiment after a question: with its runs, or without. */
export function DeleteExperiment({ path }: { path: string }) {
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const [withRuns, setWithRuns] = useState(false);
  const request = useRequest();
  const remove = () =>
    request.run(async () => {
      await deleteJson<DeletedExperimentReply>(withRuns ? `${path}?runs=1` : path);
      router.push('/experiments');
      return LEAVING;
    });
  const ask = () => {
    setWithRuns(false);
    request.setProblem(undefined);
    setAsking(true);
  };
  return (
    <>
      <Button size="sm" kind="quiet" className="text-fail max-sm:h-11" onClick={ask}>
        Delete
      </Button>
      <DeleteDialog
        open={asking}
        title="Delete this experiment?"
        request={request}
        onClose={() => setAsking(false)}
        onDelete={() => void remove()}
      >
        <p className="mt-2 text-ink-2">
          This deletes its plan and its results and cannot be undone.{' '}
          {withRuns
            ? 'The logs and share links of its runs are deleted too. Files in their workspaces are kept.'
            : 'Its runs stay in the list of runs.'}
        </p>
        <label className="mt-3 flex items-center gap-3 max-sm:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-brass-fill"
            checked={withRuns}
            onChange={(event) => setWithRuns(event.target.checked)}
          />
          Also delete its runs
        </label>
      </DeleteDialog>
    </>
  );
}
