'use client';

import { ArrowRight } from 'lucide-react';
import { useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { HealthReply, ModelsReply, RunReply } from '#lib/api/replies.ts';
import { ApiError, getJson } from '#lib/browser/api.ts';
import {
  approvalTools,
  commandPlace,
  type DraftProblems,
  draftOf,
  emptyDraft,
  type RunDraft,
  type RunKind,
  requestOf,
  TIER_ITERATIONS,
} from '#lib/browser/drafts/run-draft.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import { preferredModel } from '#lib/browser/state/models.ts';
import { startRun } from '../home/start-run.ts';
import { useApi } from '../hooks/use-api.ts';
import { useTypedEarly } from '../hooks/use-typed-early.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Choice, Field, NumberField, Section, Switch, THINKING } from '../ui/form/fields.tsx';
import { Link } from '../ui/link.tsx';
import { ApprovalEditor } from './approval-editor.tsx';
import { ChecksEditor } from './checks-editor.tsx';
import { EndlessFields } from './endless-fields.tsx';
import { TakesTurnsNote } from './takes-turns-note.tsx';

const KIND_WORDS: Record<RunKind, string> = {
  task: 'Works with tools until the task is done',
  session: 'Goes on turn by turn until you stop it',
  explore: 'No task: cycles of thought with a memory',
  prompt: 'One answer, no tools',
};

const START_WORDS: Record<RunKind, string> = {
  task: 'Start run',
  session: 'Start session',
  explore: 'Start exploration',
  prompt: 'Ask',
};

/** The whole form for a new run; what is left empty is decided as usual (D10). */
export function NewRunForm() {
  const router = useRouter();
  const query = useSearchParams();
  const from = query.get('from');
  const models = useApi<ModelsReply>('/api/models');
  const health = useApi<HealthReply>('/api/health');
  const commands = health.data ? commandPlace(health.data.sandbox) : 'confined';
  const [draft, setDraft] = useState<RunDraft>(() => ({
    ...emptyDraft,
    kind: kindOf(query.get('mode')),
    task: query.get('task') ?? '',
    model: query.get('model') ?? '',
  }));
  const [problems, setProblems] = useState<DraftProblems>({});
  const [problem, setProblem] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const set = <K extends keyof RunDraft>(field: K, value: RunDraft[K]) => {
    setDraft((before) => ({ ...before, [field]: value }));
    setProblems((before) => ({ ...before, [field]: undefined }));
  };
  const task = useTypedEarly((text) => set('task', text));

  useEffect(() => {
    if (from === null) {
      setDraft((before) => ({ ...before, liveTokens: remembered('live-tokens') === 'on' }));
      return;
    }
    const abort = new AbortController();
    getJson<RunReply>(`/api/runs/${encodeURIComponent(from)}`, abort.signal)
      .then(({ config }) => setDraft(draftOf(config, from)))
      .catch((error) => {
        if (error instanceof ApiError) setProblem(error);
      });
    return () => abort.abort();
  }, [from]);

  const installed = models.data?.models;
  useEffect(() => {
    if (!installed) return;
    setDraft((before) =>
      before.model === '' && from === null
        ? { ...before, model: preferredModel(installed, remembered('model')) }
        : before,
    );
  }, [installed, from]);

  const start = async () => {
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
    setBusy(true);
    setProblem(undefined);
    try {
      router.push(await startRun(read.request));
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };

  const limit = draft.maxIterations || TIER_ITERATIONS[draft.tier];
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 pt-8 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">New run</h1>
      <p className="mt-1 mb-6 text-ink-2">
        {from === null
          ? 'What to do, with which model, in which folder. Everything else is decided as usual.'
          : 'With the settings of the run it is made from. Change what you like; the first run stays as it is.'}
      </p>
      {models.error && !installed && <Problem error={models.error} onRetry={models.reload} />}
      <form
        ref={form}
        aria-label="New run"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <Section title="Kind of run" hint={KIND_WORDS[draft.kind]}>
          <Choice
            legend="Mode"
            name="mode"
            value={draft.kind}
            onChange={(kind) => {
              set('kind', kind);
              if (from === null && kind !== 'task') set('liveTokens', kind !== 'explore');
            }}
            options={[
              { value: 'task', label: 'Task' },
              { value: 'session', label: 'Session' },
              { value: 'explore', label: 'Explore' },
              { value: 'prompt', label: 'Quick prompt' },
            ]}
          />
          {draft.kind !== 'explore' && (
            <Field
              label={
                {
                  task: 'What should the agent do?',
                  session: 'First words to the model (may stay empty)',
                  prompt: 'What do you want to know?',
                }[draft.kind]
              }
              problem={problems.task}
            >
              {(props) => (
                <textarea
                  {...props}
                  ref={task}
                  className="field min-h-28 resize-y"
                  value={draft.task}
                  onChange={(event) => set('task', event.target.value)}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
                      event.currentTarget.form?.requestSubmit();
                  }}
                  placeholder={
                    draft.kind === 'task'
                      ? 'Read the reports in this folder and write a summary to summary.md.'
                      : undefined
                  }
                />
              )}
            </Field>
          )}
        </Section>

        <Section
          title="Model"
          hint={
            installed?.every(({ demo }) => demo)
              ? 'Scripts that show what a run looks like. Models of Ollama stand here when it answers'
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

        {(draft.kind === 'task' || draft.kind === 'session') && (
          <Section title="Workspace" hint="The only folder the agent can reach">
            <Choice
              legend="Where it works"
              name="workspace"
              value={draft.workspaceKind}
              onChange={(value) => set('workspaceKind', value)}
              options={[
                { value: 'fresh', label: 'A fresh folder' },
                { value: 'folder', label: 'An existing folder' },
              ]}
            />
            {draft.workspaceKind === 'folder' && (
              <Field
                label="Folder"
                hint="Its files can be read, changed and overwritten by the agent."
                problem={problems.workspace}
              >
                {(props) => (
                  <input
                    {...props}
                    className="field font-mono text-sm"
                    spellCheck={false}
                    autoComplete="off"
                    placeholder="/home/you/projects/reports"
                    value={draft.workspace}
                    onChange={(event) => set('workspace', event.target.value)}
                  />
                )}
              </Field>
            )}
          </Section>
        )}

        {(draft.kind === 'session' || draft.kind === 'explore') && (
          <EndlessFields draft={draft} set={set} problems={problems} models={installed ?? []} />
        )}

        {draft.kind === 'task' && (
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
                  placeholder={String(TIER_ITERATIONS[draft.tier])}
                  problem={problems.maxIterations}
                />
              </div>
            </div>
            <Switch
              label="Stall guard"
              hint="Ends the run when five rounds go by without a written file. Switch it off for tasks that only read."
              checked={draft.stallGuard !== 'off'}
              onChange={(checked) => set('stallGuard', checked ? 'usual' : 'off')}
            />
            <Switch
              label="Nudge plans"
              hint="A reply that only announces work is answered with the request to do it."
              checked={draft.nudgePlans}
              onChange={(checked) => set('nudgePlans', checked)}
            />
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
              <NumberField
                label="Cost budget"
                unit="USD"
                value={draft.maxCost}
                onChange={(value) => set('maxCost', value)}
                placeholder="none"
                problem={problems.maxCost}
              />
            </div>
          </Section>
        )}

        {draft.kind === 'task' && (
          <Section title="Checks" hint="Run in the workspace when the model says it is done">
            <ChecksEditor
              checks={draft.checks}
              withCommands={commands !== 'off'}
              onChange={(checks) => set('checks', checks)}
            />
            {problems.checks && <p className="text-xs text-fail">{problems.checks}</p>}
            {draft.checks.length > 0 && (
              <div className="w-40">
                <NumberField
                  label="Attempts in all"
                  value={draft.maxAttempts}
                  onChange={(value) => set('maxAttempts', value)}
                  placeholder="3"
                  problem={problems.maxAttempts}
                />
              </div>
            )}
          </Section>
        )}

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

        <Section title="Model behaviour">
          <Switch
            label="Live tokens"
            hint="Show text while the model writes it."
            checked={draft.liveTokens}
            onChange={(checked) => set('liveTokens', checked)}
          />
          <Choice
            legend="Thinking"
            name="think"
            value={draft.think}
            onChange={(value) => set('think', value)}
            options={THINKING}
          />
          <div className="grid gap-3 sm:grid-cols-3">
            <NumberField
              label="Temperature"
              value={draft.temperature}
              onChange={(value) => set('temperature', value)}
              placeholder="model's own"
              problem={problems.temperature}
            />
            <NumberField
              label="Seed"
              value={draft.seed}
              onChange={(value) => set('seed', value)}
              placeholder="random"
              problem={problems.seed}
            />
            <NumberField
              label="Window"
              unit="tokens"
              value={draft.windowTokens}
              onChange={(value) => set('windowTokens', value)}
              placeholder="32768"
              problem={problems.windowTokens}
            />
          </div>
        </Section>

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
            {draft.kind === 'task' && (
              <Field label="Words before the tool rules" hint="Put at the beginning of the system prompt.">
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
              <NumberField
                label="Call limit"
                unit="seconds"
                value={draft.callTimeout}
                onChange={(value) => set('callTimeout', value)}
                placeholder="120"
                problem={problems.callTimeout}
              />
              <NumberField
                label="Load limit"
                unit="seconds"
                value={draft.loadTimeout}
                onChange={(value) => set('loadTimeout', value)}
                placeholder="600"
                problem={problems.loadTimeout}
              />
              <Field label="Keep loaded for" hint="A duration such as 30m, or seconds.">
                {(props) => (
                  <input
                    {...props}
                    className="field font-mono text-sm"
                    placeholder="30m"
                    value={draft.keepAlive}
                    onChange={(event) => set('keepAlive', event.target.value)}
                  />
                )}
              </Field>
              <NumberField
                label="Reply limit"
                unit="tokens"
                value={draft.predictFirst}
                onChange={(value) => set('predictFirst', value)}
                placeholder="2048"
                problem={problems.predictFirst}
              />
              <NumberField
                label="Second reply limit"
                unit="tokens"
                value={draft.predictSecond}
                onChange={(value) => set('predictSecond', value)}
                placeholder="4096"
                problem={problems.predictSecond}
              />
              {draft.kind === 'task' && (
                <>
                  <NumberField
                    label="Shorten results at"
                    unit="share of the window"
                    value={draft.compactAt}
                    onChange={(value) => set('compactAt', value)}
                    placeholder="0.75"
                    problem={problems.compactAt}
                  />
                  <NumberField
                    label="Longest single result"
                    unit="characters"
                    value={draft.resultChars}
                    onChange={(value) => set('resultChars', value)}
                    placeholder="8000"
                    problem={problems.resultChars}
                  />
                </>
              )}
              <NumberField
                label="Top p"
                value={draft.topP}
                onChange={(value) => set('topP', value)}
                placeholder="model's own"
                problem={problems.topP}
              />
              <NumberField
                label="Top k"
                value={draft.topK}
                onChange={(value) => set('topK', value)}
                placeholder="model's own"
                problem={problems.topK}
              />
            </div>
          </div>
        </details>

        <div className="sticky bottom-0 -mx-3 border-t bg-canvas px-3 py-3 sm:-mx-6 sm:px-6">
          {problem && (
            <div className="mb-3">
              <ErrorNote error={problem} />
            </div>
          )}
          {(draft.kind === 'session' || (draft.kind === 'explore' && draft.untilStopped)) && (
            <TakesTurnsNote model={draft.model} />
          )}
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <p className="foreign min-w-0 flex-1 text-sm text-ink-3 max-sm:basis-full">
              <span className="font-mono text-xs text-ink-2">{draft.model || 'no model'}</span>
              {[
                (draft.kind === 'task' || draft.kind === 'session') &&
                  (draft.workspaceKind === 'fresh' ? 'a fresh folder' : draft.workspace || 'no folder yet'),
                draft.kind === 'task' && `at most ${limit} iterations`,
                draft.kind === 'session' && 'until it is stopped',
                draft.kind === 'explore' &&
                  (draft.untilStopped ? 'until it is stopped' : `${draft.maxCycles || 20} cycles`),
              ]
                .filter(Boolean)
                .map((words) => ` · ${words}`)}
            </p>
            <Link
              href="/"
              className="reach ml-auto px-2 text-sm text-ink-2 underline-offset-4 hover:text-ink hover:underline"
            >
              Cancel
            </Link>
            <Button type="submit" kind="primary" disabled={busy}>
              {busy ? 'Starting' : START_WORDS[draft.kind]}
              <ArrowRight className="size-4" aria-hidden="true" />
            </Button>
          </div>
        </div>
      </form>
    </main>
  );
}

function kindOf(name: string | null): RunKind {
  return name === 'session' || name === 'explore' || name === 'prompt' ? name : 'task';
}
