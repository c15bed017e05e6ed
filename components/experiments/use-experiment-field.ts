import type { ExperimentDraft } from '#lib/browser/drafts/experiment-draft.ts';
import { useFormField } from '../ui/form/draft-form.ts';

/** A field of the form for a new experiment. */
export const useExperimentField = <Name extends keyof ExperimentDraft>(name: Name) =>
  useFormField<ExperimentDraft, Name>(name);
