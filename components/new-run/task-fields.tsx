'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { ITERATION_LIMITS, offersSetting, SETTINGS } from '#lib/events/settings.ts';
import { Choice, Section, Switch } from '../ui/form/fields.tsx';
import { ChecksEditor } from './checks-editor.tsx';
import { CostBudgetField } from './cost-budget-field.tsx';
import type { FormPart } from './form-part.ts';
import { SettingField, SettingSwitch } from './setting-field.tsx';

const TIERS = [
  { value: 'trivial', label: 'Trivial', note: String(ITERATION_LIMITS.trivial) },
  { value: 'standard', label: 'Standard', note: String(ITERATION_LIMITS.standard) },
  { value: 'complex', label: 'Complex', note: String(ITERATION_LIMITS.complex) },
] as const;

/** What ends or corrects a task. */
export function TaskLimits({ model, ...part }: FormPart & { model: InstalledModel | undefined }) {
  const { draft, set, problems } = part;
  return (
    <Section title="Limits" hint="What ends or corrects the run">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <Choice
          legend={SETTINGS.tier.label}
          name="tier"
          value={draft.tier}
          onChange={(value) => set('tier', value)}
          options={TIERS}
        />
        <div className="w-40">
          <SettingField name="max_iterations" {...part} />
        </div>
      </div>
      {offersSetting(draft.kind, 'stall_guard') && (
        <Switch
          label={SETTINGS.stall_guard.label}
          hint={SETTINGS.stall_guard.help}
          checked={draft.stall_guard !== 'off'}
          onChange={(checked) => set('stall_guard', checked ? 'usual' : 'off')}
        />
      )}
      {offersSetting(draft.kind, 'nudge_plans') && <SettingSwitch name="nudge_plans" {...part} />}
      <div className="grid gap-3 sm:grid-cols-3">
        <SettingField name="max_tokens_total" {...part} />
        <SettingField name="max_seconds" {...part} />
        <CostBudgetField
          model={model}
          value={draft.max_cost_usd}
          onChange={(value) => set('max_cost_usd', value)}
          problem={problems.max_cost_usd}
        />
      </div>
    </Section>
  );
}

/** The checks of the finished work. */
export function TaskChecks({ withCommands, ...part }: FormPart & { withCommands: boolean }) {
  const { draft, set, problems } = part;
  return (
    <Section title="Checks" hint="Run in the workspace when the model says it is done">
      <ChecksEditor
        checks={draft.checks}
        withCommands={withCommands}
        onChange={(checks) => set('checks', checks)}
      />
      {problems.checks && <p className="text-xs text-fail">{problems.checks}</p>}
      {draft.checks.length > 0 && (
        <div className="w-40">
          <SettingField name="max_attempts" {...part} />
        </div>
      )}
    </Section>
  );
}
