'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { SAMPLE_SCHEMA } from '#lib/browser/drafts/answer-schema.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { ITERATION_LIMITS, offersSetting, SETTINGS } from '#lib/events/settings.ts';
import { Choice, Field, Section, Switch } from '../ui/form/fields.tsx';
import { ChecksEditor } from './checks-editor.tsx';
import { CostBudgetField } from './cost-budget-field.tsx';
import { useDraftField } from './run-form.ts';
import { SettingField, SettingSwitch } from './setting-field.tsx';

const TIERS = [
  { value: 'trivial', label: 'Trivial', note: String(ITERATION_LIMITS.trivial) },
  { value: 'standard', label: 'Standard', note: String(ITERATION_LIMITS.standard) },
  { value: 'complex', label: 'Complex', note: String(ITERATION_LIMITS.complex) },
] as const;

/** What ends or corrects a task. */
export function TaskLimits({ models }: { models: readonly InstalledModel[] }) {
  const kind = useDraftField('kind').value;
  const model = useDraftField('model').value;
  const tier = useDraftField('tier');
  const guard = useDraftField('stall_guard');
  return (
    <Section title="Limits" hint="What ends or corrects the run">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <Choice
          legend={SETTINGS.tier.label}
          name="tier"
          value={tier.value}
          onChange={tier.set}
          options={TIERS}
        />
        <div className="w-40 max-w-full">
          <SettingField name="max_iterations" />
        </div>
      </div>
      {offersSetting(kind, 'stall_guard') && (
        <Switch
          label={SETTINGS.stall_guard.label}
          hint={SETTINGS.stall_guard.help}
          checked={guard.value !== 'off'}
          onChange={(checked) => guard.set(checked ? 'usual' : 'off')}
        />
      )}
      {offersSetting(kind, 'stall_threshold') && guard.value !== 'off' && (
        <div className="w-64 max-w-full">
          <SettingField name="stall_threshold" />
        </div>
      )}
      {offersSetting(kind, 'nudge_plans') && <SettingSwitch name="nudge_plans" />}
      <div className="grid gap-3 sm:grid-cols-3">
        <SettingField name="max_tokens_total" />
        <SettingField name="max_seconds" />
        <CostBudgetField model={models.find(({ name }) => name === model)} />
      </div>
    </Section>
  );
}

/** The checks of the finished work and the answer. */
export function TaskChecks({ withCommands }: { withCommands: boolean }) {
  const kind = useDraftField('kind').value;
  const { value: checks, set, problem } = useDraftField('checks');
  const { tools } = kindFacts(kind);
  return (
    <Section
      title="Checks"
      hint={
        tools.length > 0 ? 'What must hold when the model says it is done' : 'What must hold for the answer'
      }
    >
      <ChecksEditor checks={checks} tools={tools} withCommands={withCommands} onChange={set} />
      {problem && (
        <p role="alert" className="text-xs text-fail">
          {problem}
        </p>
      )}
      {checks.length > 0 && (
        <div className="w-40 max-w-full">
          <SettingField name="max_attempts" />
        </div>
      )}
      <AnswerSchema />
    </Section>
  );
}

/** Asks for the answer as data. */
function AnswerSchema() {
  const schema = useDraftField('answer_schema');
  return (
    <>
      <Switch
        label="Answer as JSON"
        hint={SETTINGS.answer_schema.help}
        checked={schema.value !== ''}
        onChange={(checked) => schema.set(checked ? SAMPLE_SCHEMA : '')}
      />
      {schema.value !== '' && (
        <Field label="JSON schema" problem={schema.problem}>
          {(props) => (
            <textarea
              {...props}
              className="field min-h-40 resize-y font-mono text-sm"
              spellCheck={false}
              value={schema.value}
              onChange={(event) => schema.set(event.target.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}
