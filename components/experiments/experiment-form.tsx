'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import type { ExperimentReply } from '#lib/api/experiment.ts';
import type { ModelsReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import {
  type ExperimentDraft,
  type ExperimentProblems,
  emptyExperiment,
  experimentOf,
} from '#lib/browser/drafts/experiment-draft.ts';
import { canRun, modelsRefresh, sortedModels } from '#lib/browser/state/models.ts';
import { plural } from '#lib/browser/words/format.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { isRepeatable, kindFacts, runKinds } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Capabilities } from '../models/model-picker.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Choice, Field, NumberField, Section, Switch } from '../ui/form/fields.tsx';

/** What its runs can be, the default first. */
const MODE_OPTIONS = runKinds
  .filter(isRepeatable)
  .sort((a, b) => Number(b === emptyExperiment.mode) - Number(a === emptyExperiment.mode))
  .map((value) => ({ value, label: kindFacts(value).labels }));

/** Plans an experiment and starts it. */
export function ExperimentForm({ onCancel }: { onCancel?: () => void }) {
  const router = useRouter();
  const models = useApi<ModelsReply>('/api/models', modelsRefresh());
  const [draft, setDraft] = useState<ExperimentDraft>(emptyExperiment);
  const [problems, setProblems] = useState<ExperimentProblems>({});
  const { busy, problem, run } = useRequest();
  const set = <K extends keyof ExperimentDraft>(field: K, value: ExperimentDraft[K]) => {
    setDraft((before) => ({ ...before, [field]: value }));
    setProblems((before) => ({ ...before, [field]: undefined }));
  };
  const { task, usesFiles, hasCycles } = kindFacts(draft.mode);
  const read = experimentOf(draft);
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (!read.ok) {
      setProblems(read.problems);
      return;
    }
    void run(async () => {
      const { experiment } = await postJson<ExperimentReply>('/api/experiments', read.request);
      router.push(`/experiments/${encodeURIComponent(experiment.id)}`);
      return LEAVING;
    });
  };
  return (
    <form aria-label="New experiment" noValidate className="mt-6" onSubmit={start}>
      <Section title="What each run does">
        <Field label="Name" problem={problems.name}>
          {(props) => (
            <input
              {...props}
              className="field"
              value={draft.name}
              onChange={(event) => set('name', event.target.value)}
              placeholder="Two temperatures, five seeds"
            />
          )}
        </Field>
        <Choice
          legend="Mode"
          name="experiment-mode"
          value={draft.mode}
          onChange={(mode) => set('mode', mode)}
          options={MODE_OPTIONS}
        />
        {task !== 'none' && (
          <Field label={KIND_WORDS[draft.mode].experimentTask ?? 'Task'} problem={problems.task}>
            {(props) => (
              <textarea
                {...props}
                className="field min-h-20 resize-y"
                value={draft.task}
                onChange={(event) => set('task', event.target.value)}
              />
            )}
          </Field>
        )}
        {hasCycles && (
          <>
            <div className="w-40">
              <NumberField
                label="Cycles each"
                value={draft.cycles}
                onChange={(value) => set('cycles', value)}
                placeholder="20"
                problem={problems.cycles}
              />
            </div>
            <Switch
              label="Advise on diversity"
              hint="Tells the model when its reflections repeat themselves."
              checked={draft.diversity}
              onChange={(checked) => set('diversity', checked)}
            />
          </>
        )}
        {usesFiles && (
          <Field
            label="Folder to copy"
            hint="Each run works on a fresh copy of it. Left empty: an empty folder for each."
            problem={problems.workspace}
          >
            {(props) => (
              <input
                {...props}
                className="field font-mono text-sm"
                value={draft.workspace}
                onChange={(event) => set('workspace', event.target.value)}
                placeholder="/home/ada/texts"
              />
            )}
          </Field>
        )}
      </Section>
      <Section title="Models" hint="Each is loaded once, then all its runs follow">
        <fieldset className="max-h-72 divide-y overflow-y-auto rounded-md border border-line-strong bg-raised">
          <legend className="sr-only">Models</legend>
          {sortedModels(models.data?.models.filter(canRun) ?? []).map((model) => (
            <label key={model.name} className="flex items-baseline gap-3 px-3 py-1.5 hover:bg-surface">
              <input
                type="checkbox"
                className="translate-y-0.5 accent-brass-fill"
                checked={draft.models.includes(model.name)}
                onChange={(event) =>
                  set(
                    'models',
                    event.target.checked
                      ? [...draft.models, model.name]
                      : draft.models.filter((name) => name !== model.name),
                  )
                }
              />
              <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
                <span className="foreign font-mono text-sm">
                  <ShortName text={model.name} />
                </span>
                <Capabilities model={model} />
              </span>
            </label>
          ))}
        </fieldset>
        {problems.models && <p className="text-xs text-fail">{problems.models}</p>}
      </Section>
      <Section title="Variations" hint="Every combination is run">
        <div className="grid gap-3 sm:grid-cols-3">
          <NumberField
            label="Temperatures"
            value={draft.temperatures}
            onChange={(value) => set('temperatures', value)}
            placeholder="model's own"
            hint="Several: 0, 0.7"
            problem={problems.temperatures}
          />
          <NumberField
            label="Seeds"
            value={draft.seeds}
            onChange={(value) => set('seeds', value)}
            placeholder="random"
            hint="Several: 1-5, 42"
            problem={problems.seeds}
          />
          <NumberField
            label="Repeats"
            value={draft.repeats}
            onChange={(value) => set('repeats', value)}
            placeholder="1"
            problem={problems.repeats}
          />
        </div>
        <Field
          label="Other model options"
          hint="One a line, with the values to try: top_p: 0.9, 0.5"
          problem={problems.options}
        >
          {(props) => (
            <textarea
              {...props}
              rows={2}
              className="field resize-y font-mono text-sm"
              value={draft.options}
              onChange={(event) => set('options', event.target.value)}
              placeholder={'num_ctx: 8192, 32768\ntop_k: 40'}
            />
          )}
        </Field>
      </Section>
      {problem && <ErrorNote error={problem} />}
      <div className="flex flex-wrap items-center justify-end gap-3 border-t py-4">
        <p className="tnum mr-auto text-sm text-ink-3">{plural(read.runs, 'run')}</p>
        {onCancel && (
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" kind="primary" disabled={busy}>
          {busy ? 'Starting' : 'Start experiment'}
        </Button>
      </div>
    </form>
  );
}
