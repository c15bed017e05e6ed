'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { DeletedExperimentReply } from '#lib/api/experiment.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** Deletes an experiment after a question: with its runs, or without. */
export function DeleteExperiment({ path }: { path: string }) {
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const [withRuns, setWithRuns] = useState(false);
  const { busy, problem, setProblem, run } = useRequest();
  const remove = () =>
    run(async () => {
      await deleteJson<DeletedExperimentReply>(withRuns ? `${path}?runs=1` : path);
      router.push('/experiments');
      return LEAVING;
    });
  const ask = () => {
    setWithRuns(false);
    setProblem(undefined);
    setAsking(true);
  };
  return (
    <>
      <Button size="sm" kind="quiet" className="text-fail max-sm:h-11" onClick={ask}>
        Delete
      </Button>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        aria-labelledby="delete-experiment"
        className="w-96 p-5"
      >
        <h2 id="delete-experiment" className="text-lg font-semibold">
          Delete this experiment?
        </h2>
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
        {problem && (
          <div className="mt-3">
            <ErrorNote error={problem} />
          </div>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button size="sm" className="max-sm:h-11" onClick={() => setAsking(false)}>
            Keep it
          </Button>
          <Button
            kind="danger"
            size="sm"
            className="max-sm:h-11"
            onClick={() => void remove()}
            disabled={busy}
          >
            Delete
          </Button>
        </div>
      </Dialog>
    </>
  );
}
