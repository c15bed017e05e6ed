'use client';

import { draftDefaults } from '#lib/browser/drafts/run-draft.ts';
import { offersSetting, SETTINGS } from '#lib/events/settings.ts';
import { Choice, Field, Section, THINKING } from '../ui/form/fields.tsx';
import type { FormPart } from './form-part.ts';
import { SettingField, SettingSwitch } from './setting-field.tsx';

/** The most common model options. */
export function ModelBehaviour(part: FormPart) {
  const { draft, set } = part;
  return (
    <Section title="Model behaviour">
      <SettingSwitch name="live_tokens" {...part} />
      <Choice
        legend={SETTINGS.think.label}
        name="think"
        value={draft.think}
        onChange={(value) => set('think', value)}
        options={THINKING}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        <SettingField name="temperature" {...part} />
        <SettingField name="seed" {...part} />
        <SettingField name="window_tokens" {...part} />
      </div>
    </Section>
  );
}

/** Further options, collapsed. */
export function AdvancedFields(part: FormPart) {
  const { draft, set } = part;
  const defaults = draftDefaults(draft);
  return (
    <details className="group border-t py-6">
      <summary className="reach flex w-fit items-center gap-2 font-semibold">
        <svg
          viewBox="0 0 8 8"
          className="size-2 text-ink-3 transition-transform group-open:rotate-90"
          aria-hidden="true"
        >
          <path d="M2 0.5 6 4 2 7.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
        </svg>
        Advanced
      </summary>
      <div className="mt-4 grid gap-4 md:pl-[13.5rem]">
        {offersSetting(draft.kind, 'system') && (
          <Field label={SETTINGS.system.label} hint={SETTINGS.system.help}>
            {(props) => (
              <textarea
                {...props}
                className="field min-h-20 resize-y font-mono text-sm"
                value={draft.system}
                onChange={(event) => set('system', event.target.value)}
              />
            )}
          </Field>
        )}
        <div className="grid gap-3 sm:grid-cols-3">
          <SettingField name="call_timeout_seconds" {...part} />
          <SettingField name="load_timeout_seconds" {...part} />
          <Field label={SETTINGS.keep_alive.label} hint={SETTINGS.keep_alive.help}>
            {(props) => (
              <input
                {...props}
                className="field font-mono text-sm"
                placeholder={String(defaults.keep_alive)}
                value={draft.keep_alive}
                onChange={(event) => set('keep_alive', event.target.value)}
              />
            )}
          </Field>
          <SettingField name="predict_first" {...part} placeholder={String(defaults.num_predict[0])} />
          <SettingField name="predict_second" {...part} placeholder={String(defaults.num_predict[1])} />
          {offersSetting(draft.kind, 'compact_at') && (
            <>
              <SettingField name="compact_at" {...part} />
              <SettingField name="result_chars" {...part} />
            </>
          )}
          <SettingField name="top_p" {...part} />
          <SettingField name="top_k" {...part} />
        </div>
      </div>
    </details>
  );
}
