'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { draftDefaults } from '#lib/browser/drafts/run-draft.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { Choice, NumberField, Section, Switch } from '../ui/form/fields.tsx';
import { ChecksEditor } from './checks-editor.tsx';
import { CostBudgetField } from './cost-budget-field.tsx';
import type { FormPart } from './form-part.ts';

/** What ends or corrects a task. */
export function TaskLimits({
  draft,
  set,
  problems,
  model,
}: FormPart & { model: InstalledModel | undefined }) {
  const defaults = draftDefaults(draft);
  const { settings } = kindFacts(draft.kind);
  return (
    <Section title="Limits" hint="What ends or corrects the run">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <Choice
          legend="Tier"
          name="tier"
          value={draft.tier}
          onChange={(value) => set('tier', value)}
          options={[
            { value: 'trivial', label: 'Trivial', note: '5' },
            { value: 'standard', label: 'Standard', note: '10' },
            { value: 'complex', label: 'Complex', note: '20' },
          ]}
        />
        <div className="w-40">
          <NumberField
            label="Iterations"
            value={draft.maxIterations}
            onChange={(value) => set('maxIterations', value)}
            placeholder={String(defaults.max_iterations)}
            problem={problems.maxIterations}
          />
        </div>
      </div>
      {settings.includes('stall_guard') && (
        <Switch
          label="Stall guard"
          hint="Ends the run when five rounds go by without a written file. Switch it off for tasks that only read."
          checked={draft.stallGuard !== 'off'}
          onChange={(checked) => set('stallGuard', checked ? 'usual' : 'off')}
        />
      )}
      {settings.includes('nudge_plans') && (
        <Switch
          label="Nudge plans"
          hint="A reply that only announces work is answered with the request to do it."
          checked={draft.nudgePlans}
          onChange={(checked) => set('nudgePlans', checked)}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-3">
        <NumberField
          label="Token budget"
          value={draft.maxTokens}
          onChange={(value) => set('maxTokens', value)}
          placeholder="none"
          problem={problems.maxTokens}
        />
        <NumberField
          label="Time budget"
          unit="minutes"
          value={draft.maxMinutes}
          onChange={(value) => set('maxMinutes', value)}
          placeholder="none"
          problem={problems.maxMinutes}
        />
        <CostBudgetField
          model={model}
          value={draft.maxCost}
          onChange={(value) => set('maxCost', value)}
          problem={problems.maxCost}
        />
      </div>
    </Section>
  );
}

/** The checks of the finished work. */
export function TaskChecks({ draft, set, problems, withCommands }: FormPart & { withCommands: boolean }) {
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
          <NumberField
            label="Max attempts"
            value={draft.maxAttempts}
            onChange={(value) => set('maxAttempts', value)}
            placeholder="3"
            problem={problems.maxAttempts}
          />
        </div>
      )}
    </Section>
  );
}
