'use client';

import {
  fieldLabel,
  NUMBER_FIELDS,
  type NumberFieldName,
  placeholderOf,
} from '#lib/browser/drafts/number-fields.ts';
import { draftDefaults, type PlainSwitch } from '#lib/browser/drafts/run-draft.ts';
import { type NumberFacts, SETTINGS } from '#lib/events/settings.ts';
import { NumberField, Switch } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';

/** A number of the form, as it is declared; empty, it shows what then holds. */
export function SettingField({
  name,
  placeholder,
  draft,
  set,
  problems,
}: FormPart & { name: NumberFieldName; placeholder?: string }) {
  const defaults: Readonly<Record<string, unknown>> = draftDefaults(draft);
  const { help }: NumberFacts = NUMBER_FIELDS[name];
  return (
    <NumberField
      {...fieldLabel(name)}
      hint={help}
      value={draft[name]}
      onChange={(value) => set(name, value)}
      placeholder={placeholder ?? placeholderOf(name, defaults[name])}
      problem={problems[name]}
    />
  );
}

/** A setting that is on or off. */
export function SettingSwitch({ name, draft, set }: FormPart & { name: PlainSwitch }) {
  const { label, help } = SETTINGS[name];
  return (
    <Switch label={label} hint={help} checked={draft[name]} onChange={(checked) => set(name, checked)} />
  );
}
