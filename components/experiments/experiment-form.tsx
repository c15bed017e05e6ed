'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useRef } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import type { ExperimentReply, ExperimentRequest } from '#lib/api/experiment.ts';
import { createOnce } from '#lib/browser/create-once.ts';
import { type ExperimentDraft, emptyExperiment, experimentOf } from '#lib/browser/drafts/experiment-draft.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { MODEL_OPTIONS, offersSetting } from '#lib/events/settings.ts';
import { useHealth } from '../hooks/use-health.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { ChecksEditor } from '../new-run/checks-editor.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { draftResolver, focusFirstError } from '../ui/form/draft-form.ts';
import { NumberField, Section } from '../ui/form/fields.tsx';
import { FactorsField } from './factors-field.tsx';
import { ModelChecklist } from './model-checklist.tsx';
import { RunsAndTime } from './runs-and-time.tsx';
import { useExperimentField } from './use-experiment-field.ts';
import { useKeptExperiment } from './use-kept-experiment.ts';
import { Work } from './work.tsx';

const resolver = draftResolver(experimentOf);

/** Plans an experiment and starts it. */
export function ExperimentForm({
  id,
  work = 'task',
  onCancel,
}: {
  id: string;
  work?: ExperimentDraft['work'];
  onCancel?: () => void;
}) {
  const router = useRouter();
  const form = useForm<ExperimentDraft, unknown, ExperimentRequest>({
    defaultValues: { ...emptyExperiment, work },
    resolver,
    shouldFocusError: false,
  });
  const forget = useKeptExperiment(form, useSearchParams().get('suite'));
  const element = useRef<HTMLFormElement>(null);
  const { busy, problem, run } = useRequest();
  const start = form.handleSubmit(
    (asked) =>
      run(async () => {
        const { experiment } = await createOnce<ExperimentReply>('/api/experiments', asked);
        forget();
        router.push(`/experiments/${encodeURIComponent(experiment.id)}`);
        return LEAVING;
      }),
    () => focusFirstError(element.current),
  );
  return (
    <FormProvider {...form}>
      <form ref={element} id={id} aria-label="New experiment" noValidate className="mt-6" onSubmit={start}>
        <Work />
        <Models />
        <Variations />
        <ExperimentChecks />
        {problem && <ErrorNote error={problem} />}
        <div className="flex flex-wrap items-center justify-end gap-3 border-t py-4">
          <RunsAndTime />
          {onCancel && (
            <Button
              kind="quiet"
              onClick={() => {
                forget();
                onCancel();
              }}
            >
              Cancel
            </Button>
          )}
          <Button type="submit" kind="primary" disabled={busy}>
            {busy ? 'Starting' : 'Start experiment'}
          </Button>
        </div>
      </form>
    </FormProvider>
  );
}

/** A field of numbers in text form. */
function Numbers({
  name,
  ...words
}: {
  name: 'temperatures' | 'seeds' | 'repeats';
  label: string;
  placeholder: string;
  hint?: string;
}) {
  const { value, set, problem } = useExperimentField(name);
  return <NumberField {...words} value={value} onChange={set} problem={problem} />;
}

function Models() {
  const { value, set, problem } = useExperimentField('models');
  return (
    <Section title="Models" hint="Each is loaded once for all its runs">
      <ModelChecklist chosen={value} onChange={set} problem={problem} />
    </Section>
  );
}

function Variations() {
  const factors = useExperimentField('factors');
  return (
    <Section title="Variations" hint="Every combination is run">
      <div className="grid gap-3 sm:grid-cols-3">
        <Numbers
          name="temperatures"
          label="Temperatures"
          placeholder={MODEL_OPTIONS.temperature.form.empty}
          hint="Several: 0, 0.7"
        />
        <Numbers name="seeds" label="Seeds" placeholder="random" hint="Several: 1-5, 42" />
        <Numbers name="repeats" label="Repeats" placeholder="1" />
      </div>
      <FactorsField
        label="Other factors"
        value={factors.value}
        set={factors.set}
        problem={factors.problem}
        placeholder={'window_tokens: 8192, 32768\nthink: false, low'}
      />
    </Section>
  );
}

/** The checks that each run of a task must pass. */
function ExperimentChecks() {
  const health = useHealth();
  const work = useExperimentField('work');
  const mode = useExperimentField('mode');
  const { value, set, problem } = useExperimentField('checks');
  if (work.value === 'suite' || !offersSetting(mode.value, 'checks')) return null;
  return (
    <Section title="Checks" hint="A run passes if all of its checks pass">
      <ChecksEditor
        checks={value}
        tools={kindFacts(mode.value).tools}
        withCommands={health.data?.sandbox.command_checks ?? true}
        onChange={set}
      />
      {problem && <p className="text-xs text-fail">{problem}</p>}
    </Section>
  );
}
