import { useEffect } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { ExperimentRequest } from '#lib/api/experiment.ts';
import type { ExperimentDraft } from '#lib/browser/drafts/experiment-draft.ts';
import { experimentText, readExperimentText } from '#lib/browser/drafts/kept-experiment.ts';
import { keepText, keptText } from '#lib/browser/drafts/kept-text.ts';

/**
 * Keeps the entries for a new experiment, so that a reload or a visit to another page does not lose them.
 *
 * @param suite the ID of the suite that the form was opened for, which has a separate draft
 * @returns a function to call when the experiment was started or the form was cancelled, so that the next form starts
 *   empty
 */
export function useKeptExperiment(
  { subscribe, getValues, reset }: UseFormReturn<ExperimentDraft, unknown, ExperimentRequest>,
  suite: string | null,
): () => void {
  const name = suite === null ? 'new-experiment' : `new-experiment.${suite}`;
  useEffect(() => {
    const kept = readExperimentText(keptText(name));
    if (Object.keys(kept).length > 0) reset({ ...getValues(), ...kept });
    return subscribe({
      formState: { values: true },
      callback: ({ values }) => keepText(name, experimentText(values)),
    });
  }, [name, subscribe, getValues, reset]);
  return () => keepText(name, '');
}
