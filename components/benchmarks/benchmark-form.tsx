'use client';

import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import type { BenchmarkPlanReply, BenchmarkReply } from '#lib/api/benchmark.ts';
import { CATEGORIES } from '#lib/api/benchmark-categories.ts';
import type { ModelsReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { createOnce } from '#lib/browser/create-once.ts';
import { type BenchmarkDraft, KEPT_BENCHMARK } from '#lib/browser/drafts/kept-benchmark.ts';
import { canRun, modelsRefresh, sortedModels } from '#lib/browser/state/models.ts';
import { formatEstimate, plural } from '#lib/browser/words/format.ts';
import { fullName } from '#lib/util/model-name.ts';
import { useFolderDialog } from '../folders/use-folder-dialog.tsx';
import { useApi } from '../hooks/use-api.ts';
import { useKeptFields } from '../hooks/use-kept-fields.ts';
import { useKeptText } from '../hooks/use-kept-text.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, NumberField, Section, Switch } from '../ui/form/fields.tsx';
import { CheckList } from './check-list.tsx';

/** Chooses the files, then categories and models, and starts a benchmark. */
export function BenchmarkForm({ id, onCancel }: { id: string; onCancel: (() => void) | undefined }) {
  const [plan, setPlan] = useState<BenchmarkPlanReply>();
  return (
    <div id={id} className="mt-6">
      <FilesForm plan={plan} onPlan={setPlan} onCancel={plan ? undefined : onCancel} />
      {plan && <StartForm key={plan.folder} plan={plan} onCancel={onCancel} />}
    </div>
  );
}

function FilesForm({
  plan,
  onPlan,
  onCancel,
}: {
  plan: BenchmarkPlanReply | undefined;
  onPlan: (plan: BenchmarkPlanReply | undefined) => void;
  /** Missing once the form below has its own. */
  onCancel: (() => void) | undefined;
}) {
  const [folder, setFolder] = useKeptText('new-benchmark.folder');
  const { busy, problem, run } = useRequest();
  const latest = useRef('');
  const read = (path: string) =>
    run(async () => {
      latest.current = path;
      onPlan(undefined);
      // Another folder may be chosen in the meantime.
      const isLatest = () => latest.current === path;
      try {
        const found = await postJson<BenchmarkPlanReply>('/api/benchmarks/plan', { folder: path });
        if (isLatest()) onPlan(found);
      } catch (error) {
        if (isLatest()) throw error;
      }
    });
  const { open, dialog } = useFolderDialog({
    choice: { workspaceKind: 'folder', workspace: folder, workspace_copy: false },
    onChoose: ({ workspace }) => {
      setFolder(workspace);
      void read(workspace);
    },
  });
  return (
    <form
      aria-label="Files"
      onSubmit={(event) => {
        event.preventDefault();
        void read(folder);
      }}
    >
      <Section title="Files" hint="They come with the Python package bfcl-eval">
        <Field
          label="Folder"
          hint={
            <>
              Run <code>pip download --no-deps bfcl-eval</code>, unzip the file, and enter the path of the
              unzipped folder.
            </>
          }
        >
          {(props) => (
            <span className="flex flex-wrap gap-2">
              <input
                {...props}
                className="field min-w-0 flex-1 basis-60 font-mono text-sm"
                value={folder}
                onChange={(event) => setFolder(event.target.value)}
                placeholder="/home/ada/bfcl"
              />
              <Button className="max-sm:h-11" onClick={() => open()}>
                Choose
              </Button>
              <Button type="submit" className="max-sm:h-11" disabled={busy || folder.trim() === ''}>
                {busy ? 'Reading' : 'Read files'}
              </Button>
              {onCancel && (
                <Button kind="quiet" className="max-sm:h-11" onClick={onCancel}>
                  Cancel
                </Button>
              )}
            </span>
          )}
        </Field>
        {problem && <ErrorNote error={problem} />}
        {plan && (
          <p className="foreign text-sm text-ink-3">
            Read: <code>{plan.folder}</code>
          </p>
        )}
      </Section>
      {dialog}
    </form>
  );
}

function StartForm({ plan, onCancel }: { plan: BenchmarkPlanReply; onCancel?: () => void }) {
  const router = useRouter();
  const installed = useApi<ModelsReply>('/api/models', modelsRefresh());
  const { draft, change, forget } = useKeptFields<BenchmarkDraft>('new-benchmark', KEPT_BENCHMARK, {
    categories: plan.categories.map(({ name }) => name),
    ...{ models: [], limit: '20', think: false },
  });
  const { models, limit, think } = draft;
  // The folder may be another one since the form was kept.
  const categories = draft.categories.filter((each) => plan.categories.some(({ name }) => name === each));
  const { busy, problem, run } = useRequest();
  const typed = limit.trim() === '' ? undefined : Number(limit);
  const badLimit = typed !== undefined && !(Number.isInteger(typed) && typed > 0);
  const most = badLimit ? undefined : typed;
  const each = plan.categories
    .filter(({ name }) => categories.includes(name))
    .reduce((sum, { cases }) => sum + Math.min(cases, most ?? cases), 0);
  const start = () =>
    run(async () => {
      const { benchmark } = await createOnce<BenchmarkReply>('/api/benchmarks', {
        ...{ folder: plan.folder, models, categories, think },
        ...(most !== undefined && { limit: most }),
      });
      forget();
      router.push(`/benchmarks/${encodeURIComponent(benchmark.id)}`);
      return LEAVING;
    });
  const isReady = models.length > 0 && categories.length > 0 && !badLimit;
  return (
    <form
      aria-label="New benchmark"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void start();
      }}
    >
      <Section title="Categories" hint="Single turns; multi-turn categories need tools that run">
        <CheckList
          legend="Categories"
          options={plan.categories.map(({ name, cases }) => ({
            value: name,
            label: CATEGORIES[name].label,
            note: plural(cases, 'case'),
          }))}
          chosen={categories}
          onChange={(chosen) => change({ categories: chosen })}
        />
        <div className="w-56 max-w-full">
          <NumberField
            label="Cases of each category"
            placeholder="all"
            hint="From the first on. Leave empty for all."
            value={limit}
            onChange={(text) => change({ limit: text })}
            problem={badLimit ? 'It must be a whole number of at least 1.' : undefined}
          />
        </div>
      </Section>
      <Section title="Models" hint="Each is loaded once for all its cases">
        <CheckList
          legend="Models"
          options={sortedModels(installed.data?.models.filter(canRun) ?? []).map(({ name }) => ({
            value: name,
            label: name,
          }))}
          chosen={models}
          onChange={(chosen) => change({ models: chosen })}
        />
        <Switch
          label="Thinking"
          hint="For models that can think before they call a function."
          checked={think}
          onChange={(checked) => change({ think: checked })}
        />
      </Section>
      {problem && <ErrorNote error={problem} />}
      <div className="flex flex-wrap items-center justify-end gap-3 border-t py-4">
        <p className="tnum mr-auto text-sm text-ink-3">
          <span className="text-ink">{plural(each * models.length, 'case')}</span>
          {models.length > 0 && estimateOf(models, { each, seconds: plan.seconds })}
        </p>
        {onCancel && (
          <Button
            kind="quiet"
            className="max-sm:h-11"
            onClick={() => {
              forget();
              onCancel();
            }}
          >
            Cancel
          </Button>
        )}
        <Button type="submit" kind="primary" className="max-sm:h-11" disabled={busy || !isReady}>
          {busy ? 'Starting' : 'Start benchmark'}
        </Button>
      </div>
    </form>
  );
}

function estimateOf(
  models: readonly string[],
  { each, seconds }: { each: number; seconds: BenchmarkPlanReply['seconds'] },
): string {
  const secondsOf = (model: string) => seconds[fullName(model)];
  const known = models.filter((model) => secondsOf(model) !== undefined);
  if (known.length === 0) return ', time unknown: these models have not answered a benchmark yet';
  const ms = known.reduce((sum, model) => sum + (secondsOf(model) ?? 0) * each * 1000, 0);
  const unknown = models.length - known.length;
  const rest = unknown === 0 ? '' : `, plus ${plural(unknown, 'model')} without earlier benchmarks`;
  return `, ${formatEstimate(ms)}${rest}`;
}
