'use client';

import {
  fieldLabel,
  NUMBER_FIELDS,
  type NumberFieldName,
  placeholderOf,
} from '#lib/browser/drafts/number-fields.ts';
import type { PlainSwitch } from '#lib/browser/drafts/run-draft.ts';
import { type NumberFacts, SETTINGS } from '#lib/events/settings.ts';
import { NumberField, Switch } from '../ui/form/fields.tsx';
import { useDraftDefaults, useDraftField } from './run-form.ts';

/** A number field generated from the setting's declaration; its placeholder is the default. */
export function SettingField({
  name,
  instead,
  placeholder,
}: {
  name: NumberFieldName;
  /** Shown instead of the field's value. */
  instead?: string;
  placeholder?: string;
}) {
  const defaults: Readonly<Record<string, unknown>> = useDraftDefaults();
  const { value, set, problem } = useDraftField(name);
  const { help }: NumberFacts = NUMBER_FIELDS[name];
  return (
    <NumberField
      {...fieldLabel(name)}
      hint={help}
      value={instead ?? value}
      onChange={set}
      placeholder={placeholder ?? placeholderOf(name, defaults[name])}
      problem={problem}
    />
  );
}

/** A setting that is on or off. */
export function SettingSwitch({ name }: { name: PlainSwitch }) {
  const { value, set } = useDraftField(name);
  const { label, help } = SETTINGS[name];
  return <Switch label={label} hint={help} checked={value} onChange={set} />;
}
