'use client';

import { useEffect } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { CreateRunRequest } from '#lib/api/create-run.ts';
import { keepText, keptText } from '#lib/browser/drafts/kept-text.ts';
import type { RunDraft } from '#lib/browser/drafts/run-draft.ts';

/** The name under which the task is kept. */
export const KEPT_TASK = 'new-run';

/**
 * Keeps the typed task of a new run, so that a reload or a look at another page does not lose it. A task in the address,
 * which a reload would put back, is removed there once it is kept.
 *
 * @param isNew whether the form began empty: a preset or an earlier run fills it in otherwise
 */
export function useKeptTask(
  { subscribe, getValues, setValue }: UseFormReturn<RunDraft, unknown, CreateRunRequest>,
  isNew: boolean,
): void {
  useEffect(() => {
    if (!isNew) return;
    if (getValues('task') === '') setValue('task', keptText(KEPT_TASK));
    return subscribe({
      formState: { values: true },
      callback: ({ values }) => {
        keepText(KEPT_TASK, values.task);
        const address = new URL(location.href);
        if (!address.searchParams.has('task')) return;
        address.searchParams.delete('task');
        history.replaceState(null, '', address);
      },
    });
  }, [isNew, subscribe, getValues, setValue]);
}
