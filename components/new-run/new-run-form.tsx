'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useRef } from 'react';
import type { HealthReply } from '#lib/api/replies.ts';
import { approvalTools, commandPlace, requestOf } from '#lib/browser/drafts/run-draft.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { startRun } from '../home/start-run.ts';
import { useApi } from '../hooks/use-api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useTypedEarly } from '../hooks/use-typed-early.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { Problem } from '../shell/problem.tsx';
import { Section } from '../ui/form/fields.tsx';
import { ApprovalEditor } from './approval-editor.tsx';
import { EndlessFields } from './endless-fields.tsx';
import type { FormPart } from './form-part.ts';
import { AdvancedFields, ModelBehaviour } from './model-fields.tsx';
import { StartBar } from './start-bar.tsx';
import { TaskChecks, TaskLimits } from './task-fields.tsx';
import { useRunDraft } from './use-run-draft.ts';
import { KindFields, WorkspaceFields } from './work-fields.tsx';

/** The form for a new run; empty fields get their defaults (D10). */
export function NewRunForm() {
  const router = useRouter();
  const from = useSearchParams().get('from');
  const health = useApi<HealthReply>('/api/health');
  const commands = health.data ? commandPlace(health.data.sandbox) : 'confined';
  const { busy, problem, setProblem, run: request } = useRequest();
  const { draft, set, problems, setProblems, models, named } = useRunDraft(from, setProblem);
  const form = useRef<HTMLFormElement>(null);
  const task = useTypedEarly((text) => set('task', text));
  const installed = models.data?.models;
  const part: FormPart = { draft, set, problems };
  const { usesFiles, settings } = kindFacts(draft.kind);

  const start = () => {
    const read = requestOf(draft);
    if (!read.ok) {
      setProblems(read.problems);
      requestAnimationFrame(() => {
        const first = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
        first?.closest('details')?.setAttribute('open', '');
        (first?.matches('input, textarea') ? first : first?.querySelector('input'))?.focus();
      });
      return;
    }
    void request(async () => {
      router.push(await startRun(read.request));
      return LEAVING;
    });
  };

  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 pt-8 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">New run</h1>
      <p className="mt-1 mb-6 text-ink-2">
        {from === null
          ? 'What to do, with which model, in which folder. The rest has defaults.'
          : 'With the settings of the earlier run. Change what you like; the earlier run stays as it is.'}
      </p>
      {models.error && !installed && <Problem error={models.error} onRetry={models.reload} />}
      <form
        ref={form}
        aria-label="New run"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <KindFields {...part} isNew={from === null} task={task} />
        <Section
          title="Model"
          hint={
            installed?.every(({ demo }) => demo)
              ? 'Scripts that show what a run looks like. Ollama’s models appear here when it answers'
              : 'Installed in Ollama'
          }
        >
          <ModelPicker
            models={installed ?? []}
            value={draft.model}
            onChange={(model) => set('model', model)}
            problem={problems.model}
          />
        </Section>
        {usesFiles && <WorkspaceFields {...part} named={named} />}
        {settings.includes('context_limit') && <EndlessFields {...part} models={installed ?? []} />}
        {settings.includes('max_iterations') && (
          <TaskLimits {...part} model={installed?.find(({ name }) => name === draft.model)} />
        )}
        {settings.includes('checks') && <TaskChecks {...part} withCommands={commands !== 'off'} />}
        {approvalTools(draft.kind, commands).length > 0 && (
          <Section title="Approval" hint="Which calls wait for you">
            <ApprovalEditor
              kind={draft.kind}
              commands={commands}
              value={draft.approval}
              onChange={(approval) => set('approval', approval)}
            />
          </Section>
        )}
        <ModelBehaviour {...part} />
        <AdvancedFields {...part} />
        <StartBar draft={draft} busy={busy} problem={problem} />
      </form>
    </main>
  );
}
