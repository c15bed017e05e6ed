'use client';

import { useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { CreateRunRequest } from '#lib/api/create-run.ts';
import { readSettingsText, settingsText } from '#lib/browser/drafts/kept-settings.ts';
import { keepText, keptText } from '#lib/browser/drafts/kept-text.ts';
import { emptyDraft, type RunDraft } from '#lib/browser/drafts/run-draft.ts';

/** The names under which the task and the settings are kept. */
const TASK = 'new-run';
const SETTINGS = 'new-run-settings';

/** Parameters of the URL, and the fields that they fill in. */
const ADDRESS_FIELDS = [
  { parameter: 'mode', field: 'kind' },
  { parameter: 'model', field: 'model' },
] as const;

/** Call when the run was started: the next form starts empty. */
export function forgetDraft(): void {
  keepText(TASK, '');
  keepText(SETTINGS, '');
}

/**
 * Keeps the entries for a new run, except images, so that a reload or a visit to another page does not lose them. URL
 * parameters take precedence; a parameter is removed once its field changes, because a reload would restore it.
 *
 * @param isNew whether the form started empty, and not from a preset or an earlier run
 */
export function useKeptDraft(
  { subscribe, getValues, reset }: UseFormReturn<RunDraft, unknown, CreateRunRequest>,
  isNew: boolean,
): { hasKeptSettings: boolean; resetSettings: () => void } {
  const [hasKeptSettings, setKept] = useState(false);
  useEffect(() => {
    if (!isNew) return;
    // A model that nobody chose is not kept, because the default may change.
    let choseModel = false;
    if (getValues('task') === '') {
      const kept = missingSettings(getValues());
      choseModel = kept.model !== undefined;
      reset({ ...getValues(), ...kept, task: keptText(TASK) });
      setKept(Object.keys(kept).length > 0);
    }
    return subscribe({
      formState: { values: true },
      callback: ({ values, name, type }) => {
        if (name === 'model' && type === 'change') choseModel = true;
        keepText(TASK, values.task);
        keepText(SETTINGS, settingsText(choseModel ? values : { ...values, model: '' }));
        forgetInAddress(name);
      },
    });
  }, [isNew, subscribe, getValues, reset]);
  const resetSettings = () => {
    const { kind, task, images, model } = getValues();
    reset({ ...emptyDraft, kind, task, images, model });
    keepText(SETTINGS, '');
    setKept(false);
  };
  return { hasKeptSettings, resetSettings };
}

/** The kept settings of fields that neither the address nor the page before has filled in. */
function missingSettings(draft: RunDraft): Partial<RunDraft> {
  const query = new URLSearchParams(location.search);
  const named: readonly string[] = ADDRESS_FIELDS.filter(({ parameter }) => query.has(parameter)).map(
    ({ field }) => field,
  );
  // A default model may be filled in already.
  const filledIn = readSettingsText(settingsText({ ...draft, model: '' }));
  const kept = Object.entries(readSettingsText(keptText(SETTINGS)));
  return Object.fromEntries(kept.filter(([name]) => !named.includes(name) && !Object.hasOwn(filledIn, name)));
}

/** Removes the task from the address, and the field that has just been changed. */
function forgetInAddress(changed: string | undefined): void {
  const address = new URL(location.href);
  const names = ADDRESS_FIELDS.filter(({ field }) => field === changed).map(({ parameter }) => parameter);
  const known = ['task', ...names].filter((name) => address.searchParams.has(name));
  if (known.length === 0) return;
  for (const name of known) address.searchParams.delete(name);
  history.replaceState(null, '', address);
}
