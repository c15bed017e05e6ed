'use client';

import { useState } from 'react';
import type { DeletedExperimentReply } from '#lib/api/experiment.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { useDeletion } from '../hooks/use-deletion.ts';
import { Button } from '../ui/button.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';

/** Deletes an experiment after a question: with its runs, or without. */
export function DeleteExperiment({ path, disabled }: { path: string; disabled: boolean }) {
  const [withRuns, setWithRuns] = useState(false);
  const { ask, dialog } = useDeletion(
    () => deleteJson<DeletedExperimentReply>(withRuns ? `${path}?runs=1` : path),
    '/experiments',
  );
  return (
    <>
      <Button
        size="sm"
        kind="quiet"
        className="text-fail max-sm:h-11"
        disabled={disabled}
        onClick={() => {
          setWithRuns(false);
          ask();
        }}
      >
        Delete
      </Button>
      <DeleteDialog {...dialog} title="Delete this experiment?">
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
