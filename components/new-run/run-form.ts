import { useFormContext, useWatch } from 'react-hook-form';
import { draftDefaults, type RunDraft, requestOf } from '#lib/browser/drafts/run-draft.ts';
import { draftResolver, useFormField } from '../ui/form/draft-form.ts';

export const runDraftResolver = draftResolver(requestOf);

/** The current values of all fields of the new-run form. */
export function useDraft(): RunDraft {
  const { control } = useFormContext<RunDraft>();
  return useWatch({ control, compute: (draft: RunDraft) => draft });
}

/** The defaults of empty fields, which depend on other fields. Renders again only when a default changes. */
export function useDraftDefaults() {
  const { control } = useFormContext<RunDraft>();
  return useWatch({ control, compute: draftDefaults });
}

/** One field of the new-run form. */
export function useDraftField<Name extends keyof RunDraft>(name: Name) {
  return useFormField<RunDraft, Name>(name);
}
