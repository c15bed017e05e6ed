'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { callsTools } from '#lib/browser/state/models.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { offersSetting, SETTINGS } from '#lib/events/settings.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Choice, Field, Section, THINKING } from '../ui/form/fields.tsx';
import { useDraftDefaults, useDraftField } from './run-form.ts';
import { SettingField, SettingSwitch } from './setting-field.tsx';

/** Which model runs. */
export function ModelFields({ models }: { models: readonly InstalledModel[] | undefined }) {
  const { value, set, problem } = useDraftField('model');
  return (
    <Section
      title="Model"
      hint={
        models && models.length > 0 && models.every(({ demo }) => demo)
          ? "Scripts that show what a run looks like. Ollama's models appear here when it answers"
          : 'Installed in Ollama'
      }
    >
      <ModelPicker models={models} value={value} onChange={set} problem={problem} />
      <ToolsNote model={models?.find(({ name }) => name === value)} />
    </Section>
  );
}

/** A note that a run of this kind would fail immediately with this model. */
function ToolsNote({ model }: { model: InstalledModel | undefined }) {
  const kind = useDraftField('kind').value;
  if (!model || callsTools(model) !== false || kindFacts(kind).tools.length === 0) return null;
  return (
    <p role="status" className="foreign text-sm text-warn">
      <ShortName text={model.name} max={40} /> cannot call tools. Choose another model, or a quick prompt,
      which uses none.
    </p>
  );
}

/** The most common model options. */
export function ModelBehavior() {
  const kind = useDraftField('kind').value;
  const think = useDraftField('think');
  return (
    <Section title="Model behavior">
      {offersSetting(kind, 'live_tokens') && <SettingSwitch name="live_tokens" />}
      <Choice
        legend={SETTINGS.think.label}
        name="think"
        value={think.value}
        onChange={think.set}
        options={THINKING}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        <SettingField name="temperature" />
        <SettingField name="seed" />
        <SettingField name="window_tokens" />
      </div>
    </Section>
  );
}

/** Further options, collapsed. */
export function AdvancedFields() {
  const kind = useDraftField('kind').value;
  const system = useDraftField('system');
  const keepAlive = useDraftField('keep_alive');
  const defaults = useDraftDefaults();
  return (
    <details className="group border-t py-6">
      <summary className="reach flex w-fit items-center gap-2 font-semibold">
        <FoldMark />
        Advanced
      </summary>
      <div className="mt-4 grid gap-4 md:pl-[13.5rem]">
        {offersSetting(kind, 'system') && (
          <Field
            label={SETTINGS.system.label}
            hint={kindFacts(kind).tools.length === 0 ? undefined : SETTINGS.system.help}
          >
            {(props) => (
              <textarea
                {...props}
                className="field min-h-20 resize-y font-mono text-sm"
                value={system.value}
                onChange={(event) => system.set(event.target.value)}
              />
            )}
          </Field>
        )}
        <div className="grid gap-3 sm:grid-cols-3">
          <SettingField name="call_timeout_seconds" />
          <SettingField name="load_timeout_seconds" />
          <SettingField name="server_wait_seconds" />
          <Field
            label={SETTINGS.keep_alive.label}
            hint={SETTINGS.keep_alive.help}
            problem={keepAlive.problem}
          >
            {(props) => (
              <input
                {...props}
                className="field font-mono text-sm"
                placeholder={String(defaults.keep_alive)}
                value={keepAlive.value}
                onChange={(event) => keepAlive.set(event.target.value)}
              />
            )}
          </Field>
          <SettingField name="predict_first" placeholder={String(defaults.num_predict[0])} />
          <SettingField name="predict_second" placeholder={String(defaults.num_predict[1])} />
          {offersSetting(kind, 'compact_at') && (
            <>
              <SettingField name="compact_at" />
              <SettingField name="result_chars" />
              <SettingField name="keep_rounds" />
              <SettingField name="repetition_threshold" />
              <SettingField name="max_nudges" />
              <SettingField name="distractor_tools" />
            </>
          )}
          {offersSetting(kind, 'max_empty_replies') && <SettingField name="max_empty_replies" />}
          <SettingField name="top_p" />
          <SettingField name="top_k" />
        </div>
      </div>
    </details>
  );
}
