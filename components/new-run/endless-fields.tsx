'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { canEmbed } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { offersSetting, SETTINGS } from '#lib/events/settings.ts';
import { Field, Section, Switch } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';
import { SettingField, SettingSwitch } from './setting-field.tsx';

/** Settings specific to sessions and explorations: limits and diversity. */
export function EndlessFields({ models, ...part }: FormPart & { models: readonly InstalledModel[] }) {
  const { draft, set } = part;
  const { hasCycles } = kindFacts(draft.kind);
  return (
    <Section title="Limits" hint="Ends when the conversation is full or you stop it">
      <div className="grid gap-3 sm:grid-cols-3">
        {hasCycles && (
          <>
            <SettingField
              name="max_cycles"
              {...part}
              {...(draft.untilStopped && {
                draft: { ...draft, max_cycles: '' },
                placeholder: 'until stopped',
              })}
            />
            <SettingField name="calls_per_cycle" {...part} />
          </>
        )}
        {offersSetting(draft.kind, 'turn_delay') && <SettingField name="turn_delay" {...part} />}
        <SettingField name="context_limit" {...part} />
      </div>
      {hasCycles && (
        <>
          <Switch
            label="Run until stopped"
            hint="No cycle limit. Three empty cycles in a row still end the run."
            checked={draft.untilStopped}
            onChange={(checked) => set('untilStopped', checked)}
          />
          <SettingSwitch name="cycle_line" {...part} />
          <Switch
            label={SETTINGS.diversity.label}
            hint={SETTINGS.diversity.help}
            checked={draft.diversity}
            onChange={(checked) => set('diversity', checked)}
          />
          {draft.diversity && (
            <div className="grid gap-3 sm:grid-cols-3">
              <SettingField name="diversity_threshold" {...part} />
              <SettingField name="diversity_window" {...part} />
              <Field label="Embedding model" hint="If empty, shared words are counted.">
                {(props) => (
                  <select
                    {...props}
                    className="field text-sm"
                    value={draft.embeddingModel}
                    onChange={(event) => set('embeddingModel', event.target.value)}
                  >
                    <option value="">none</option>
                    {models
                      .filter((model) => canEmbed(model) || model.name === draft.embeddingModel)
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
