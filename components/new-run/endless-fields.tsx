'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { canEmbed } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { offersSetting, SETTINGS } from '#lib/events/settings.ts';
import { Field, Section, Switch } from '../ui/form/fields.tsx';
import { OperatorFields } from './operator-fields.tsx';
import { useDraftField } from './run-form.ts';
import { SettingField, SettingSwitch } from './setting-field.tsx';

/** Settings specific to sessions and explorations: limits and diversity. */
export function EndlessFields({ models }: { models: readonly InstalledModel[] }) {
  const kind = useDraftField('kind').value;
  const untilStopped = useDraftField('untilStopped');
  const diversity = useDraftField('diversity');
  const embeddings = useDraftField('embeddingModel');
  const { hasCycles } = kindFacts(kind);
  return (
    <Section
      title="Limits"
      hint={
        hasCycles
          ? 'Ends after the last cycle, when the conversation is full, or when you stop it'
          : 'Ends when the conversation is full or you stop it'
      }
    >
      {offersSetting(kind, 'autopilot') && <SettingSwitch name="autopilot" />}
      {offersSetting(kind, 'unattended') && <SettingSwitch name="unattended" />}
      <div className="grid gap-3 sm:grid-cols-3">
        {hasCycles && (
          <>
            <SettingField
              name="max_cycles"
              instead={untilStopped.value ? '' : undefined}
              placeholder={untilStopped.value ? 'until stopped' : undefined}
            />
            <SettingField name="calls_per_cycle" />
          </>
        )}
        {offersSetting(kind, 'autopilot') && (
          <>
            <SettingField name="autopilot_turns" />
            <SettingField name="autopilot_seconds" />
          </>
        )}
        {offersSetting(kind, 'turn_delay') && <SettingField name="turn_delay" />}
        <SettingField name="context_limit" />
        <SettingField name="handover_at" />
      </div>
      {hasCycles && (
        <>
          <Switch
            label="Run until stopped"
            hint="No cycle limit. A few empty cycles in a row still end the run."
            checked={untilStopped.value}
            onChange={untilStopped.set}
          />
          <SettingSwitch name="cycle_line" />
          <OperatorFields models={models} />
          <Switch
            label={SETTINGS.diversity.label}
            hint={SETTINGS.diversity.help}
            checked={diversity.value}
            onChange={diversity.set}
          />
          {diversity.value && <SettingSwitch name="diversity_feedback" />}
          {diversity.value && (
            <div className="grid gap-3 sm:grid-cols-3">
              <SettingField name="diversity_threshold" />
              <SettingField name="diversity_window" />
              <Field label="Embedding model" hint="If empty, shared words are counted.">
                {(props) => (
                  <select
                    {...props}
                    className="field text-sm"
                    value={embeddings.value}
                    onChange={(event) => embeddings.set(event.target.value)}
                  >
                    <option value="">none</option>
                    {models
                      .filter((model) => canEmbed(model) || model.name === embeddings.value)
                      .map((model) => (
                        <option key={model.name} value={model.name}>
                          {shortLine(model.name)}
                        </option>
                      ))}
                  </select>
                )}
              </Field>
            </div>
          )}
        </>
      )}
    </Section>
  );
}
