'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useRef } from 'react';
import { FormProvider, useWatch } from 'react-hook-form';
import type { Preset } from '#lib/api/preset.ts';
import { commandPlace } from '#lib/browser/drafts/run-draft.ts';
import { focusFirstField } from '#lib/browser/focus-soon.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { offersSetting } from '#lib/events/settings.ts';
import { startRun } from '../home/start-run.ts';
import { useHealth } from '../hooks/use-health.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useTypedEarly } from '../hooks/use-typed-early.ts';
import { PresetBar } from '../presets/preset-bar.tsx';
import { Problem } from '../shell/problem.tsx';
import { cx } from '../ui/cx.ts';
import { focusFirstError } from '../ui/form/draft-form.ts';
import { ApprovalFields } from './approval-editor.tsx';
import { EndlessFields } from './endless-fields.tsx';
import { AdvancedFields, ModelBehavior, ModelFields } from './model-fields.tsx';
import { StartBar } from './start-bar.tsx';
import { TaskChecks, TaskLimits } from './task-fields.tsx';
import { ToolFields } from './tool-fields.tsx';
import { forgetDraft, useKeptDraft } from './use-kept-draft.ts';
import { useRunDraft } from './use-run-draft.ts';
import { KindFields, WorkspaceFields } from './work-fields.tsx';

const FORM = 'new-run-form';

/** The form for a new run; empty fields get their defaults (D10). Another preset or earlier run starts a new form. */
export function NewRunForm() {
  const query = useSearchParams();
  const from = query.get('from');
  const presetId = query.get('preset');
  return <Form key={JSON.stringify([from, presetId])} from={from} presetId={presetId} />;
}

function Form({ from, presetId }: { from: string | null; presetId: string | null }) {
  const router = useRouter();
  const health = useHealth();
  const commands = health.data ? commandPlace(health.data.sandbox) : 'confined';
  const { busy, problem, setProblem, run: request } = useRequest();
  const { form, models, named, preset, setPreset } = useRunDraft(from, presetId, setProblem);
  const element = useRef<HTMLFormElement>(null);
  const { hasKeptSettings, resetSettings } = useKeptDraft(form, from === null && presetId === null);
  const task = useTypedEarly((text) => form.setValue('task', text, { shouldDirty: true }));
  const installed = models.data?.models;
  const kind = useWatch({ control: form.control, name: 'kind' });

  const start = form.handleSubmit(
    async (asked) => {
      // Ctrl+Enter submits although the button is disabled.
      if (busy) return;
      await request(async () => {
        router.push(await startRun(asked));
        forgetDraft();
        return LEAVING;
      });
    },
    () => focusFirstError(element.current),
  );

  /** A form saved under another name becomes the form of that preset, with fields for its placeholders. */
  const saved = (preset: Preset) => {
    if (preset.id === presetId) setPreset(preset);
    else router.replace(`/runs/new?preset=${encodeURIComponent(preset.id)}`);
  };

  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 pt-8 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">New run</h1>
      {/* In one place, so that the note moves nothing. */}
      <div className="mt-1 mb-6 grid *:[grid-area:1/1]">
        <p className={cx('text-ink-2', hasKeptSettings && 'invisible')}>
          {from === null
            ? 'What to do, with which model, in which folder. The rest has defaults.'
            : 'With the settings of the earlier run. Change what you like; the earlier run stays as it is.'}
        </p>
        {hasKeptSettings && <KeptSettingsNote onReset={resetSettings} />}
      </div>
      <PresetBar preset={preset} models={installed} draft={form.getValues} onSaved={saved} />
      {models.error && !installed && (
        <div className="mb-6">
          <Problem error={models.error} onRetry={models.reload} />
        </div>
      )}
      <FormProvider {...form}>
        <form
          ref={element}
          id={FORM}
          aria-label="New run"
          noValidate
          onSubmit={start}
          // The browser scrolls to a focused field, but not out from under the bar at the foot.
          className="[&_:is(a,button,input,select,summary,textarea)]:scroll-mb-40"
        >
          <KindFields task={task} models={installed ?? []} />
          <ModelFields models={installed} />
          {/* Not shown before the list of models, which would push it down. */}
          <div className={installed || models.error ? 'contents' : 'hidden'}>
            {kindFacts(kind).usesFiles && <WorkspaceFields named={named} />}
            {offersSetting(kind, 'context_limit') && <EndlessFields models={installed ?? []} />}
            {offersSetting(kind, 'max_iterations') && <TaskLimits models={installed ?? []} />}
            {offersSetting(kind, 'checks') && (
              <TaskChecks withCommands={health.data?.sandbox.command_checks ?? true} />
            )}
            <ToolFields commands={commands} />
            <ApprovalFields commands={commands} />
            <ModelBehavior />
            <AdvancedFields />
            <StartBar busy={busy} problem={problem} />
          </div>
        </form>
      </FormProvider>
    </main>
  );
}

/** Settings in folded sections are easily overlooked. */
function KeptSettingsNote({ onReset }: { onReset: () => void }) {
  return (
    <p className="flex flex-wrap content-start items-baseline gap-x-3 text-sm text-ink-2">
      <span role="status">Your changes to the settings were restored.</span>
      <button
        type="button"
        className="reach font-medium text-brass underline-offset-4 hover:underline"
        onClick={() => {
          onReset();
          focusFirstField(FORM);
        }}
      >
        Reset settings
      </button>
    </p>
  );
}
