'use client';

import { useRef, useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import type {
  ExperimentReply,
  ExperimentSummary,
  ExtendExperimentRequest,
  ExtensionCountReply,
} from '#lib/api/experiment.ts';
import type { ModelsReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { needsConfirmation } from '#lib/browser/drafts/experiment-draft.ts';
import { type ExtendDraft, emptyExtension, extensionOf } from '#lib/browser/drafts/extend-draft.ts';
import { canRun, modelsRefresh, sortedModels } from '#lib/browser/state/models.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { isSameModel } from '#lib/util/model-name.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { draftResolver, focusFirstError, useFormField } from '../ui/form/draft-form.ts';
import { Field, NumberField, Switch } from '../ui/form/fields.tsx';
import { FactorsField } from './factors-field.tsx';

/** Adds runs to an experiment; those it has are not repeated. */
export function ExtendForm({
  id,
  path,
  experiment,
  onExtended,
  onCancel,
}: {
  id: string;
  path: string;
  experiment: ExperimentSummary;
  onExtended: () => void;
  onCancel: () => void;
}) {
  const { plan } = experiment;
  const form = useForm<ExtendDraft, unknown, ExtendExperimentRequest>({
    defaultValues: emptyExtension,
    resolver: draftResolver((draft: ExtendDraft) => extensionOf(draft, plan)),
    shouldFocusError: false,
  });
  const element = useRef<HTMLFormElement>(null);
  const { busy, problem, run } = useRequest();
  const [many, setMany] = useState<ExtensionCountReply & { confirmed: boolean }>();
  const extend = form.handleSubmit(
    (asked) =>
      run(async () => {
        const count = await postJson<ExtensionCountReply>(`${path}/extend?count=1`, asked);
        const { total } = count;
        const isMany = needsConfirmation(total);
        if (isMany && !(many?.confirmed && many.total === total)) {
          setMany({ ...count, confirmed: false });
          return;
        }
        await postJson<ExperimentReply>(`${path}/extend`, {
          ...asked,
          ...(isMany ? { confirm_runs: total } : {}),
        });
        onExtended();
      }),
    () => focusFirstError(element.current),
  );
  return (
    <FormProvider {...form}>
      <form
        ref={element}
        id={id}
        aria-label="Extend experiment"
        noValidate
        className="mt-4 grid gap-3 rounded-lg border bg-raised p-4 [--ground:var(--raised)] sm:p-5"
        onSubmit={extend}
      >
        <ExtendFields plan={plan} />
        {many && (
          <Switch
            label={`Add ${formatCount(many.added)} runs, ${formatCount(many.total)} in total`}
            hint="This many runs take a long time. Confirm to add them."
            checked={many.confirmed}
            onChange={(confirmed) => setMany({ ...many, confirmed })}
          />
        )}
        {problem && <ErrorNote error={problem} />}
        <div className="flex flex-wrap justify-end gap-3">
          <Button kind="quiet" className="max-sm:h-11" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" className="max-sm:h-11" disabled={busy}>
            {busy ? 'Adding' : 'Add runs'}
          </Button>
        </div>
      </form>
    </FormProvider>
  );
}

function ExtendFields({ plan }: { plan: ExperimentSummary['plan'] }) {
  const models = useApi<ModelsReply>('/api/models', modelsRefresh());
  const model = useFormField<ExtendDraft, 'model'>('model');
  const seeds = useFormField<ExtendDraft, 'seeds'>('seeds');
  const repeats = useFormField<ExtendDraft, 'repeats'>('repeats');
  const factors = useFormField<ExtendDraft, 'factors'>('factors');
  const names = Object.keys(plan.factors ?? {});
  const others = sortedModels(models.data?.models.filter(canRun) ?? []).filter(
    ({ name }) => !plan.models.some((model) => isSameModel(model, name)),
  );
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <NumberField
          label="Repeats in total"
          placeholder={String(plan.repeats)}
          value={repeats.value}
          onChange={repeats.set}
          problem={repeats.problem}
        />
        {plan.seeds.length > 0 && (
          <NumberField
            label="Further seeds"
            placeholder="none"
            hint="Several: 1-5, 42"
            value={seeds.value}
            onChange={seeds.set}
            problem={seeds.problem}
          />
        )}
        <Field label="Further model">
          {(props) => (
            <select
              {...props}
              className="field font-mono text-sm"
              value={model.value}
              onChange={(event) => model.set(event.target.value)}
            >
              <option value="">none</option>
              {others.map(({ name }) => (
                <option key={name} value={name}>
                  {shortLine(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {names.length > 0 && (
        <FactorsField
          label="Further values"
          value={factors.value}
          set={factors.set}
          problem={factors.problem}
          placeholder={`${names[0]}: …`}
          names={names}
          withOptions={false}
        />
      )}
    </>
  );
}
